/**
 * A PostgreSQL database restored to a moment, on a real Berth, engine and S3 server: a table dropped under
 * writes is there again with exactly the rows of the second before.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { dockerOf } from '../../bed/docker.ts';
import { modeOf } from '../../run/mode.ts';
import { createRandom } from '../../fuzz/random.ts';
import { openDatabaseFixture, type Base } from '../databases/database-fixture.ts';
import { berthHost, type BerthHost } from '../fixtures/berth-host.ts';
import { expectCalmLog, until } from '../fixtures/applications.ts';
import { logOf, openBackupFixture, sql, type BackupFixture, type RunView } from './backup-fixture.ts';

vi.setConfig({ maxConcurrency: 3 });

const longMs = 300_000;
const { isLong, seed } = modeOf();

interface Recovery {
  backupId: string;
  windows: { from: string; to: string }[];
  holes: { at: string; reason: string }[];
  storedBytes: number;
  problem: string | null;
}

let berth: BerthHost;
let fixture: BackupFixture;

beforeAll(async () => {
  const bed = await bedOfRun();
  berth = await berthHost(bed, 'recovery', 70);
  await berth.call('settings.update', { buildsConcurrency: 8 });
  fixture = await openBackupFixture(bed, await openDatabaseFixture(berth), 'recovery');
}, longMs);
afterAll(async () => {
  await fixture.s3.kill();
  await berth.host.kill();
});

async function recoveryOf({ id }: Base): Promise<Recovery> {
  const { recovery } = await berth.call<{ recovery: Recovery }>('backup.getRecovery', { postgresId: id });
  return recovery;
}

/** Waits until a window holds the moment, and gives how it stands. */
async function restorable(base: Base, moment: string): Promise<Recovery> {
  let seen: Recovery | undefined;
  const holds = ({ from, to }: { from: string; to: string }): boolean => from <= moment && moment <= to;
  await until(
    `${moment} can be restored`,
    async () => {
      seen = await recoveryOf(base);
      return seen.windows.some(holds);
    },
    longMs,
  ).catch(async (error: unknown) => {
    const runs = await berth.call<RunView[] & Record<string, unknown>>('backup.runsByDatabase', {
      databaseId: base.id,
    });
    const logs = await Promise.all(runs.map(({ backupRunId }) => logOf(berth, backupRunId)));
    throw new Error(`${JSON.stringify(seen)}\n${logs.join('\n')}`, { cause: error });
  });
  if (!seen) throw new Error('It was never seen.');
  return seen;
}

const now = async (base: Base): Promise<string> =>
  new Date(
    Number(await sql(berth, base, 'select extract(epoch from clock_timestamp()) * 1000')),
  ).toISOString();

async function restoreTo(base: Base, at: string): Promise<RunView> {
  const { backupRunId } = await berth.call<{ backupRunId: string }>('backup.restoreToMoment', {
    postgresId: base.id,
    at,
  });
  let run: RunView | undefined;
  await until(
    'the restore has ended',
    async () => {
      const runs = await berth.call<RunView[] & Record<string, unknown>>('backup.runsByDatabase', {
        databaseId: base.id,
      });
      run = runs.find((one) => one.backupRunId === backupRunId && ['done', 'error'].includes(one.status));
      return run !== undefined;
    },
    longMs,
  );
  if (run?.status !== 'done') throw new Error(await logOf(berth, backupRunId));
  return run;
}

const { below: random } = createRandom(seed);

/**
 * Some 500 rows a second, each in a transaction of its own; after the row `pause` nothing is written for
 * half a second. Gives a moment within that pause.
 */
async function writeRows(base: Base, table: string, rows: number, pause: number): Promise<string> {
  await sql(berth, base, `create table ${table} (id int primary key, at timestamptz)`);
  await sql(
    berth,
    base,
    `do $$ begin for i in 1..${rows} loop insert into ${table} values (i, clock_timestamp()); commit;
      perform pg_sleep(case when i = ${pause} then 0.5 else 0.001 end); end loop; end $$`,
  );
  const at = await sql(
    berth,
    base,
    `select (extract(epoch from at) - 0.1) * 1000 from ${table} where id = ${pause + 1}`,
  );
  return new Date(Number(at)).toISOString();
}

async function recovered(name: string, image: string): Promise<Base> {
  const base = await fixture.databases.database('postgres', name, { containerImage: image });
  await base.deploy();
  await sql(berth, base, 'create table before as select * from generate_series(1, 1000) as id');
  await berth.call('backup.setRecovery', { postgresId: base.id, destinationId: fixture.destinationId });
  await until(`${name} has a window`, async () => (await recoveryOf(base)).windows.length > 0, longMs);
  return base;
}

async function expectRestored(base: Base, table: string): Promise<void> {
  const rows = 300 + random(700);
  const pause = 100 + random(rows - 200);
  const moment = await writeRows(base, table, rows, pause);
  await sql(berth, base, `drop table ${table}; drop table before`);
  await restorable(base, moment);
  const run = await restoreTo(base, moment);
  expect(run.previousVolume).toEqual(expect.any(String));
  expect(await sql(berth, base, `select count(*), max(id) from ${table}`)).toBe(`${pause}|${pause}`);
  expect(await sql(berth, base, 'select count(*) from before')).toBe('1000');
  // It takes writes, under the password of the record, and with no setting of the recovery left.
  await sql(berth, base, `insert into ${table} values (0, now())`);
  expect(await sql(berth, base, 'show restore_command')).toBe('');
  // It is protected again without anybody's doing.
  const restoredAt = run.steps.at(-1)?.finishedAt ?? '';
  const isAgain = async (): Promise<boolean> =>
    (await recoveryOf(base)).windows.some(({ from }) => from > restoredAt);
  await until('what follows can be restored', isAgain, longMs);
  const time = run.steps.map(
    (step) => `${step.name} ${(Date.parse(step.finishedAt ?? '') - Date.parse(step.startedAt)) / 1000} s`,
  );
  console.log(`${table} restored to ${moment}: ${time.join(', ')}`);
}

it.concurrent.each([
  ['fifteen', 'berth/postgres:15', isLong ? 28 : 2],
  ...(isLong ? [['seventeen', 'berth/postgres:17', 1] as const] : []),
  ['eighteen', 'berth/postgres:18', 1],
] as const)(
  'a dropped table comes back as it was the second before: %s',
  async (name, image, times) => {
    const base = await recovered(name, image);
    for (let turn = 0; turn < times; turn += 1) await expectRestored(base, `rows_${turn}`);
  },
  isLong ? 40 * 60_000 : 15 * 60_000,
);

interface Branch {
  databaseId: string;
  status: string;
  errorMessage: string | null;
}

async function branched(base: Base, input: object): Promise<Branch> {
  const { databaseId } = await berth.call<Branch>('backup.branch', { databaseId: base.id, ...input });
  let branch: Branch | undefined;
  await until(
    'the branch is made',
    async () => {
      const all = await berth.call<Branch[] & Record<string, unknown>>('backup.branches', { databaseId });
      branch = all.find((one) => one.databaseId === databaseId && one.status !== 'filling');
      return branch !== undefined;
    },
    longMs,
  );
  if (!branch) throw new Error('It was never seen.');
  return branch;
}

it.concurrent(
  'a branch of a moment has its rows masked, and one whose masking fails cannot be deployed',
  async () => {
    const base = await recovered('branched', 'berth/postgres:15');
    await sql(berth, base, "create table people as select id, 'real' as name from generate_series(1, 9) id");
    const at = await now(base);
    await restorable(base, at);
    const mask = "update people set name = 'masked'";
    const branch = await branched(base, { name: 'test', at, mask });
    expect(branch).toMatchObject({ status: 'ready', errorMessage: null });
    const view = (): ReturnType<Base['view']> =>
      berth.call('postgres.one', { postgresId: branch.databaseId });
    const masked = await sql(berth, { ...base, view }, 'select name, count(*) from people group by 1');
    expect(masked).toBe('masked|9');
    expect(await sql(berth, base, "select count(*) from people where name = 'real'")).toBe('9');
    const failed = await branched(base, { name: 'failed', at, mask: 'update nothing set name = 1' });
    expect(failed).toMatchObject({ status: 'failed', errorMessage: expect.stringContaining('nothing') });
    expect(await berth.ask('postgres.deploy', { postgresId: failed.databaseId })).toMatchObject({
      status: 412,
    });
  },
  15 * 60_000,
);

it.concurrent(
  'what cannot be restored is refused with what can',
  async () => {
    const base = await recovered('refused', 'berth/postgres:15');
    const { windows } = await recoveryOf(base);
    for (const at of ['2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z'])
      expect(await berth.ask('backup.restoreToMoment', { postgresId: base.id, at })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(windows[0]?.from ?? 'nothing') },
      });
  },
  longMs,
);

/** Writes for some seconds, each row in a transaction of its own; a kill may end it. */
async function writeOn(base: Base): Promise<void> {
  const rows = `do $$ begin for i in 1..4000 loop insert into rows values (clock_timestamp()); commit;
    perform pg_sleep(0.001); end loop; end $$`;
  await sql(berth, base, rows).catch(() => '');
}

describe('kills at random moments leave no hole that is not told', () => {
  const killContainer = async (label: string): Promise<void> => {
    const [container] = await dockerOf(berth.services).containers(label);
    if (container !== undefined) await berth.host.exec(['/usr/bin/docker', 'kill', container]);
  };
  const kills: Record<string, (base: Base) => Promise<void>> = {
    stream: () => killContainer('berth.role=recovery'),
    database: async (base) => killContainer(`com.docker.swarm.service.name=${(await base.view()).appName}`),
    async berth() {
      await berth.kill();
      await berth.start();
    },
    async destination() {
      await fixture.s3.kill();
      await delay(random(20_000));
      await fixture.s3.start();
    },
  };
  const counted = async (base: Base): Promise<number> =>
    Number(await sql(berth, base, 'select count(*) from rows').catch(() => NaN));

  it.each([
    ...(isLong ? [['fifteen', 'berth/postgres:15'] as const] : []),
    ['eighteen', 'berth/postgres:18'],
  ] as const)(
    'of the stream, the database, Berth and the destination: %s',
    async (name, image) => {
      const base = await recovered(`killed-${name}`, image);
      await sql(berth, base, 'create table rows (at timestamptz)');
      const moments: { at: string; count: number }[] = [];
      for (const kind of Object.keys(kills).flatMap((one) => Array<string>(isLong ? 15 : 1).fill(one))) {
        const writing = writeOn(base);
        await delay(random(5000));
        await kills[kind]?.(base);
        await writing;
        await until('the database answers', async () => (await counted(base)) >= 0, longMs);
        moments.push({ count: await counted(base), at: await now(base) });
      }
      const last = moments.at(-1);
      const chosen = moments[random(moments.length)];
      if (!last || !chosen) throw new Error('Nothing was killed.');
      const { windows, holes } = await restorable(base, last.at);
      // Windows and holes alternate: whatever is between two windows is told.
      expect(holes.length).toBeGreaterThanOrEqual(windows.length - 1);
      const isLost = ({ at }: { at: string }): boolean =>
        !windows.some(({ from, to }) => from <= at && at <= to);
      expect(!moments.some(isLost) || holes.length > 0).toBe(true);
      const { at, count } = isLost(chosen) ? last : chosen;
      await restoreTo(base, at);
      expect(await counted(base)).toBe(count);
      console.log(`${name}: ${moments.length} kills, ${count} rows of ${at}, holes ${JSON.stringify(holes)}`);
    },
    isLong ? 60 * 60_000 : 15 * 60_000,
  );
});

it(
  'a quota that is reached is told, stops no write, and leaves no hole once there is room',
  async () => {
    const base = await recovered('limited', 'berth/postgres:18');
    const { organizationId } = await berth.call<{ organizationId: string }>('user.get', {});
    const { used } = await berth.call<{ used: { backupBytes: number } }>('organization.usage', {
      organizationId,
    });
    const { storedBytes } = await recoveryOf(base);
    expect(storedBytes).toBeGreaterThan(0);
    expect(used.backupBytes).toBeGreaterThanOrEqual(storedBytes);
    // Segments before the base backup are still removed; so little is there in any case.
    await berth.call('organization.setQuota', { organizationId, backupBytes: 1 });
    await sql(berth, base, 'create table late as select * from generate_series(1, 1000) as id');
    const moment = await now(base);
    let seen: Recovery | undefined;
    await until(
      'the quota is told',
      async () => {
        seen = await recoveryOf(base);
        return seen.problem?.includes('the logs of recoveries') === true;
      },
      longMs,
    ).catch((error: unknown) => {
      throw new Error(JSON.stringify({ seen, used }), { cause: error });
    });
    await sql(berth, base, 'insert into late values (0)');
    expect((await recoveryOf(base)).windows.at(-1)?.to ?? '').toMatch(/^2/);
    await berth.call('organization.setQuota', { organizationId, backupBytes: null });
    expect((await restorable(base, moment)).holes).toEqual([]);
  },
  15 * 60_000,
);

it('the log of Berth stays calm', () => expectCalmLog(berth));
