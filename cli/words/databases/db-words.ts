/** `berth db`: databases made and opened; db-data-words.ts has what is done to their data. */
import { programArgv } from '../../program-argv.ts';
import { randomBytes } from 'node:crypto';
import { databaseKindNames, type DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { didYouMean } from '../../../server/src/domain/text/closest.ts';
import { forwardPort, type Forwarder } from '../../connection/forwarder.ts';
import { exitCodes } from '../../exit-codes.ts';
import { UsageError } from '../../usage-error.ts';
import { dbDataWords } from './db-data-words.ts';
import { dbBranchWords } from './db-branch-words.ts';
import { statementsWord } from './db-statements-word.ts';
import { dbRecoveryWords } from './db-recovery-words.ts';
import { runInContainer } from '../parts/container-program.ts';
import type { Context } from '../parts/context.ts';
import { createDatabase, databaseCalls } from '../parts/database-calls.ts';
import { databaseOf } from '../parts/database-of.ts';
import { databaseShells, isInstalled, type DatabaseShell } from '../parts/database-shells.ts';
import { newPlaceOf } from '../parts/deploy-target.ts';
import { followDeployment } from '../parts/follow-deployment.ts';
import { allServices, nameOf, pick, type Service } from '../parts/services.ts';
import type { Word } from '../parts/word.ts';

const create: Word = {
  name: 'db create',
  usage: 'KIND project/name',
  summary: 'creates a database and starts it',
  description:
    `KIND is one of ${databaseKindNames.join(', ')}. The project is created if there is none of that ` +
    'name. The password is generated. At the end it prints the address that other services of the ' +
    'environment connect to.',
  options: {
    image: { short: 'i', value: 'REFERENCE', description: 'image and version, such as postgres:17' },
    'no-wait': { description: 'does not wait until it runs' },
  },
  most: 2,
  calls: [
    'project.all',
    'project.create',
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
        `Usage: berth db create ${databaseKindNames.join('|')} project/name` +
          (isKind(kindText)
            ? ''
            : `; "${kindText}" is not a kind of database.${didYouMean(kindText, databaseKindNames)}`),
      );
    const { client } = await context.berth();
    const { environment, projectName, name } = await newPlaceOf(context, written);
    const appName = `${name.replaceAll(/[^a-zA-Z0-9]+/g, '-')}-${randomBytes(3).toString('hex')}`;
    const { environmentId } = environment;
    const containerImage = context.text('image');
    const image = containerImage === undefined ? {} : { containerImage };
    const id = await createDatabase(client, kindText, { name, appName, environmentId, ...image });
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
function isKind(text: string): text is DatabaseKindName {
  return databaseKindNames.some((kind) => kind === text);
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
  return terminal.runProgram(programArgv(shell.program, ...shell.argv(address)), shell.environment(address));
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

const mostRows = 200;

const query: Word = {
  name: 'db query',
  usage: 'service STATEMENT',
  summary: 'runs one statement that reads, and prints its rows',
  description:
    'In a read-only transaction of a PostgreSQL, MySQL or MariaDB database, which ends after 10 s; at most ' +
    `${mostRows} rows. Members need the grants canReadSecrets and canOpenTerminal. To change data, use ` +
    '`berth db connect`.',
  options: {
    limit: { short: 'n', value: 'NUMBER', description: `number of rows, up to ${mostRows}; default: 50` },
  },
  most: 2,
  calls: ['project.all', 'database.query'],
  async run(context) {
    const { client } = await context.berth();
    const [, statement] = context.args;
    if (statement === undefined)
      throw new UsageError(
        'Usage: berth db query service STATEMENT, such as: berth db query shop/db "select 1"',
      );
    const service = await databaseOf(context);
    const limit = Number(context.text('limit') ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > mostRows)
      throw new UsageError(`--limit takes a number from 1 to ${mostRows}.`);
    const answer = await client.database.query({ databaseId: service.id, statement, limit });
    context.list(
      answer.columns.map((title, at) => ({ title, value: (row: (string | null)[]) => row[at] ?? null })),
      answer.rows,
      `${nameOf(service)} returned no rows.`,
      answer,
    );
    if (answer.isCut) context.say(`There are more rows than the ${answer.rows.length} that are shown.`);
    return exitCodes.done;
  },
};

export const dbWords: readonly Word[] = [
  create,
  connect,
  query,
  statementsWord,
  ...dbDataWords,
  ...dbRecoveryWords,
  ...dbBranchWords,
];
