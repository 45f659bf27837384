/** `berth db`: databases made, opened, backed up and restored. */
import { randomBytes } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import { exitCodes } from '../exit-codes.ts';
import { ago, size } from '../look.ts';
import { printableLine } from '../output/printable.ts';
import { confirm } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { itemsOf, type Context } from './parts/context.ts';
import { runInContainer } from './parts/container-program.ts';
import { databaseCalls } from './parts/database-calls.ts';
import { databaseShells, isInstalled, type DatabaseShell } from './parts/database-shells.ts';
import { forwardPort, type Forwarder } from '../connection/forwarder.ts';
import { followDeployment } from './parts/follow-deployment.ts';
import { statusColumn } from './parts/rows.ts';
import {
  allServices,
  isDatabase,
  nameOf,
  pick,
  serviceOf,
  type DatabaseKindName,
  type Service,
} from './parts/services.ts';
import { scopeOf } from '../folder-links.ts';
import type { Word } from './parts/word.ts';

type Database = Service & { kind: DatabaseKindName };

async function databaseOf(context: Context): Promise<Database> {
  const service = await serviceOf(context, context.args[0]);
  if (!isDatabase(service))
    throw new UsageError(`${nameOf(service)} is a ${service.kind} service and not a database.`);
  return service;
}

type Create = (
  client: Client,
  at: { name: string; appName: string; environmentId: string; containerImage?: string },
) => Promise<string>;

/** An empty password is replaced by a generated one (interface document, Databases). */
const generated = '';
const creates: Readonly<Record<DatabaseKindName, Create>> = {
  postgres: async (client, at) =>
    (await client.postgres.create({ ...at, ...accountOf(at.name), databasePassword: generated })).postgresId,
  mysql: async (client, at) =>
    (await client.mysql.create({ ...at, ...accountOf(at.name), ...twoPasswords })).mysqlId,
  mariadb: async (client, at) =>
    (await client.mariadb.create({ ...at, ...accountOf(at.name), ...twoPasswords })).mariadbId,
  mongo: async (client, at) =>
    (
      await client.mongo.create({
        ...at,
        databaseUser: accountOf(at.name).databaseUser,
        databasePassword: generated,
      })
    ).mongoId,
  redis: async (client, at) => (await client.redis.create({ ...at, databasePassword: generated })).redisId,
};
const twoPasswords = { databasePassword: generated, databaseRootPassword: generated };

/** Names that every server takes without quotes. */
function accountOf(name: string): { databaseName: string; databaseUser: string } {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 30);
  return { databaseName: plain || 'main', databaseUser: plain || 'main' };
}

const create: Word = {
  name: 'db create',
  usage: 'KIND project/name',
  summary: 'creates a database and starts it',
  description:
    'KIND is postgres, mysql, mariadb, mongo or redis. The password is generated. At the end it prints the ' +
    'address that other services of the environment connect to.',
  options: {
    image: { short: 'i', value: 'REFERENCE', description: 'image and version, such as postgres:17' },
    'no-wait': { description: 'does not wait until it runs' },
  },
  most: 2,
  calls: [
    'project.all',
    'postgres.create',
    'postgres.deploy',
    'postgres.one',
    'deployment.latest',
    'deployment.logs',
  ],
  async run(context) {
    const [kindText = '', written] = context.args;
    if (!isKind(kindText) || written === undefined)
      throw new UsageError(
        `Usage: berth db create ${Object.keys(creates).join('|')} project/name` +
          (isKind(kindText) ? '' : `; "${kindText}" is not a kind of database.`),
      );
    const { client, connection } = await context.berth();
    const scope = await scopeOf(context.terminal, connection.url);
    const whole = written.includes('/') || scope === undefined ? written : `${scope}/${written}`;
    const [projectName = '', ...more] = whole.split('/');
    const name = more.at(-1);
    if (name === undefined)
      throw new UsageError(
        `"${written}" names no project: give project/name, or \`berth use PROJECT\` first.`,
      );
    const project = itemsOf(await client.project.all()).find((one) => one.name === projectName);
    const environment = project?.environments.find((one) =>
      more.length > 1 ? one.name === more[0] : one.isDefault,
    );
    if (!environment) throw new UsageError(`There is no ${whole.split('/').slice(0, -1).join('/')}.`);
    const services = await allServices(client);
    refuseTaken(services, environment.environmentId, `${projectName}/${environment.name}`, name);
    const appName = `${name.replaceAll(/[^a-zA-Z0-9]+/g, '-')}-${randomBytes(3).toString('hex')}`;
    const { environmentId } = environment;
    const containerImage = context.text('image');
    const image = containerImage === undefined ? {} : { containerImage };
    const id = await creates[kindText](client, { name, appName, environmentId, ...image });
    const service = pick(await allServices(client), id);
    await databaseCalls(client, service).deploy();
    const latest = await client.deployment.latest({ databaseId: id });
    const code = await followDeployment(context, service, latest?.deploymentId);
    if (code !== exitCodes.done) return code;
    const { connection: addresses } = await databaseCalls(client, service).one();
    context.say(`For services of ${projectName}/${environment.name}: ${addresses.internal}`);
    return code;
  },
};

/** Two of one name cannot be told apart by words, nor by a reference such as `${{db.URL}}`. */
function refuseTaken(services: readonly Service[], environmentId: string, place: string, name: string): void {
  const taken = services.find((one) => one.environment.environmentId === environmentId && one.name === name);
  if (taken)
    throw new UsageError(
      `${place} already has a service called ${name}: ${taken.kind}, ${taken.appName}. Choose another ` +
        `name, or run \`berth deploy ${nameOf(taken)}\` to start that one.`,
    );
}

function isKind(text: string): text is DatabaseKindName {
  return Object.hasOwn(creates, text);
}

const connect: Word = {
  name: 'db connect',
  usage: '[service]',
  summary: "opens the database's shell",
  description:
    "Starts this machine's psql, mysql, mongosh or redis-cli on the database, through Berth if its port " +
    'is not published (a member needs the grant canForwardPorts). If the program is not installed, the ' +
    'one in the container is used (canOpenTerminal). With --print the address is printed instead.',
  options: { print: { description: 'prints the address, password included, and starts nothing' } },
  most: 1,
  calls: ['project.all', 'postgres.one', 'terminal.forward', 'terminal.open'],
  async run(context) {
    const { client } = await context.berth();
    const service = await databaseOf(context);
    const { connection } = await databaseCalls(client, service).one();
    if (context.is('print')) {
      context.answer(connection, () => `${connection.external ?? connection.internal}\n`);
      return exitCodes.done;
    }
    const shell = databaseShells[service.kind];
    if (!(await isInstalled(shell.program, context.terminal.environment))) {
      context.say(`${shell.program} is not installed here: starting the one in the container.`);
      return runInContainer(context, { serviceId: service.id, command: shell.inContainer });
    }
    if (connection.external !== null) return startShell(context, shell, new URL(connection.external));
    const address = new URL(connection.internal);
    const through = await forwardThrough(context, service, Number(address.port));
    try {
      address.hostname = '127.0.0.1';
      address.port = String(through.port);
      return await startShell(context, shell, address);
    } finally {
      through.close();
    }
  },
};

async function startShell({ terminal }: Context, shell: DatabaseShell, address: URL): Promise<number> {
  return terminal.runProgram([shell.program, ...shell.argv(address)], shell.environment(address));
}

async function forwardThrough(context: Context, { id }: Service, port: number): Promise<Forwarder> {
  const { connection } = await context.berth();
  const forwarder = await forwardPort({
    connection,
    target: { serviceId: id, port },
    localPort: 0,
    signal: context.terminal.signal,
    say: context.say,
  });
  // The shell says that its connection failed; this says why.
  forwarder.ended.catch((error: unknown) =>
    context.say(error instanceof Error ? error.message : String(error)),
  );
  return forwarder;
}

/** What `backup` takes; redis has no backups. */
type BackupKind = Exclude<DatabaseKindName, 'redis'>;

function backupKindOf(service: Database): BackupKind {
  if (service.kind === 'redis')
    throw new UsageError(`${nameOf(service)} is a redis database, which has no backups.`);
  return service.kind;
}

/** An hour: a backup of a large database. */
const backupLimitMs = 24 * 3_600_000;
const runs: Readonly<Record<BackupKind, (client: Client, backupId: string) => Promise<unknown>>> = {
  postgres: (client, backupId) =>
    client.backup.manualBackupPostgres({ backupId }, { limitMs: backupLimitMs }),
  mysql: (client, backupId) => client.backup.manualBackupMySql({ backupId }, { limitMs: backupLimitMs }),
  mariadb: (client, backupId) => client.backup.manualBackupMariadb({ backupId }, { limitMs: backupLimitMs }),
  mongo: (client, backupId) => client.backup.manualBackupMongo({ backupId }, { limitMs: backupLimitMs }),
};

const backup: Word = {
  name: 'db backup',
  usage: '[service]',
  summary: 'makes a backup now and prints where it is stored',
  description:
    'Runs the newest backup that was set up for the database (`berth api backup.create`) and waits until ' +
    'it is stored and verified.',
  most: 1,
  calls: ['project.all', 'backup.byDatabase', 'backup.manualBackupPostgres', 'backup.runsByDatabase'],
  async run(context) {
    const { client } = await context.berth();
    const service = await databaseOf(context);
    const databaseType = backupKindOf(service);
    const [first] = itemsOf(await client.backup.byDatabase({ databaseId: service.id, databaseType }));
    if (!first)
      throw new UsageError(
        `No backup is set up for ${nameOf(service)}. Set where and when: berth api backup.create ` +
          `--${databaseType}Id ${service.id} --destinationId DESTINATION --schedule '0 3 * * *' ` +
          '--database NAME',
      );
    await runs[databaseType](client, first.backupId);
    const [run] = itemsOf(await client.backup.runsByDatabase({ databaseId: service.id, limit: 1 }));
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
  options: { yes: { short: 'y', description: 'does it without a question' } },
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
    let outcome = 'error';
    const events = client.backup.restoreBackupWithLogs(
      {
        databaseId: service.id,
        databaseType,
        databaseName: run.database,
        destinationId: run.destinationId,
        backupFile: run.path,
      },
      { signal: context.terminal.signal },
    );
    for await (const { data } of events) {
      if (data.type === 'line') context.terminal.say(`${printableLine(data.text, false)}\n`);
      else outcome = data.outcome;
    }
    context.answer({ service: nameOf(service), file: run.path, outcome }, () => `Restored ${run.path}.\n`);
    return outcome === 'success' ? exitCodes.done : exitCodes.refused;
  },
};

export const dbWords: readonly Word[] = [create, connect, backup, backups, restore];
