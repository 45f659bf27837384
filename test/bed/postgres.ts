import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun, runCommand, type Argv } from '../../images/command.ts';
import { onFreePort, saysTaken } from '../free-port.ts';
import { cacheRoot, memoryFolder } from './layout.ts';
import { launchAlone } from './launch-alone.ts';
import { end, identify, isAlive, waitUntil } from './machine/process-identity.ts';

export interface RunningPostgres {
  /** Connection address with a random password, on 127.0.0.1. */
  url: string;
  stop(): Promise<void>;
}

const user = 'postgres';
/** Long, since several of them may start on a busy machine. */
const startLimitMs = 120_000;

/**
 * Starts a PostgreSQL server of its own for tests (1 s): Debian's, in a folder of its own, as the user
 * postgres. It ends with this process, however that ends. Writes are not flushed to disk: it is for tests
 * only. Needs root and Debian's postgresql package.
 */
export function startPostgres(): Promise<RunningPostgres> {
  return onFreePort('127.0.0.1', startAt, saysTaken);
}

async function startAt(port: number): Promise<RunningPostgres> {
  const programs = await programFolder();
  const owner = await identify(process.pid);
  const folder = join(postgresRoot(), `${owner?.pid}-${owner?.startTime}-${randomBytes(4).toString('hex')}`);
  const data = join(folder, 'data');
  const password = randomBytes(18).toString('base64url');
  const account = await postgresAccount();
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  for (const path of [folder, passwordFile]) await chown(path, account.uid, account.gid);
  await initialize(programs, data, passwordFile);
  const server = await launchAlone(
    [...asPostgres, ...serverArgv(programs, data, folder, port)],
    join(folder, 'log'),
  );
  const stop = async (): Promise<void> => {
    await end(server, 'SIGKILL', 10_000);
    await rm(folder, { recursive: true, force: true });
  };
  const ready = await waitUntil(
    async () => (await answers(programs, port)) || !(await isAlive(server)),
    startLimitMs,
  );
  if (!ready || !(await isAlive(server))) {
    const log = await readFile(join(folder, 'log'), 'utf8');
    await stop();
    throw new Error(
      `The PostgreSQL server for tests did not answer within ${startLimitMs / 1000} s: ${log.slice(-2000)}`,
    );
  }
  return { url: `postgres://berth:${password}@127.0.0.1:${port}/postgres`, stop };
}

/** Removes folders of servers whose run has died; gives how many. */
export async function removeStalePostgres(): Promise<number> {
  let removed = 0;
  for (const name of await readdir(postgresRoot()).catch(() => [])) {
    const [pid, startTime] = name.split('-');
    if (startTime !== undefined && (await isAlive({ pid: Number(pid), startTime }))) continue;
    await rm(join(postgresRoot(), name), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

/** Folders of all database servers of tests, each named after the process that it ends with. */
export function postgresRoot(): string {
  return memoryFolder === null ? join(cacheRoot(), 'postgres') : join(memoryFolder, 'berth-test-postgres');
}

const asPostgres: Argv = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--'];

/** Makes the empty cluster of databases. */
async function initialize(programs: string, data: string, passwordFile: string): Promise<void> {
  await mustRun(
    [
      ...asPostgres,
      join(programs, 'initdb'),
      `--pgdata=${data}`,
      '--username=berth',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ],
    { limitMs: 180_000 },
  );
}

function serverArgv(programs: string, data: string, folder: string, port: number): string[] {
  return [
    join(programs, 'postgres'),
    '-D',
    data,
    '-p',
    String(port),
    '-k',
    folder,
    '-c',
    'fsync=off',
    '-c',
    'dynamic_shared_memory_type=mmap',
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'max_connections=200',
  ];
}

async function answers(programs: string, port: number): Promise<boolean> {
  const argv: Argv = [join(programs, 'pg_isready'), '-q', '-h', '127.0.0.1', '-p', String(port)];
  return (await runCommand(argv, { limitMs: 5_000 })).code === 0;
}

async function programFolder(): Promise<string> {
  const root = '/usr/lib/postgresql';
  const versions = (await readdir(root).catch(() => [])).toSorted(
    (left, right) => Number(right) - Number(left),
  );
  const folder = versions
    .map((version) => join(root, version, 'bin'))
    .find((path) => existsSync(join(path, 'initdb')));
  if (folder === undefined)
    throw new Error('PostgreSQL is not installed; run "apt-get install postgresql-15" first.');
  return folder;
}

async function postgresAccount(): Promise<{ uid: number; gid: number }> {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((text) => text.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
