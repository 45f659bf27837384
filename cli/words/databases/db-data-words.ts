/** `berth db` on what is in a database: backups, restores, and copies from elsewhere. */
import type { Client } from '../../../client/client.ts';
import { exitCodes } from '../../exit-codes.ts';
import { ago, size } from '../../look.ts';
import { askSecret, confirm } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from '../parts/context.ts';
import { databaseCalls } from '../parts/database-calls.ts';
import { answerRun, followRun } from '../parts/followed-run.ts';
import { databaseOf, type Database } from '../parts/database-of.ts';
import { statusColumn } from '../parts/rows.ts';
import type { BackupKindName } from '../../../server/src/modules/database/kinds.ts';
import { identityIn, identityOption } from '../parts/destinations.ts';
import { nameOf } from '../parts/services.ts';
import type { Word } from '../parts/word.ts';

function backupKindOf(service: Database, lacks = 'has no backups'): BackupKindName {
  const { kind } = service;
  if (!isBackedUp(kind)) throw new UsageError(`${nameOf(service)} is a ${kind} database, which ${lacks}.`);
  return kind;
}

const isBackedUp = (kind: string): kind is BackupKindName => Object.hasOwn(runs, kind);

/** An hour: a backup of a large database. */
const backupLimitMs = 24 * 3_600_000;
const runs: Readonly<Record<BackupKindName, (client: Client, backupId: string) => Promise<unknown>>> = {
  postgres: (client, backupId) =>
    client.backup.manualBackupPostgres({ backupId }, { limitMs: backupLimitMs }),
  mysql: (client, backupId) => client.backup.manualBackupMySql({ backupId }, { limitMs: backupLimitMs }),
  mariadb: (client, backupId) => client.backup.manualBackupMariadb({ backupId }, { limitMs: backupLimitMs }),
  mongo: (client, backupId) => client.backup.manualBackupMongo({ backupId }, { limitMs: backupLimitMs }),
};

/** What `--to` asks for; undefined without it. */
async function setUp(
  context: Context,
  service: Database,
  databaseType: BackupKindName,
): Promise<string | undefined> {
  const name = context.text('to');
  if (name === undefined) return undefined;
  const { client } = await context.berth();
  const found = itemsOf(await client.destination.all()).find(
    (one) => one.name === name || one.destinationId === name,
  );
  if (!found) throw new UsageError(`There is no destination ${name}. ${await destinationsOf(client)}`);
  const { databaseName } = await databaseCalls(client, service).one();
  const { backupId } = await client.backup.create({
    databaseType,
    [`${databaseType}Id`]: service.id,
    destinationId: found.destinationId,
    schedule: context.text('schedule') ?? '0 3 * * *',
    prefix: service.appName,
    // A MongoDB server has no database of its own name.
    database: databaseName ?? service.name,
  });
  return backupId;
}

async function destinationsOf(client: Client): Promise<string> {
  const names = itemsOf(await client.destination.all()).map(({ name }) => name);
  return names.length === 0
    ? 'There is none yet: `berth api destination.create --help` shows how to create one.'
    : `There are: ${names.join(', ')}.`;
}

const backup: Word = {
  name: 'db backup',
  usage: '[service]',
  summary: 'makes a backup now and prints where it is stored',
  description:
    'Runs the newest backup that was set up for the database and waits until it is stored and verified. ' +
    '--to sets one up first: to that destination, every night at 3 or as --schedule says.',
  options: {
    to: { value: 'DESTINATION', description: 'sets up a backup to this destination, by its name' },
    schedule: { value: 'CRON', description: "with --to: when; '0 3 * * *' without it" },
  },
  most: 1,
  calls: [
    'project.all',
    'postgres.one',
    'destination.all',
    'backup.byDatabase',
    'backup.create',
    'backup.manualBackupPostgres',
    'backup.runsByDatabase',
  ],
  async run(context) {
    const { client } = await context.berth();
    const service = await databaseOf(context);
    const databaseType = backupKindOf(service);
    const backupId =
      (await setUp(context, service, databaseType)) ??
      itemsOf(await client.backup.byDatabase({ databaseId: service.id, databaseType }))[0]?.backupId;
    if (backupId === undefined)
      throw new UsageError(
        `No backup is set up for ${nameOf(service)}. Say where it goes: ` +
          `\`berth db backup ${nameOf(service)} --to DESTINATION\`. ${await destinationsOf(client)}`,
      );
    await runs[databaseType](client, backupId);
    const run = itemsOf(await client.backup.runsByDatabase({ databaseId: service.id, limit: 20 })).find(
      ({ operation }) => operation === 'backup',
    );
    context.answer(run ?? null, () => `${run?.path ?? ''}  ${size(run?.storedBytes ?? 0)}\n`);
  },
};

const backups: Word = {
  name: 'db backups',
  usage: '[service]',
  summary: 'lists the backups and restores of a database, newest first',
  most: 1,
  calls: ['project.all', 'backup.runsByDatabase'],
  async run(context) {
    const { client } = await context.berth();
    const service = await databaseOf(context);
    const rows = itemsOf(await client.backup.runsByDatabase({ databaseId: service.id, limit: 100 }));
    context.list(
      [
        { title: 'file', value: (row) => row.path },
        { title: 'what', value: (row) => row.operation, spare: 2 },
        statusColumn(context),
        {
          title: 'size',
          value: (row) => (row.storedBytes === null ? '' : size(row.storedBytes)),
          right: true,
        },
        { title: 'when', value: (row) => ago(row.steps[0]?.startedAt, context.terminal.now()), spare: 1 },
        {
          title: 'restored on trial',
          value: (row) => (row.restoredAt === null ? '' : ago(row.restoredAt, context.terminal.now())),
          spare: 3,
        },
      ],
      rows,
      `${nameOf(service)} was never backed up.`,
    );
  },
};

const restore: Word = {
  name: 'db restore',
  usage: '[service] [FILE]',
  summary: 'restores a backup into a database: the one named, or the newest',
  description:
    'Restores a stored backup in place of what is in the database; the state before is kept as a volume ' +
    'until it is removed. `berth db backups` lists the files.',
  options: {
    'leave-out': { description: 'goes on after what cannot be restored, and lists it' },
    ...identityOption,
    yes: { short: 'y', description: 'does it without a question' },
  },
  most: 2,
  calls: ['project.all', 'backup.runsByDatabase', 'backup.restoreBackupWithLogs'],
  async run(context) {
    const { client } = await context.berth();
    const service = await databaseOf(context);
    const databaseType = backupKindOf(service);
    const stored = itemsOf(await client.backup.runsByDatabase({ databaseId: service.id, limit: 500 })).filter(
      ({ operation, isStored }) => operation === 'backup' && isStored,
    );
    const [, file] = context.args;
    const run = file === undefined ? stored[0] : stored.find(({ path }) => path === file);
    if (!run)
      throw new UsageError(
        `${nameOf(service)} has no stored backup${file === undefined ? '' : ` ${file}`}. ` +
          '`berth db backups` lists them.',
      );
    await confirm(
      context.terminal,
      `What is in ${nameOf(service)} (${run.database}) is replaced by ${run.path}.`,
      context.is('yes'),
    );
    const events = client.backup.restoreBackupWithLogs(
      {
        databaseId: service.id,
        databaseType,
        databaseName: run.database,
        destinationId: run.destinationId,
        backupFile: run.path,
        leaveOut: context.is('leave-out'),
        ...(await identityIn(context)),
      },
      { signal: context.terminal.signal },
    );
    const outcome = await followRun(context, events);
    return answerRun(
      context,
      { service: nameOf(service), file: run.path, outcome },
      {
        done: `Restored ${run.path}.`,
        failed: `Not restored: ${nameOf(service)} has what it had. The lines above say why.`,
      },
    );
  },
};

const copy: Word = {
  name: 'db copy',
  usage: '[service]',
  summary: 'copies the data of another database, elsewhere, into this one',
  description:
    'Dumps the database at the address and loads the dump, both with the programs in the container of the ' +
    'service, which must reach the address. Tables and collections of the same name are replaced; others ' +
    'stay. An address of MongoDB without a database means all of its databases. A member needs the grant ' +
    'canOpenTerminal. Without --from it asks for the address without showing it; in a pipe, a line of the ' +
    'standard input is the address.',
  options: {
    from: {
      value: 'URL',
      description:
        'such as postgresql://user:password@host:5432/database; seen by other users of this machine',
    },
    yes: { short: 'y', description: 'does it without a question' },
  },
  most: 1,
  calls: ['project.all', 'terminal.open'],
  async run(context) {
    await context.berth();
    const service = await databaseOf(context);
    const kind = backupKindOf(service, 'cannot be copied');
    const { copyDatabase, copyInput } = await import('../parts/database-copies.ts');
    const from = context.text('from') ?? (await askSecret(context.terminal, 'Address to copy from: '));
    const input = copyInput(kind, from);
    const { host } = new URL(from);
    await confirm(
      context.terminal,
      `What ${nameOf(service)} and ${host} both have under the same name is replaced by that of ${host}.`,
      context.is('yes'),
    );
    if ((await copyDatabase(context, service, kind, input)) !== exitCodes.done) {
      context.say(`The programs in ${nameOf(service)} say above why nothing was copied.`);
      return exitCodes.refused;
    }
    context.answer(
      { service: nameOf(service), from: host },
      () => `Copied ${host} into ${nameOf(service)}.\n`,
    );
    return exitCodes.done;
  },
};

const cancel: Word = {
  name: 'db cancel',
  usage: '[service]',
  summary: 'ends the backups and restores of a database that wait or run',
  description:
    'Ends what `berth db backups` shows as queued or running, and removes what it was making. Objects that ' +
    'were stored before stay. A restore that is changing over to what it loaded cannot be ended.',
  most: 1,
  calls: ['project.all', 'backup.runsByDatabase', 'backup.cancel'],
  async run(context) {
    const { client } = await context.berth();
    const service = await databaseOf(context);
    const open = itemsOf(await client.backup.runsByDatabase({ databaseId: service.id, limit: 100 })).filter(
      ({ status }) => status === 'queued' || status === 'running',
    );
    for (const { backupRunId } of open) await client.backup.cancel({ backupRunId });
    context.answer(open, () =>
      open.length === 0
        ? `Nothing of ${nameOf(service)} was waiting or running.\n`
        : open.map(({ operation, path }) => `Ended the ${operation} of ${path}.\n`).join(''),
    );
  },
};

const undo: Word = {
  name: 'db undo',
  usage: '[service]',
  summary: 'puts back what the newest restore of a database replaced, or a former volume',
  description:
    'The database, or the volume, of before is used again; what it replaces is kept in its place, so that ' +
    'this can be undone as well. --volume puts back a volume that an upgrade or a move kept: ' +
    '`berth api cleanup.formerVolumes` lists them.',
  options: {
    volume: { value: 'VOLUME', description: 'a former volume, by its name' },
    yes: { short: 'y', description: 'does it without a question' },
  },
  most: 1,
  calls: [
    'project.all',
    'backup.runsByDatabase',
    'backup.undoRestore',
    'backup.useFormerVolume',
    'backup.runLogs',
  ],
  async run(context) {
    const { client } = await context.berth();
    const service = await databaseOf(context);
    const volumeName = context.text('volume');
    const restored = itemsOf(await client.backup.runsByDatabase({ databaseId: service.id, limit: 500 })).find(
      ({ previousVolume, previousDatabase }) => (previousDatabase ?? previousVolume) !== null,
    );
    const what = volumeName ?? restored?.previousDatabase ?? restored?.previousVolume;
    if (what == null) throw new UsageError(`${nameOf(service)} keeps no state from before a restore.`);
    await confirm(context.terminal, `${nameOf(service)} is used with ${what} again.`, context.is('yes'));
    const { backupRunId } =
      volumeName === undefined
        ? await client.backup.undoRestore({ backupRunId: restored?.backupRunId ?? '' })
        : await client.backup.useFormerVolume({ databaseId: service.id, volumeName });
    const { signal } = context.terminal;
    const outcome = await followRun(context, client.backup.runLogs({ backupRunId }, { signal }));
    return answerRun(
      context,
      { service: nameOf(service), what, outcome },
      {
        done: `Put back ${what}.`,
        failed: `Not put back: ${nameOf(service)} has what it had. The lines above say why.`,
      },
    );
  },
};

export const dbDataWords: readonly Word[] = [backup, backups, cancel, restore, undo, copy];
