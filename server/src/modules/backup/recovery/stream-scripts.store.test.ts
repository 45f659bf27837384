/** The texts for the shell of a PostgreSQL image, on a real server with real programs. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../../../../test/bed/postgres.ts';
import { waitUntil } from '../../../ports/wait-until.ts';
import { lookQuery, lookScript, receiveScript, walFolder } from './stream-scripts.ts';
import { parseLook, segmentFile, type WalLook } from './wal.ts';

const exec = promisify(execFile);
const longMs = 120_000;

let server: RunningPostgres;
let folder = '';
let receiver: ChildProcess | undefined;

beforeAll(async () => {
  [server, folder] = await Promise.all([startPostgres(), mkdtemp(join(tmpdir(), 'berth-wal-'))]);
}, longMs);
afterAll(async () => {
  killReceiver();
  await server.stop();
  await rm(folder, { recursive: true });
});

function environment(): Record<string, string> {
  const { hostname, port, username, password } = new URL(server.url);
  return {
    PATH: process.env['PATH'] ?? '',
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: 'postgres',
    SLOT: 'berth_test',
  };
}

const here = (script: string): string => script.replaceAll(walFolder, folder);

function receive(): void {
  receiver = spawn('sh', ['-c', here(receiveScript)], {
    env: environment(),
    stdio: 'ignore',
    detached: true,
  });
}

/** With its children, as the end of a container does. */
function killReceiver(): void {
  if (receiver?.pid !== undefined && receiver.exitCode === null) process.kill(-receiver.pid, 'SIGKILL');
  receiver = undefined;
}

async function sql(statement: string): Promise<string> {
  const { stdout } = await exec('psql', ['-X', '-q', '-t', '-A', '-c', statement], { env: environment() });
  return stdout.trim();
}

async function look(seen = ''): Promise<WalLook> {
  const { stdout } = await exec('sh', ['-c', here(lookScript)], {
    env: { ...environment(), QUERY: lookQuery, SEEN: seen },
  });
  return parseLook(stdout);
}

/** Looks until everything that was written before is complete. */
async function received(): Promise<WalLook> {
  const whole = await waitUntil(
    async () => {
      const seen = await look();
      const newest = seen.segments.at(-1) ?? 0;
      const isWhole = seen.position !== undefined && (newest + 1) * seen.segmentBytes >= seen.position;
      return isWhole ? seen : undefined;
    },
    { everyMs: 200, limitMs: 60_000 },
  );
  if (whole === undefined) throw new Error('The log was not received within a minute.');
  return whole;
}

it(
  'receives what was committed, writes nothing while nothing is, and goes on after a kill',
  async () => {
    receive();
    await sql('create table items as select generate_series(1, 1000) as id');
    const first = await received();
    expect(first).toMatchObject({ segmentBytes: 16 * 1024 ** 2, timeline: 1, slot: 'reserved' });
    const idle = await look(first.snapshot);
    expect(idle).toMatchObject({ position: undefined, snapshot: first.snapshot, segments: first.segments });
    killReceiver();
    await sql('insert into items select generate_series(1, 300000)');
    receive();
    const second = await received();
    const numbers = second.segments;
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    const files = await readdir(folder);
    expect(files).toEqual(
      expect.arrayContaining(numbers.map((segment) => segmentFile(1, segment, second.segmentBytes))),
    );
    expect(await sql('show max_slot_wal_keep_size')).toBe('4GB');
  },
  longMs,
);

it(
  'begins anew behind a hole when the server gave the slot up',
  async () => {
    const before = await received();
    killReceiver();
    await sql("alter system set max_slot_wal_keep_size = '16MB'");
    await sql("alter system set max_wal_size = '32MB'");
    await sql('select pg_reload_conf()');
    do {
      await sql('insert into items select generate_series(1, 300000)');
      await sql('select pg_switch_wal()');
      await sql('checkpoint');
    } while (
      (await sql("select wal_status from pg_replication_slots where slot_name = 'berth_test'")) !== 'lost'
    );
    receive();
    const after = await received();
    expect(after.slot).toBe('reserved');
    expect(after.segments[0]).toBeGreaterThan((before.segments.at(-1) ?? 0) + 1);
  },
  longMs,
);
