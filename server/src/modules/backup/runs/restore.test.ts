import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { databaseServers, tablesDump } from '../../../../../test/backups/database-servers.ts';
import { addStored, runWorld, storeInMemory } from '../../../../../test/backups/run-world.ts';
import type { DiskRoom } from '../../../domain/resources/free-disk.ts';
import type { BackupRunRecord } from '../store.ts';
import { withNotes } from '../in-place/object-notes.ts';
import { systemClock } from '../../../ports/clock.ts';
import { createPutBack } from './put-back.ts';
import { besideOf, createRestoring } from './restore.ts';

const path = 'shop/one.dump.gz';

/** An object that a backup stored, and a run that restores it. */
function world(change: Partial<BackupRunRecord> = {}, dump = tablesDump('orders', 'people')) {
  const [servers, store, run] = [databaseServers(), storeInMemory(), runWorld()];
  // One that never ran is restored on a volume of its own.
  Object.assign(servers, { isRunning: false, neverRan: true });
  run.add({ ...change, operation: 'restore', ...change });
  addStored(run, store, path, dump);
  const room: { disk: DiskRoom | undefined } = { disk: undefined };
  const operations = createRestoring({
    ...servers,
    clock: systemClock,
    runs: run.reads,
    openStore: async () => store,
    disk: async () => room.disk,
  });
  return {
    ...run,
    servers,
    store,
    room,
    operations,
    restore: (options?: Parameters<typeof run.work>[1]) => run.work(operations.restore, options),
    fresh: besideOf(run.runs.get('run-1') ?? { ...plain, ...change }),
  };
}

const plain = { backupRunId: 'run-1', databaseId: 'd' } as BackupRunRecord;
const stepsOf = ({ steps }: BackupRunRecord) =>
  steps.map(({ name, status, detail }) => [name, status, detail]);

it('changes over to a new volume with what the object holds, and keeps the former one', async () => {
  const { restore, servers, fresh, lines } = world();
  const run = await restore();
  expect(run).toMatchObject({ status: 'done', previousVolume: 'first' });
  expect(servers.current).toBe(fresh.volume);
  expect(servers.volumes.get(fresh.volume)?.databases).toEqual(new Map([['shop', ['orders', 'people']]]));
  expect(servers.volumes.get('first')?.databases).toEqual(new Map([['shop', ['orders']]]));
  expect(servers.servers).toEqual(new Map());
  expect(stepsOf(run)).toEqual([
    ['find', 'done', expect.stringMatching(/^\d+ bytes of 2026-01-01$/)],
    ['beside', 'done', `postgres:17 as ${fresh.service}`],
    ['load', 'done', expect.stringMatching(/^\d+ bytes, SHA-256 [0-9a-f]{64}$/)],
    ['check', 'done', '2 tables'],
    ['change over', 'done', `runs on ${fresh.volume}; the previous state is kept in first`],
  ]);
  expect(lines.at(-1)).toBe('Done.');
});

it('restores inside the running server, touches nothing else there, and keeps what was before', async () => {
  const { restore, servers } = world();
  const own = servers.volumes.get('first');
  own?.databases.set('blog', ['posts']);
  own?.roles.add('writer');
  servers.isRunning = true;
  const run = await restore();
  expect(run).toMatchObject({ status: 'done', previousVolume: null, previousDatabase: 'berth_before_run-1' });
  expect(own?.databases).toEqual(
    new Map([
      ['shop', ['orders', 'people']],
      ['blog', ['posts']],
      ['berth_before_run-1', ['orders']],
    ]),
  );
  expect([servers.current, servers.servers.size, [...servers.volumes.keys()]]).toEqual([
    'first',
    0,
    ['first'],
  ]);
  expect(stepsOf(run)).toEqual([
    ['find', 'done', expect.stringMatching(/^\d+ bytes of 2026-01-01$/)],
    ['load', 'done', expect.stringMatching(/^\d+ bytes, SHA-256 [0-9a-f]{64}$/)],
    ['check', 'done', '2 tables'],
    ['change over', 'done', 'the previous state is kept in the database berth_before_run-1'],
  ]);
});

it('makes the roles first that the object names', async () => {
  const { restore, servers, store, runs } = world();
  servers.isRunning = true;
  const parts: Uint8Array[] = [];
  const packed = (async function* once() {
    yield gzipSync(tablesDump('orders'));
  })();
  for await (const part of withNotes('{"roles":[]}', packed)) parts.push(part);
  store.objects.set(path, Buffer.concat(parts));
  const made = runs.get('run-2');
  if (made)
    made.checksum = createHash('sha256')
      .update(store.objects.get(path) ?? '')
      .digest('hex');
  expect(await restore()).toMatchObject({ status: 'done' });
  expect(servers.volumes.get('first')?.roles).toEqual(new Set(['shop', '{"roles":[]}']));
});

it('starts a stopped database for its restore, and stops it again', async () => {
  const { restore, servers } = world();
  servers.neverRan = false;
  servers.volumes.get('first')?.databases.set('blog', ['posts']);
  expect(await restore()).toMatchObject({ status: 'done', previousDatabase: 'berth_before_run-1' });
  expect(servers.starts).toEqual(['started', 'stopped']);
  expect(servers.volumes.get('first')?.databases.get('blog')).toEqual(['posts']);
});

it.each([
  ['does not load', 'no dump', /does not appear to be a valid archive/],
  ['is empty', '', /is empty: it would restore nothing|valid archive/],
])('leaves the running server as it was when the object %s', async (_, dump, words) => {
  const { restore, servers } = world({}, dump);
  servers.isRunning = true;
  expect(await restore()).toMatchObject({
    status: 'error',
    errorMessage: expect.stringMatching(words),
    previousDatabase: null,
  });
  expect(servers.volumes.get('first')?.databases).toEqual(new Map([['shop', ['orders']]]));
});

it('goes on after a restart once the restored database has its name', async () => {
  const { restore, servers, store } = world();
  servers.isRunning = true;
  servers.volumes.get('first')?.databases.set('berth_before_run-1', ['orders']).set('shop', ['restored']);
  store.objects.clear();
  expect(await restore({ attempts: 2 })).toMatchObject({ status: 'done' });
  expect(servers.volumes.get('first')?.databases.get('shop')).toEqual(['restored']);
  expect(servers.opened).toBeGreaterThan(0);
});

it('removes what an attempt before a restart left in the running server, and keeps none', async () => {
  const { restore, servers, store } = world({ previousDatabase: 'berth_before_run-1' });
  servers.isRunning = true;
  servers.volumes.get('first')?.databases.set('berth_restoring_run-1', ['half']);
  store.find = async () => undefined;
  expect(await restore({ attempts: 2 })).toMatchObject({ status: 'error', previousDatabase: null });
  expect(servers.volumes.get('first')?.databases).toEqual(new Map([['shop', ['orders']]]));
  expect(servers.opened).toBeGreaterThan(0);
});

it('stops a stopped database again when its restore fails', async () => {
  const { restore, servers } = world({}, 'no dump');
  servers.neverRan = false;
  expect(await restore()).toMatchObject({ status: 'error' });
  expect(servers.starts).toEqual(['started', 'stopped']);
  expect(servers.volumes.get('first')?.databases).toEqual(new Map([['shop', ['orders']]]));
});

it('makes a database that the server does not make by itself', async () => {
  const { restore, servers, fresh } = world({ database: 'old' });
  expect(await restore()).toMatchObject({ status: 'done' });
  expect(servers.volumes.get(fresh.volume)?.databases.get('old')).toEqual(['orders', 'people']);
});

it('tries an object out and leaves nothing of that', async () => {
  const { work, operations, servers, fresh } = world({ operation: 'verification' });
  const run = await work(operations.verification);
  expect(run).toMatchObject({ status: 'done' });
  expect(stepsOf(run).map(([name]) => name)).toEqual(['find', 'beside', 'load', 'check', 'tidy']);
  expect([servers.current, servers.servers.size, servers.volumes.has(fresh.volume)]).toEqual([
    'first',
    0,
    false,
  ]);
});

it.each([
  ['absent', { objects: new Map() }, /There is no object shop\/one\.dump\.gz at the destination/],
  ['damaged', { reads: gzipSync('cut').subarray(0, 12) }, /The object is damaged/],
  [
    'another one',
    { reads: gzipSync(tablesDump('evil')) },
    /is not the one that was stored: its checksum differs/,
  ],
  [
    'another one that does not load',
    { reads: gzipSync('evil') },
    /its checksum differs. Choose another backup/,
  ],
])('takes no object that is %s, and changes nothing', async (_, change, sentence) => {
  const { restore, servers, store, fresh } = world();
  Object.assign(store, change);
  if ('objects' in change) store.find = async () => undefined;
  expect(await restore()).toMatchObject({ status: 'error', errorMessage: expect.stringMatching(sentence) });
  expect([servers.current, servers.servers.size, servers.volumes.has(fresh.volume)]).toEqual([
    'first',
    0,
    false,
  ]);
});

it.each([
  ['that nobody has a record of', 'theirs.dump.gz', true],
  ['of its own', path, false],
])('loads an object %s into a server without network first: %s', async (_, object, isForeign) => {
  const { restore, servers, store, runs, lines } = world();
  servers.isRunning = true;
  store.objects.set('theirs.dump.gz', store.objects.get(path) ?? Buffer.alloc(0));
  const run = runs.get('run-1');
  if (run) run.path = object;
  const alone: boolean[] = [];
  const { output } = servers.programs;
  servers.programs.output = (server, program, options) => {
    alone.push(program.isAlone ?? false);
    return output(server, program, options);
  };
  expect(await restore()).toMatchObject({ status: 'done' });
  expect(servers.volumes.get('first')?.databases.get('shop')).toEqual(['orders', 'people']);
  expect(alone.includes(true)).toBe(isForeign);
  expect(lines.some((line) => line.includes('did not make the object'))).toBe(isForeign);
});

it('runs nothing of an object that is no longer the one that was stored', async () => {
  const { restore, servers, store } = world();
  servers.isRunning = true;
  store.objects.set(path, gzipSync(tablesDump('evil')));
  const loaded: string[] = [];
  servers.programs.output = (_, { argv }) => {
    loaded.push(argv[0]);
    throw new Error('Nothing may be loaded.');
  };
  expect(await restore()).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('its checksum differs'),
  });
  expect(loaded).toEqual([]);
});

it('says what the program said of an object that is whole', async () => {
  const { restore } = world({}, 'no dump');
  expect(await restore()).toMatchObject({
    status: 'error',
    errorMessage: 'pg_restore ended with the exit code 1: input file does not appear to be a valid archive',
  });
});

it('begins only where there is room for what the dump held, and not only for the object', async () => {
  const dump = tablesDump(...Array.from({ length: 500 }, (_, at) => `table${at % 3}`));
  const { restore, room, servers, store } = world({}, dump);
  const size = store.objects.get(path)?.length ?? 0;
  room.disk = { free: size * 2, kept: 0 };
  const run = await restore();
  expect(run).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('Nothing was changed.'),
  });
  expect(run.errorMessage).toContain('the restored database needs 4.4 KiB');
  expect(servers.servers.size).toBe(0);
});

it('does not take a server for restored that does not answer what it holds', async () => {
  const { restore, servers } = world();
  servers.count = 'ERROR';
  expect(await restore()).toMatchObject({
    status: 'error',
    errorMessage: 'The tables of the restored database could not be counted.',
  });
  expect(servers.current).toBe('first');
});

it('leaves the database where it was when it does not come up on the new volume', async () => {
  const { restore, servers, fresh } = world();
  servers.refusesChange = true;
  expect(await restore()).toMatchObject({
    status: 'error',
    errorMessage: 'The data was not accepted.',
    previousVolume: null,
  });
  expect([servers.current, servers.volumes.has(fresh.volume)]).toEqual(['first', false]);
});

it('goes on with a change that had begun before a restart, without loading again', async () => {
  const { restore, servers, fresh, store, runs } = world({ previousVolume: 'first' });
  servers.current = fresh.volume;
  servers.volumes.set(fresh.volume, { databases: new Map([['shop', ['restored']]]), roles: new Set() });
  store.objects.clear();
  expect(await restore({ attempts: 2 })).toMatchObject({ status: 'done', previousVolume: 'first' });
  expect(servers.volumes.get(fresh.volume)?.databases.get('shop')).toEqual(['restored']);
  expect(runs.get('run-1')?.steps.map(({ name }) => name)).toEqual(['change over']);
});

it('restores nothing into a database that is gone', async () => {
  const { restore } = world({ databaseId: null });
  expect(await restore()).toMatchObject({ errorMessage: 'The database of this run no longer exists.' });
});

it('notes at the object that it was restored on trial', async () => {
  const { work, operations, runs } = world({ operation: 'verification' });
  expect(await work(operations.verification)).toMatchObject({ status: 'done' });
  expect(runs.get('run-2')).toMatchObject({ operation: 'backup', restoredAt: expect.any(String) });
});

it('puts back the database that a restore replaced, and undoes that as well', async () => {
  const { restore, servers, runs, reads, add, work } = world();
  servers.isRunning = true;
  const own = servers.volumes.get('first')?.databases;
  await restore();
  const putBack = createPutBack({ ...servers, runs: reads, services: noServices });
  const back = add({ operation: 'return', path: 'berth_before_run-1' });
  expect(await work(putBack, { runId: back.backupRunId })).toMatchObject({
    status: 'done',
    previousDatabase: 'berth_before_run-3',
  });
  expect(own?.get('shop')).toEqual(['orders']);
  expect(own?.get('berth_before_run-3')).toEqual(['orders', 'people']);
  expect(runs.get('run-1')).toMatchObject({ previousDatabase: null });
  // After a kill behind the change the run ends as done, too.
  runs.set(back.backupRunId, { ...back, status: 'running' });
  expect(await work(putBack, { runId: back.backupRunId, attempts: 2 })).toMatchObject({ status: 'done' });
  const again = add({ operation: 'return', path: 'berth_before_run-3' });
  await work(putBack, { runId: again.backupRunId });
  expect(own?.get('shop')).toEqual(['orders', 'people']);
  const gone = add({ operation: 'return', path: 'berth_before_run-1' });
  expect(await work(putBack, { runId: gone.backupRunId })).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('has no database berth_before_run-1 any more'),
  });
});

it('puts back the volume that a restore replaced, and stays where it is when it cannot', async () => {
  const { restore, servers, runs, reads, add, work, fresh } = world();
  await restore();
  const putBack = createPutBack({ ...servers, runs: reads, services: noServices });
  const back = add({ operation: 'return', path: 'first', database: '' });
  expect(await work(putBack, { runId: back.backupRunId })).toMatchObject({ previousVolume: fresh.volume });
  expect(servers.current).toBe('first');
  expect(runs.get('run-1')).toMatchObject({ previousVolume: null });
  servers.refusesChange = true;
  const refused = add({ operation: 'return', path: fresh.volume, database: '' });
  expect(await work(putBack, { runId: refused.backupRunId })).toMatchObject({
    status: 'error',
    previousVolume: null,
  });
  expect(servers.current).toBe('first');
});

// No volume of a service is restored here.
const noServices = {} as Parameters<typeof createPutBack>[0]['services'];
