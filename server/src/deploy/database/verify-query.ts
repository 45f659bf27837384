/**
 * A database is done only when it answers its user: a server can be healthy and still refuse the record's
 * password.
 */
import { askServer, askUntilAnswered } from '../../modules/database/ask-server.ts';
import type { Stage } from '../context.ts';
import type { DatabaseContext } from './database-context.ts';

/** So long a server may refuse: an answer that says no is not waited for longer. */
const limitMs = 30_000;
/**
 * So long one client may take: on a busy machine one that starts an interpreter is late, which says nothing
 * of the password.
 */
const oneQueryMs = 120_000;

export const verifyQuery: Stage<DatabaseContext> = {
  name: 'verify-query',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: ({ database, kind }) => `Asking the server as ${kind.server.login(database).user}`,
  async run(context) {
    const { database, engine, kind, log, signal } = context;
    const { appName } = database;
    const query = kind.server.query(database, appName);
    const version = await askUntilAnswered(
      () => askServer(engine, appName, query, { signal, limitMs: oneQueryMs }),
      {
        understand: kind.server.version,
        refusal: (words) =>
          `The server runs, but it does not accept the user and password of the record: ${words} If its ` +
          `data was created with others, set those with ${database.kind}.update; then deploy again.`,
      },
      { signal, limitMs },
    );
    log.line(`It answers: version ${version}.`);
    await context.records.patch(database.databaseId, { dataVersion: version });
  },
};
