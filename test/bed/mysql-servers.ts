import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun, runCommand, type Argv } from '../../images/command.ts';
import { onFreePort } from '../free-port.ts';
import { launchAlone } from './launch-alone.ts';
import { end, identify, isAlive, waitUntil } from './machine/process-identity.ts';
import { unpackedPackages } from './machine/unpacked.ts';
import { postgresRoot } from './postgres.ts';

export interface RunningMysql {
  port: number;
  /** Of root, over TCP from this machine. */
  rootPassword: string;
  /** The client and the dump program of its version, by their names. */
  programs: Readonly<Record<string, Argv>>;
  stop(): Promise<void>;
}

/** How one of both is started. */
interface Flavour {
  /** Makes the first data. */
  initialize(data: string): Argv;
  server: Argv;
  client: Argv;
  programs: RunningMysql['programs'];
  makeRoot(password: string): string;
}

const startLimitMs = 240_000;
const asNobody: Argv = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups', '--'];
const place = "root@'127.0.0.1'";

/** Debian's, of the packages mariadb-server-core and mariadb-client. */
export async function mariadb(): Promise<Flavour> {
  if (!existsSync('/usr/sbin/mariadbd') || !existsSync('/usr/bin/mariadb-dump'))
    throw new Error(
      'MariaDB is not installed; run "apt-get install --no-install-recommends mariadb-server-core ' +
        'mariadb-client" first.',
    );
  return {
    initialize: (data) => [
      'mariadb-install-db',
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    server: ['mariadbd', '--no-defaults'],
    client: ['mariadb'],
    programs: { mariadb: ['/usr/bin/mariadb'], 'mariadb-dump': ['/usr/bin/mariadb-dump'] },
    makeRoot: (password) => `create or replace user ${place} identified by '${password}'`,
  };
}

/** Of Debian unstable, unpacked: its programs run with its libraries. */
export async function mysql(signal: AbortSignal): Promise<Flavour> {
  const root = await unpackedPackages('mysql', ['mysql-server-core', 'mysql-client-core'], signal);
  const libraries = join(root, 'usr/lib/x86_64-linux-gnu');
  const program = (path: string): Argv => [
    join(libraries, 'ld-linux-x86-64.so.2'),
    '--library-path',
    libraries,
    join(root, path),
  ];
  const server: Argv = [...program('usr/sbin/mysqld'), '--no-defaults', `--basedir=${join(root, 'usr')}`];
  const client = program('usr/bin/mysql');
  return {
    initialize: (data) => [...server, '--initialize-insecure', `--datadir=${data}`],
    server: [...server, '--mysqlx=OFF', '--secure-file-priv=NULL'],
    client,
    programs: { mysql: client, mysqldump: program('usr/bin/mysqldump') },
    makeRoot: (password) => `create user ${place} identified by '${password}'`,
  };
}

/**
 * Starts a MariaDB or MySQL server of its own for tests, in a folder of its own. It ends with this process,
 * however that ends. Writes are not flushed to disk: it is for tests only. Needs root.
 */
export function startMysql(flavour: Flavour): Promise<RunningMysql> {
  return onFreePort(
    '127.0.0.1',
    (port) => startAt(port, flavour),
    (error) => String(error).includes('Address already in use'),
  );
}

async function startAt(port: number, flavour: Flavour): Promise<RunningMysql> {
  const owner = await identify(process.pid);
  const folder = join(postgresRoot(), `${owner?.pid}-${owner?.startTime}-${randomBytes(4).toString('hex')}`);
  const data = join(folder, 'data');
  const rootPassword = randomBytes(18).toString('base64url');
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await mustRun(['chown', 'nobody:nogroup', folder], { limitMs: 10_000 });
  const own = { limitMs: startLimitMs, env: { ...process.env, TMPDIR: folder } };
  await mustRun([...asNobody, ...flavour.initialize(data)], own);
  const socket = join(folder, 'socket');
  const server = await launchAlone(
    [
      ...asNobody,
      ...flavour.server,
      `--datadir=${data}`,
      `--tmpdir=${folder}`,
      `--port=${port}`,
      `--socket=${socket}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--innodb-flush-log-at-trx-commit=0',
      '--event-scheduler=ON',
    ],
    join(folder, 'log'),
  );
  const stop = async (): Promise<void> => {
    await end(server, 'SIGKILL', 10_000);
    await rm(folder, { recursive: true, force: true });
  };
  const say = (sql: string): Promise<{ code: number | null }> =>
    runCommand([...flavour.client, '--no-defaults', `--socket=${socket}`, '--user=root', '-e', sql], {
      limitMs: 20_000,
    });
  await waitUntil(async () => (await say('select 1')).code === 0 || !(await isAlive(server)), startLimitMs);
  const grant = `grant all on *.* to ${place} with grant option`;
  if ((await say(`${flavour.makeRoot(rootPassword)}; ${grant}`)).code !== 0) {
    const log = await readFile(join(folder, 'log'), 'utf8');
    await stop();
    throw new Error(`The server for tests did not answer: ${log.slice(-2000)}`);
  }
  return { port, rootPassword, programs: flavour.programs, stop };
}
