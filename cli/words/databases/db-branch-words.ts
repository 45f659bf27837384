/** `berth db branch`: a new database with the data of another one. */
import { readFile } from 'node:fs/promises';
import type { Client } from '../../../client/client.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from '../parts/context.ts';
import { databaseOf, type Database } from '../parts/database-of.ts';
import { environmentIn } from '../parts/deploy-target.ts';
import { answerRun, followRun } from '../parts/followed-run.ts';
import { nameOf } from '../parts/services.ts';
import { numberOf } from '../status.ts';
import { identityIn, identityOption } from '../parts/destinations.ts';
import type { Word } from '../parts/word.ts';

const branch: Word = {
  name: 'db branch',
  usage: '[service]',
  summary: 'makes a new database with the data of this one',
  description:
    'Filled from the newest verified backup, from --backup, or (PostgreSQL with recovery) from the moment ' +
    '--at. It has passwords of its own, and starts only when all of --mask has been done to its data. ' +
    'Members need the grants canCreateServices and canReadSecrets, and canOpenTerminal for --mask.',
  options: {
    name: { short: 'n', value: 'NAME', description: 'name of the new database' },
    at: { value: 'MOMENT', description: 'a time with a zone, such as 2026-11-20T14:03:07Z' },
    backup: { value: 'PATH', description: 'object of a backup of it, by its path at the destination' },
    in: { value: 'PROJECT/ENVIRONMENT', description: 'another environment; otherwise that of the service' },
    mask: { value: 'FILE', description: 'statements for the client of its image, such as SQL' },
    ...identityOption,
    expires: { value: 'HOURS', description: 'removes it with its data after so many hours' },
  },
  most: 1,
  calls: ['project.all', 'backup.runsByDatabase', 'backup.branch', 'backup.runLogs'],
  async run(context) {
    const { client } = await context.berth();
    const service = await databaseOf(context);
    const name = context.text('name');
    if (name === undefined) throw new UsageError('Name the new database: --name test.');
    const [at, mask, expires] = [context.text('at'), context.text('mask'), context.text('expires')];
    const made = await client.backup.branch({
      databaseId: service.id,
      name,
      ...(await placeIn(context, client)),
      ...(await backupIn(context, client, service)),
      ...(at !== undefined && { at }),
      ...(mask !== undefined && { mask: await readFile(mask, 'utf8') }),
      ...(await identityIn(context)),
      ...(expires !== undefined && { expiresInHours: numberOf(context, 'expires', 1) }),
    });
    context.say(`Filling ${name} with the data of ${nameOf(service)} as of ${made.asOf} (${made.path}).`);
    const { backupRunId } = made;
    const { signal } = context.terminal;
    const outcome = await followRun(context, client.backup.runLogs({ backupRunId }, { signal }));
    return answerRun(
      context,
      { service: name, databaseId: made.databaseId, asOf: made.asOf, outcome },
      {
        done: `${name} runs with the data of ${nameOf(service)} as of ${made.asOf}${endOf(made)}.`,
        failed: `${name} was not filled, and does not run. The lines above say why; remove it.`,
      },
    );
  },
};

const endOf = ({ expiresAt }: { expiresAt: string | null }): string =>
  expiresAt === null ? '' : `, until ${expiresAt}`;

async function placeIn(context: Context, client: Client): Promise<{ environmentId?: string }> {
  const written = context.text('in');
  if (written === undefined) return {};
  const [project = '', environment] = written.split('/');
  const found = itemsOf(await client.project.all()).find((one) => one.name === project);
  if (!found) throw new UsageError(`There is no project ${project}.`);
  return { environmentId: environmentIn(found, environment).environmentId };
}

async function backupIn(
  context: Context,
  client: Client,
  service: Database,
): Promise<{ backupRunId?: string }> {
  const path = context.text('backup');
  if (path === undefined) return {};
  const runs = itemsOf(await client.backup.runsByDatabase({ databaseId: service.id }));
  const stored = runs.filter((run) => run.operation === 'backup' && run.isStored);
  const found = stored.find((run) => run.path === path || run.backupRunId === path);
  if (found) return { backupRunId: found.backupRunId };
  const paths = stored.slice(0, 10).map((run) => run.path);
  throw new UsageError(
    `There is no stored backup ${path} of ${nameOf(service)}. There are: ${paths.join(', ') || 'none yet'}.`,
  );
}

export const dbBranchWords: readonly Word[] = [branch];
