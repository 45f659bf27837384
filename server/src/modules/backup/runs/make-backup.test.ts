import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { runWorld, storeInMemory } from '../../../../../test/backups/run-world.ts';
import { AppError } from '../../../domain/errors.ts';
import { decrypted, newKeyPair } from '../../../domain/secrets/age.ts';
import type { BackupRecord, BackupRunRecord } from '../store.ts';
import { makeBackup, tidyBackup } from './make-backup.ts';
import type { Bytes } from './unpack/bytes.ts';

const path = 'shop/one.dump.gz';

async function* whole(): Bytes {
  yield Buffer.from('the whole ');
  yield Buffer.from('dump');
}

/** A run of a backup whose source gives what the test says. */
function world(change: Partial<BackupRunRecord> = {}) {
  const [store, run] = [storeInMemory(), runWorld()];
  // Of the record, no more is read.
  const backup = { backupId: 'b', sourceType: 'database', destinationId: 'disk', keepLatestCount: null };
  const state = {
    backup: backup as BackupRecord | undefined,
    dump: whole,
    quota: Infinity,
    keptFree: 0,
    good: 0,
    tidied: 0,
    shape: undefined as string | undefined,
    triedOut: 0,
  };
  const source = {
    ending: () => 'dump.gz',
    open: async () => ({
      title: 'the test',
      secrets: ['top-secret'],
      read: () => state.dump(),
      shape: async () => state.shape,
    }),
    tidy: async () => void (state.tidied += 1),
  };
  const making: Parameters<typeof makeBackup>[0] = {
    runs: run.reads,
    sources: { database: source, installation: source, volume: source, stream: source },
    backup: async () => state.backup,
    openStore: async () => store,
    keptFree: async () => state.keptFree,
    requireQuota: async (_, bytes) => {
      if (bytes > state.quota) throw new AppError('CONFLICT', 'There is no room for it.');
    },
    good: async () => void (state.good += 1),
    tryOut: async () => void (state.triedOut += 1),
  };
  run.add(change);
  return {
    ...run,
    store,
    state,
    keep: (count: number) => Object.assign(backup, { keepLatestCount: count }),
    make: (options?: Parameters<typeof run.work>[1]) =>
      run.work(
        { run: (context) => makeBackup(making, context), tidy: (left) => tidyBackup(making, left) },
        options,
      ),
  };
}

const stepsOf = ({ steps }: BackupRunRecord) => steps.map(({ name, status }) => `${name}: ${status}`);

it('stores the dump, compressed and read again, under its name', async () => {
  const { make, store, state } = world();
  const run = await make();
  expect([...store.objects.keys()]).toEqual([path]);
  expect(gunzipSync(store.objects.get(path) ?? '').toString()).toBe('the whole dump');
  expect(run).toMatchObject({
    status: 'done',
    isStored: true,
    bytes: 14,
    storedBytes: store.objects.get(path)?.length,
  });
  expect(stepsOf(run)).toEqual([
    'dump: done',
    'compress: done',
    'upload: done',
    'verify: done',
    'record: done',
  ]);
  expect(state.good).toBe(1);
});

it('encrypts for the recipients of the run, and tries nothing that it cannot open', async () => {
  const { recipient, identity } = await newKeyPair();
  const { make, store, state, lines } = world({ recipients: [recipient] });
  const run = await make();
  const object = store.objects.get(path) ?? Buffer.of();
  expect(object.toString('latin1', 0, 21)).toBe('age-encryption.org/v1');
  expect(run).toMatchObject({ status: 'done', isStored: true, bytes: 14, storedBytes: object.length });
  expect(run.checksum).toBe(createHash('sha256').update(object).digest('hex'));
  const opened = decrypted(store.read(path, new AbortController().signal), { identities: [identity] });
  expect(
    gunzipSync((await Array.fromAsync(opened)).reduce((all, part) => Buffer.concat([all, part]))).toString(),
  ).toBe('the whole dump');
  expect(state.triedOut).toBe(0);
  expect(lines.join()).toContain(`is encrypted for ${recipient}, and Berth has no private key of these`);
});

it('keeps nothing of a dump that breaks off, and hides what its words give away', async () => {
  const { make, store, state, lines } = world();
  state.dump = async function* broken() {
    yield Buffer.alloc(100_000, 1);
    throw new AppError('PRECONDITION_FAILED', 'the password top-secret is wrong');
  };
  const run = await make();
  expect(run).toMatchObject({ status: 'error', errorMessage: 'the password •••• is wrong', isStored: false });
  expect(stepsOf(run)).toEqual(['dump: error', 'compress: stopped', 'upload: stopped']);
  expect([store.objects.size, state.good, state.tidied]).toEqual([0, 0, 1]);
  expect(lines.join('\n')).not.toContain('top-secret');
});

it('keeps no empty dump', async () => {
  const { make, store, state } = world();
  state.dump = async function* empty() {};
  expect(await make()).toMatchObject({
    status: 'error',
    errorMessage: 'The dump of the test is empty, so there is nothing to keep.',
  });
  expect(store.objects.size).toBe(0);
});

it('says the cause of a failure even when what was stored stays behind', async () => {
  const { make, store, state, lines } = world();
  state.dump = async function* empty() {};
  store.isReadOnly = true;
  expect(await make()).toMatchObject({ errorMessage: expect.stringContaining('is empty') });
  expect(lines.join('\n')).toMatch(/What had been stored could not be removed: .*read-only/);
});

it('takes an object that reads otherwise for none', async () => {
  const { make, store } = world();
  store.reads = Buffer.from('rot');
  expect(await make()).toMatchObject({
    status: 'error',
    isStored: false,
    errorMessage: expect.stringContaining('The destination returned other bytes than were stored (3 of '),
  });
  expect(store.objects.size).toBe(0);
});

it('stores no more than the quota of its organization', async () => {
  const { make, store, state } = world();
  state.quota = 10;
  expect(await make()).toMatchObject({ status: 'error', errorMessage: 'There is no room for it.' });
  expect(store.objects.size).toBe(0);
});

it('begins only where the disk has room for as much as last time, beside what stays free', async () => {
  const { make, add, store, state } = world();
  add({ status: 'done', isStored: true, storedBytes: 2000, path: 'shop/before' });
  store.disk = { free: 2500, isOwnDisk: true };
  state.keptFree = 1000;
  expect(await make()).toMatchObject({ status: 'error', steps: [] });
  store.disk.isOwnDisk = false;
  expect(await make({ runId: add({ path: 'shop/two' }).backupRunId })).toMatchObject({ status: 'done' });
});

it('removes the oldest, but none while too few of the newer ones are whole', async () => {
  const { make, add, store, keep, runs } = world({ sequence: 9 });
  for (const [at, name] of ['oldest', 'older', 'cut'].entries()) {
    add({ status: 'done', isStored: true, storedBytes: 3, path: name, sequence: at });
    store.objects.set(name, Buffer.from(name === 'cut' ? 'x' : 'xyz'));
  }
  keep(2);
  expect(stepsOf(await make()).at(-1)).toBe('retention: done');
  expect([...store.objects.keys()].toSorted()).toEqual(['cut', 'older', path]);
  expect([...runs.values()].filter(({ isStored }) => !isStored).map((run) => run.path)).toEqual(['oldest']);
});

it('is done although old ones could not be removed', async () => {
  const { make, add, store, keep } = world({ sequence: 9 });
  add({ status: 'done', isStored: true, storedBytes: 3, path: 'old', sequence: 0 });
  keep(1);
  store.isReadOnly = true;
  const run = await make();
  expect([run.status, stepsOf(run).at(-1)]).toEqual(['done', 'retention: error']);
});

it('takes what an attempt before a restart had stored, and makes the rest anew', async () => {
  const stored = world({ storedBytes: 3, checksum: 'sum', steps: [] });
  stored.store.objects.set(path, Buffer.from('xyz'));
  expect(await stored.make({ attempts: 2 })).toMatchObject({ status: 'done', steps: [], isStored: true });
  expect(stored.lines).toContain('The object was stored and verified before Berth was restarted.');
  const half = world({ storedBytes: 3, checksum: 'sum' });
  half.store.objects.set(`${path}.part`, Buffer.from('x'));
  expect(await half.make({ attempts: 2 })).toMatchObject({ status: 'done', bytes: 14 });
  expect([...half.store.objects.keys()]).toEqual([path]);
  const cut = world({ storedBytes: 3, checksum: 'sum' });
  cut.store.objects.set(path, Buffer.from('x'));
  expect(await cut.make({ attempts: 2 })).toMatchObject({ status: 'done', bytes: 14 });
});

it('ends after three restarts, and says in which step', async () => {
  const running = {
    name: 'upload',
    status: 'running' as const,
    startedAt: '',
    finishedAt: null,
    detail: null,
  };
  const { make, state, lines } = world({ status: 'running', steps: [running] });
  expect(await make({ attempts: 4 })).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('restarted 3 times during this run, last in the step upload'),
  });
  expect(state.tidied).toBeGreaterThan(0);
  const again = world({ status: 'running', steps: [running] });
  expect(await again.make({ attempts: 3 })).toMatchObject({ status: 'done' });
  expect(again.lines[0]).toBe('Berth was restarted during the step upload; starting over (attempt 3 of 3).');
  expect(lines[0]).toMatch(/^Failed: /);
});

it('that is interrupted stays as it is for the next start', async () => {
  const { make, state, store } = world();
  const stop = new AbortController();
  state.dump = async function* slow() {
    yield Buffer.from('x');
    stop.abort(new Error('Berth is stopping.'));
    stop.signal.throwIfAborted();
  };
  const run = await make({ signal: stop.signal });
  expect([run.status, run.errorMessage]).toEqual(['running', null]);
  expect(stepsOf(run)).toEqual(['dump: running', 'compress: running', 'upload: running']);
  expect(store.objects.size).toBe(0);
});

it('tells what went wrong inside by its id alone, and of a backup that is gone that it is', async () => {
  const { make, state, faults } = world();
  state.dump = async function* broken() {
    yield Buffer.from('x');
    throw new TypeError('secret detail');
  };
  const run = await make();
  expect(run.errorMessage).toMatch(/Something went wrong inside Berth \(fault-1\)/);
  expect(faults).toMatchObject([{ message: 'secret detail' }]);
  const gone = world();
  gone.state.backup = undefined;
  expect(await gone.make()).toMatchObject({
    errorMessage: 'The backup was removed before this run of it began.',
  });
});

it('is not begun again once it has ended', async () => {
  const { make, store } = world({ status: 'done' });
  await make();
  expect(store.objects.size).toBe(0);
});

it('tries objects of a new schema or new settings, until one was restored', async () => {
  const { make, state, add, runs } = world();
  const next = async (shape: string | undefined): Promise<number> => {
    Object.assign(state, { shape, triedOut: 0 });
    const { backupRunId } = add({ path: `shop/${runs.size}.dump.gz` });
    expect(await make({ runId: backupRunId })).toMatchObject({ status: 'done', shape: shape ?? null });
    return state.triedOut;
  };
  expect(await next('first')).toBe(1);
  expect(await next('first')).toBe(1);
  const [first] = runs.values();
  if (first) runs.set(first.backupRunId, { ...first, shape: 'first', restoredAt: '2026-01-02' });
  expect(await next('first')).toBe(0);
  expect(await next('second')).toBe(1);
  expect(await next(undefined)).toBe(1);
});
