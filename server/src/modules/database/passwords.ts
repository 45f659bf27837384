/**
 * Changes of who may come in: made inside the running server before the record tells them, so that the record
 * never lies (decisions 6).
 */
import { AppError } from '../../domain/errors.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Hosts } from '../../ports/host/host.ts';
import { nameOf } from '../service/own-service.ts';
import { askServer, lastWords } from './ask-server.ts';
import { databaseKind } from './kinds.ts';
import type { PasswordField } from './kinds/server.ts';

/** Fields that the server keeps with the data. */
const credentialFields = [
  'databaseName',
  'databaseUser',
  'databasePassword',
  'databaseRootPassword',
] as const;
/** The user's first, since the root's password is what changes it. */
const passwordFields: readonly PasswordField[] = ['databasePassword', 'databaseRootPassword'];
const limitMs = 30_000;

export interface Admission {
  /**
   * Makes the running server take the changed record's names and passwords; gives what takes that back.
   * Nothing to do where there is no data yet. PRECONDITION_FAILED when the server does not run, does not take
   * a password, or does not know the user or the database that the record would name.
   */
  change(present: DatabaseRecord, changed: DatabaseRecord): Promise<() => Promise<void>>;
}

/** What a server is asked through. */
type Asked = Pick<Engine, 'tasks' | 'exec'>;

export function createAdmission(hosts: Hosts): Admission {
  // Whoever asked may go away; what was begun is brought to its end, or the record would lie.
  const { signal } = new AbortController();

  async function setPasswords(engine: Asked, from: DatabaseRecord, to: DatabaseRecord): Promise<void> {
    const { server } = databaseKind(from.kind);
    for (const field of passwordFields) {
      const password = to[field];
      // The password of another user is that user's already.
      const isOthers = field === 'databasePassword' && from.databaseUser !== to.databaseUser;
      if (password === null || password === from[field] || isOthers || !server.keepsPassword(from, field))
        continue;
      const result = await askServer(engine, nameOf(from), server.setPassword(from, field, password), {
        signal,
        limitMs,
      });
      if (result.exitCode !== 0)
        throw new AppError(
          'PRECONDITION_FAILED',
          `The server of ${from.name} did not accept the new password, so nothing was changed: ` +
            `${lastWords(result)}`,
        );
    }
  }
  async function requireAnswer(engine: Asked, record: DatabaseRecord): Promise<void> {
    const { server } = databaseKind(record.kind);
    const result = await askServer(engine, nameOf(record), server.query(record, nameOf(record)), {
      signal,
      limitMs,
    });
    if (result.exitCode === 0 && server.version(result.stdout) !== undefined) return;
    throw new AppError(
      'PRECONDITION_FAILED',
      `The server of ${record.name} does not accept this user and password for this database, so nothing ` +
        `was changed: ${lastWords(result)} Its data keeps the names it was created with; create the user ` +
        'or the database in the server first, then set it here.',
    );
  }
  return {
    async change(present, changed) {
      const isSame = credentialFields.every((field) => present[field] === changed[field]);
      if (isSame || present.dataVersion === null) return async () => undefined;
      requireRunning(present);
      const { engine } = await hosts.of(serverKeyOf(present));
      // Of another user nothing was changed.
      const ofSameUser =
        present.databaseUser === changed.databaseUser
          ? {}
          : { databaseUser: present.databaseUser, databasePassword: present.databasePassword };
      const takeBack = (): Promise<void> => setPasswords(engine, { ...changed, ...ofSameUser }, present);
      await setPasswords(engine, present, changed).catch(async (error: unknown) => {
        // An answer that was lost on the way says nothing about the change.
        await requireAnswer(engine, changed).catch(() => Promise.reject(error));
      });
      try {
        await requireAnswer(engine, changed);
      } catch (error) {
        await takeBack();
        throw error;
      }
      return takeBack;
    },
  };
}

function requireRunning({ name, isStopped, kind }: DatabaseRecord): void {
  if (!isStopped) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${name} is stopped, and its names and passwords are kept inside its server. Call ${kind}.start, ` +
      'then change them.',
  );
}
