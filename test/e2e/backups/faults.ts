/** What may go wrong with a backup or a restore: each a clear error, nothing half listed, nothing lost. */
import { open } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { dockerOf } from '../../bed/docker.ts';
import type { BerthHost } from '../fixtures/berth-host.ts';
import type { Base } from '../databases/database-fixture.ts';
import { volumes } from '../databases/life.ts';
import { output, until } from '../fixtures/applications.ts';
import {
  backUp,
  contentOf,
  destinationOf,
  docker,
  fillRows,
  keep,
  listed,
  restore,
  sql,
  type Kept,
  type RunView,
  type BackupFixture,
} from './backup-fixture.ts';

/** The longest pause, in milliseconds, between looks at what is there only for a moment. */
const passingMs = 100;

/** Another destination with another reason to fail. */
async function keepElsewhere(
  fixture: BackupFixture,
  base: Base,
  name: string,
  destination: Record<string, unknown>,
): Promise<Kept> {
  const { destinationId } = await fixture.berth.call<{ destinationId: string }>('destination.create', {
    name,
    ...destination,
  });
  return keep({ ...fixture, destinationId }, base);
}

async function expectFailure(kept: Kept, says: RegExp, step: string): Promise<void> {
  expect(await kept.manual()).toMatchObject({
    status: expect.toBeOneOf([412, 503]),
    body: { message: expect.stringMatching(says) },
  });
  const [run] = await kept.runs();
  expect(run).toMatchObject({ status: 'error', isStored: false, errorMessage: expect.stringMatching(says) });
  expect(run?.steps.filter(({ status }) => status === 'error').map(({ name }) => name)).toEqual([step]);
}

/** The services beside a database and the containers of its runs that backups and restores may have left. */
async function leftBy({ services: machine, call }: BerthHost, { id }: Base): Promise<string> {
  let runs: RunView[] = [];
  // A trial of what was stored last may still run.
  await until('nothing of it runs', async () => {
    runs = await call<RunView[] & Record<string, unknown>>('backup.runsByDatabase', { databaseId: id });
    return runs.every(({ status }) => status === 'done' || status === 'error');
  });
  const services = await dockerOf(machine).services(`berth.restore=${id}`);
  const containers = await output(
    machine,
    docker,
    'ps',
    '--all',
    '--format',
    '{{.Label "berth.backup-run"}}',
    '--filter',
    'label=berth.backup-run',
  );
  return `${services.join()}${containers
    .split('\n')
    .filter((one) => runs.some(({ backupRunId }) => backupRunId === one))
    .join()}`;
}

export function faultTests(place: () => BackupFixture): void {
  it('wrong keys, an absent bucket and a full disk are each told, and nothing is stored', async () => {
    const fixture = place();
    const { berth, databases, s3 } = fixture;
    const base = await databases.database('postgres', 'faulty');
    await base.deploy();
    await fillRows(berth, base, 100_000);
    await expectFailure(
      await keepElsewhere(fixture, base, 'wrong', {
        ...destinationOf(s3),
        secretAccessKey: 'wrong-secret-key',
      }),
      /does not accept the keys/,
      'upload',
    );
    await expectFailure(
      await keepElsewhere(fixture, base, 'nowhere', { ...destinationOf(s3), bucket: 'nowhere' }),
      /there is no bucket nowhere/,
      'upload',
    );
    await output(berth.host, 'mkdir', '-p', '/srv/small');
    await output(berth.host, 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'small', '/srv/small');
    const small = await keepElsewhere(fixture, base, 'small', { provider: 'local', path: '/srv/small' });
    await expectFailure(small, /its disk is full/, 'upload');
    expect(await output(berth.host, 'find', '/srv/small', '-type', 'f')).toBe('');
    expect(await listed(fixture, base.id)).toEqual([]);
    expect(
      await berth.ask('destination.testConnection', {
        ...destinationOf(s3),
        secretAccessKey: 'wrong-secret-key',
      }),
    ).toMatchObject({ status: 412, body: { message: expect.not.stringContaining('wrong-secret-key') } });
    expect(await berth.call('destination.testConnection', destinationOf(s3))).toEqual({ success: true });
  });

  it('a dump that fails in its middle is no backup, and the last good one stays', async () => {
    const fixture = place();
    const { berth, databases } = fixture;
    const base = await databases.database('postgres', 'cut');
    await base.deploy();
    await fillRows(berth, base, 10_000);
    await sql(
      berth,
      base,
      `insert into items select 0, string_agg(md5(i::text), ''), 0, now() from generate_series(1, 1000) i`,
    );
    const kept = await keep(fixture, base, { keepLatestCount: 1 });
    const good = await backUp(kept);
    const release = await holdLongValues(berth, base);
    const failing = kept.manual();
    await until(
      'the dump waits in its middle',
      async () =>
        (await sql(
          berth,
          base,
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pg_dump' ` +
            `and query like 'COPY%' and wait_event_type = 'Lock'`,
        )) === 't',
      120_000,
    );
    await release();
    expect(await failing).toMatchObject({
      status: 412,
      body: { message: expect.stringMatching(/pg_dump ended with the exit code 1: .*terminat/) },
    });
    const [run] = await kept.runs();
    expect(run?.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'dump error',
      'compress stopped',
      'upload stopped',
    ]);
    expect(await listed(fixture, base.id)).toEqual([good.path]);
    // The next one is good again, and only now the former goes.
    const next = await backUp(kept);
    expect(await listed(fixture, base.id)).toEqual([next.path]);
  });

  it('a damaged object does not reach the running database', async () => {
    const fixture = place();
    const { berth, databases, s3 } = fixture;
    const base = await databases.database('postgres', 'spoilt');
    await base.deploy();
    await fillRows(berth, base, 10_000);
    const run = await backUp(await keep(fixture, base));
    const before = await contentOf(berth, base);
    const { containerId } = await containerOf(berth, base);
    await spoil(s3.fileOf(`all/${run.path}`));
    const spoilt = await restore(fixture, base, run.path);
    expect(spoilt.success).toBe(false);
    expect(spoilt.log.join('\n')).toMatch(
      /Failed: (The object is damaged|The object .* is not the one that was stored)/,
    );
    expect(await restore(fixture, base, 'none/at-all.dump.gz')).toMatchObject({
      success: false,
      log: expect.arrayContaining([expect.stringContaining('There is no object none/at-all.dump.gz')]),
    });
    expect(await contentOf(berth, base)).toBe(before);
    expect(await containerOf(berth, base)).toEqual({ containerId });
    expect(await leftBy(berth, base)).toBe('');
    expect(await volumes(fixture, base)).toEqual([`berth-data-${base.id}`]);
  });
}

/**
 * Lets whoever copies the table wait at its first value that is too long for a row, until the returned
 * function is called: the index of such values is locked.
 */
async function holdLongValues(berth: BerthHost, base: Base): Promise<() => Promise<void>> {
  const holding = sql(
    berth,
    base,
    `do $$ begin execute (select 'reindex index ' || indexrelid::regclass from pg_index where indrelid ` +
      `= (select reltoastrelid from pg_class where relname = 'items')); perform pg_sleep(110); end $$`,
  ).catch(() => undefined);
  await until(
    'the index is locked',
    async () =>
      (await sql(
        berth,
        base,
        `select count(*) from pg_locks where mode = 'AccessExclusiveLock' and granted`,
      )) !== '0',
  );
  return async () => {
    await sql(
      berth,
      base,
      `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`,
    );
    await holding;
  };
}

/** Turns bytes in the middle of a file over. */
async function spoil(path: string): Promise<void> {
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  await file.write(Buffer.alloc(64, 0xa5), 0, 64, Math.floor(size / 2));
  await file.close();
}

async function containerOf({ services }: BerthHost, base: Base): Promise<{ containerId: string }> {
  const { appName } = await base.view();
  return { containerId: (await dockerOf(services).containersOf(appName)).join() };
}

/** The newest run, when it has ended. */
async function endOf(runs: () => Promise<RunView[]>): Promise<RunView> {
  const isOver = (run: RunView | undefined): run is RunView =>
    run?.status === 'done' || run?.status === 'error';
  await until('the run has ended', async () => isOver((await runs())[0]), 180_000);
  const [run] = await runs();
  if (!isOver(run)) throw new Error('Another run began.');
  return run;
}

/** These end servers and Berth itself, so nothing else may run beside them. */
export function killTests(place: () => BackupFixture): void {
  let base: Base;
  let kept: Kept;
  let before = '';

  it('an S3 server killed in the middle of the upload is told, and no half backup is listed', async () => {
    const fixture = place();
    const { berth, databases, s3 } = fixture;
    base = await databases.database('postgres', 'killed');
    await base.deploy();
    // Incompressible, and more than a part of an upload holds.
    await sql(
      berth,
      base,
      `create table items as select i as id, (select string_agg(encode(sha512((i || ' ' || j || ` +
        `random())::bytea), 'base64'), '') from generate_series(1, 600) j) as name, i % 97 as amount from ` +
        'generate_series(1, 1000) i; create view dear as select * from items where amount > 90',
    );
    // Its one row is the first that is loaded, and waits: nearly all of the object is unread then.
    await sql(
      berth,
      base,
      'create table a_pause (id int check (pg_sleep(2) is not null)); insert into a_pause values (1)',
    );
    before = await contentOf(berth, base);
    kept = await keep(fixture, base, { keepLatestCount: 1 });
    const { length } = await s3.files();
    const failing = kept.manual();
    await until(
      'a part of the upload is there',
      async () => (await s3.files()).length > length,
      60_000,
      passingMs,
    );
    await s3.kill();
    expect(await failing).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('cannot be reached') },
    });
    await s3.start();
    expect(await listed(fixture, base.id)).toEqual([]);
    expect((await kept.runs())[0]).toMatchObject({ status: 'error', isStored: false });
  });

  it('Berth killed in the middle of a backup makes it after its restart, and says so', async () => {
    const fixture = place();
    const { berth, s3 } = fixture;
    const { length } = await s3.files();
    const lost = kept.manual().catch(() => undefined);
    await until(
      'a part of the upload is there',
      async () => (await s3.files()).length > length,
      60_000,
      passingMs,
    );
    await berth.kill();
    await lost;
    await berth.start();
    const run = await endOf(kept.runs);
    expect(run).toMatchObject({ status: 'done', isStored: true });
    expect(await kept.log(run.backupRunId)).toMatch(
      /Berth was restarted during the step upload; starting over \(attempt 2 of 3\)/,
    );
    expect(await listed(fixture, base.id)).toEqual([run.path]);
    expect((await s3.files()).filter((path) => path.includes('.part.'))).toEqual([]);
    expect(await leftBy(berth, base)).toBe('');
  });

  it('an S3 server that is killed in the middle of a restore is told, and the database runs on', async () => {
    const fixture = place();
    const { berth, s3 } = fixture;
    const [good = ''] = await listed(fixture, base.id);
    const restoring = restore(fixture, base, good);
    await until(
      'it loads',
      async () =>
        (
          await berth.call<RunView[] & Record<string, unknown>>('backup.runsByDatabase', {
            databaseId: base.id,
          })
        )[0]?.steps.some(({ name, status }) => name === 'load' && status === 'running'),
      90_000,
      passingMs,
    );
    await s3.kill();
    const { success, log } = await restoring;
    await s3.start();
    expect(success).toBe(false);
    expect(log.join('\n')).toMatch(/Failed: .*(cannot be reached|bytes of)/);
    expect(await contentOf(berth, base)).toBe(before);
    expect(await leftBy(berth, base)).toBe('');
  });

  // The change over of PostgreSQL is too short to be met; restore.test.ts goes on after it.
  it.each(['load'])('Berth killed in the step %s of a restore ends it after its restart', async (step) => {
    const fixture = place();
    const { berth } = fixture;
    const [good = ''] = await listed(fixture, base.id);
    await sql(berth, base, `delete from items where id % 2 = 0`);
    const lost = restore(fixture, base, good).catch(() => undefined);
    const runs = (): Promise<RunView[]> =>
      berth.call<RunView[] & Record<string, unknown>>('backup.runsByDatabase', { databaseId: base.id });
    await until(
      `the restore is in the step ${step}`,
      async () => (await runs())[0]?.steps.some(({ name, status }) => name === step && status === 'running'),
      90_000,
      passingMs,
    );
    await berth.kill();
    await lost;
    await berth.start();
    const run = await endOf(runs);
    expect(run, await kept.log(run.backupRunId)).toMatchObject({
      status: 'done',
      previousDatabase: expect.stringContaining('berth_before_'),
    });
    expect(await kept.log(run.backupRunId)).toContain(`Berth was restarted during the step ${step}`);
    expect(await contentOf(berth, base)).toBe(before);
    expect(await leftBy(berth, base)).toBe('');
    expect(await base.view()).toMatchObject({ applicationStatus: 'done' });
  });
}
