/**
 * Runs of backups from the interface to a folder: what is kept, what is not, and what becomes of a run that
 * is broken off. The dump is the test's own; real ones are in test/e2e.
 */
import { readFile, truncate } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { createQuotaStore } from '../../quota/store.ts';
import { expect, it } from 'vitest';
import { backupScenes } from '../../../../../test/http/backup-scene.ts';
import { textOf } from '../../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { tableStore } from '../../../db/table-store.ts';
import { AppError } from '../../../domain/errors.ts';

const hour = 3_600_000;

eachDatabase('runs of backups', (test) => {
  const begin = backupScenes(test);

  it('store what the dump gives, whole and verified, and tell each step', async () => {
    const { desk, owner, backupId, manual, files, runs, logOf } = await begin();
    expect(await manual()).toBe(true);
    const [file = '', ...others] = await files();
    expect(others).toEqual([]);
    expect(gunzipSync(await readFile(file)).toString()).toBe('the whole dump');
    const [run] = await runs();
    expect(run).toMatchObject({
      status: 'done',
      operation: 'backup',
      startedBy: 'person',
      isStored: true,
      bytes: 14,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      errorMessage: null,
    });
    expect(run?.['steps']).toMatchObject(
      ['dump', 'compress', 'upload', 'verify', 'record'].map((name) => ({ name, status: 'done' })),
    );
    expect(await owner.query('backup.one', { backupId })).toMatchObject({ lastGoodAt: expect.any(String) });
    expect(await logOf(run)).toContain('Dumping the test.');
    expect(desk.told).toMatchObject([
      {
        event: 'backupDone',
        subject: { type: 'backup', id: backupId },
        sentence: expect.stringContaining('shop'),
      },
    ]);
  });

  it('that fail in the middle of the dump leave nothing, say why, and keep the last good one', async () => {
    const { desk, manual, files, runs, owner, backupId, logOf } = await begin({ keepLatestCount: 1 });
    await manual();
    const good = await files();
    desk.dump = async function* broken() {
      for (let at = 0; at < 50; at += 1) yield Buffer.alloc(100_000, at);
      throw new AppError(
        'PRECONDITION_FAILED',
        'pg_dump ended with the exit code 1: the password top-secret is wrong',
      );
    };
    expect(await manual()).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('exit code 1'),
    });
    expect(await files()).toEqual(good);
    expect(desk.told.map(({ event }) => event)).toEqual(['backupDone', 'backupFailed']);
    expect(desk.told[1]?.sentence).not.toContain('top-secret');
    const [failed] = await runs();
    expect(failed).toMatchObject({
      status: 'error',
      isStored: false,
      errorMessage: 'pg_dump ended with the exit code 1: the password •••• is wrong',
    });
    expect(failed?.['steps']).toMatchObject([
      { name: 'dump', status: 'error' },
      { name: 'compress', status: 'stopped' },
      { name: 'upload', status: 'stopped' },
    ]);
    expect(await logOf(failed)).not.toContain('top-secret');
    desk.dump = async function* empty() {};
    expect(await manual()).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('is empty'),
    });
    expect(await files()).toEqual(good);
    expect(await owner.query('backup.one', { backupId })).toMatchObject({
      lastGoodAt: '2026-06-01T00:00:01.000Z',
    });
  });

  it('begin only where the disk has room, and say how much there is and how much is needed', async () => {
    const { desk, manual, files, runs } = await begin();
    await manual();
    const good = await files();
    desk.keptFree = 900 * 1024 ** 4;
    expect(await manual()).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringMatching(
        /^Only [\d.]+ GiB of disk are free; the backup needs \d+ bytes, and 921600\.0 GiB must stay free \(setting minFreeDisk\)/,
      ),
    });
    expect(await files()).toEqual(good);
    expect(await runs()).toMatchObject([{ status: 'error', steps: [] }, { status: 'done' }]);
    desk.keptFree = 0;
    expect(await manual()).toBe(true);
  });

  it('keep no more bytes than the quota of their organization', async () => {
    const { desk, files, manual, runs, database, people } = await begin();
    const { organizationId } = people.owner;
    const quotas = createQuotaStore(database).quotas;
    await manual();
    await desk.idle();
    const [first] = await runs();
    const stored = Number(first?.['storedBytes']);
    expect(await files()).toHaveLength(1);
    await quotas.insert({
      organizationId,
      services: null,
      nanoCpus: null,
      memoryBytes: null,
      builds: null,
      diskBytes: null,
      records: null,
      backupBytes: stored + 1,
    });
    await manual();
    const [second] = await runs();
    expect(second).toMatchObject({
      status: 'error',
      errorMessage: expect.stringMatching(/This organization may have 1 MiB of backups.*Keep fewer backups/s),
    });
    expect(await files()).toHaveLength(1);
    await quotas.update({ organizationId }, { backupBytes: stored });
    await manual();
    expect((await runs())[0]).toMatchObject({ status: 'error' });
    await quotas.update({ organizationId }, { backupBytes: null });
    await manual();
    expect((await runs())[0]).toMatchObject({ status: 'done' });
  });

  it('keep so many of the newest, and count none that is not whole any more', async () => {
    const { manual, files, runs, update } = await begin({ keepLatestCount: 2 });
    for (let times = 0; times < 3; times += 1) expect(await manual()).toBe(true);
    const kept = await files();
    expect(kept).toHaveLength(2);
    expect((await runs()).map(({ isStored }) => isStored)).toEqual([true, true, false]);
    // Somebody cut the newest short: with the next one there are only two good ones, and both stay.
    await truncate(kept[1] ?? '', 5);
    await update({ keepLatestCount: 2 });
    await manual();
    expect(await files()).toHaveLength(3);
    expect(await files()).toEqual(expect.arrayContaining([kept[0]]));
  });

  it('that are broken off begin again, and end after three times', async () => {
    const { desk, files, runs, owner, backupId, clock, logOf, database } = await begin();
    const stop = new AbortController();
    desk.dump = async function* endless() {
      yield Buffer.from('a part');
      stop.abort(new Error('Berth is stopping'));
      yield Buffer.from('of it');
    };
    await owner.mutate('backup.update', { backupId, schedule: '0 3 * * *' });
    await desk.tick();
    clock.time += 4 * hour;
    desk.holds = true;
    await desk.tick();
    await desk.work(stop.signal);
    expect(await files()).toEqual([]);
    expect((await runs())[0]).toMatchObject({ status: 'running', startedBy: 'schedule' });
    desk.dump = async function* whole() {
      yield Buffer.from('the whole dump');
    };
    await desk.work();
    const [run] = await runs();
    expect(run).toMatchObject({ status: 'done', isStored: true });
    expect(await logOf(run)).toMatch(
      /Interrupted: Berth is stopping.*restarted during the step upload; starting over \(attempt 2 of 3\)/,
    );
    expect(await files()).toHaveLength(1);
    expect(desk.tidied).toEqual([run?.['backupRunId']]);
    clock.time += 24 * hour;
    await desk.tick();
    await tableStore(database, 'job').update({ state: 'queued' }, { attempts: 3 });
    await desk.work();
    expect((await runs())[0]).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('restarted 3 times'),
    });
    expect(await files()).toHaveLength(1);
  });

  it('begin by schedule in its time zone, once for all missed times, and not while it is off', async () => {
    const { desk, runs, clock, update } = await begin({ timeZone: 'Europe/Berlin' });
    const count = async (): Promise<number> => (await runs()).length;
    await desk.tick();
    expect(await count()).toBe(0);
    clock.time = Date.parse('2026-06-01T00:59:59.000Z');
    await desk.tick();
    expect(await count()).toBe(0);
    clock.time = Date.parse('2026-06-01T01:00:01.000Z');
    await desk.tick();
    await desk.tick();
    expect(await count()).toBe(1);
    clock.time = Date.parse('2026-06-05T12:00:00.000Z');
    await desk.tick();
    await desk.tick();
    expect(await count()).toBe(2);
    await update({ enabled: false });
    clock.time = Date.parse('2026-06-20T12:00:00.000Z');
    await desk.tick();
    expect(await count()).toBe(2);
  });

  it('that are missing too long are an alarm, until there is a good one', async () => {
    const { desk, clock, owner, backupId, manual } = await begin({ alarmAfterHours: 6 });
    const alarm = async (): Promise<unknown> =>
      Reflect.get(Object(await owner.query('backup.one', { backupId })), 'alarmSince');
    clock.time += 6 * hour - 1;
    await desk.tick();
    expect(await alarm()).toBeNull();
    clock.time += 2;
    await desk.tick();
    await desk.tick();
    expect(await alarm()).toBe(new Date(clock.time).toISOString());
    expect(desk.alarms).toEqual([backupId]);
    expect(await manual()).toBe(true);
    expect(await alarm()).toBeNull();
    clock.time += 7 * hour;
    await desk.tick();
    expect(await alarm()).not.toBeNull();
    await desk.idle();
  });

  it('try the newest object out by schedule and by hand', async () => {
    const { desk, clock, owner, backupId, manual, runs } = await begin({
      verifySchedule: '0 5 * * *',
      schedule: '0 3 1 1 *',
    });
    await manual();
    const [made] = await runs();
    await desk.tick();
    clock.time = Date.parse('2026-06-01T05:00:01.000Z');
    desk.holds = true;
    await desk.tick();
    await desk.work();
    desk.holds = false;
    expect((await runs())[0]).toMatchObject({
      operation: 'verification',
      startedBy: 'schedule',
      status: 'done',
      path: made?.['path'],
    });
    desk.load = async () => {
      throw new AppError('PRECONDITION_FAILED', 'The object is damaged.');
    };
    expect(await owner.mutate('backup.verify', { backupId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: 'The object is damaged.',
    });
    expect((await runs())[0]).toMatchObject({
      operation: 'verification',
      startedBy: 'person',
      status: 'error',
    });
  });

  it('restore one object at a time into a database; whoever comes back follows that restore', async () => {
    const { desk, owner, people, server, database } = await begin();
    const { destinationId } = (await tableStore(database, 'destination').find({ name: 'disk' })) ?? {};
    const input = {
      databaseId: 'postgres-first',
      databaseType: 'postgres',
      databaseName: 'shop',
      backupFile: 'shop/one.gz',
      destinationId,
    };
    const audited = async (): Promise<string[]> =>
      (
        await tableStore(database, 'audit').list(
          { procedure: 'backup.restoreBackupWithLogs' },
          { by: ['at', 'auditId'], direction: 'asc' },
        )
      ).map(({ outcome }) => outcome);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    desk.load = async ({ say }) => {
      say('loading');
      await held;
    };
    const url = `${server.url}/api/backup.restoreBackupWithLogs`;
    const request = (headers: Record<string, string>): RequestInit => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    });
    const headers = { accept: 'text/event-stream', ...people.owner.headers };
    expect(
      (await fetch(`${url}?input=${encodeURIComponent(JSON.stringify(input))}`, { headers })).status,
    ).toBe(405);
    const first = await fetch(url, request(headers));
    const reader = first.body?.getReader();
    let seen = '';
    while (!seen.includes('loading')) seen += Buffer.from((await reader?.read())?.value ?? []).toString();
    const lastEventId = /^id: (.*)$/m.exec(seen)?.[1] ?? '';
    await reader?.cancel();
    expect(
      await owner.mutate('backup.restoreBackupWithLogs', { ...input, backupFile: 'shop/other.gz' }),
    ).toMatchObject({ code: 'CONFLICT' });
    const again = await fetch(url, request({ ...headers, 'last-event-id': lastEventId }));
    const same = owner.mutate('backup.restoreBackupWithLogs', input);
    await expect.poll(audited).toHaveLength(3);
    release();
    const rest = await again.text();
    expect(rest).toContain('"type":"end","outcome":"success"');
    expect(rest).not.toContain('loading');
    expect(await same).toEqual({
      success: true,
      log: [expect.stringContaining('loading'), expect.stringContaining('Done.')],
    });
    expect(await tableStore(database, 'backup_run').list({ operation: 'restore' })).toHaveLength(1);
    expect(await audited()).toEqual(['done', 'CONFLICT', 'done']);
    const { origin, ...sent } = await people.session(people.owner, server.url);
    expect(origin).toBe(server.url);
    const status = async (change: Record<string, string>): Promise<number> =>
      (await fetch(url, request({ ...sent, ...change }))).status;
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site', origin: server.url },
      { origin: 'https://elsewhere.example' },
    ];
    for (const headersOf of foreign) expect(await status(headersOf)).toBe(403);
    expect(await audited()).toHaveLength(3);
    expect(await status({ origin: server.url })).toBe(200);
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    await desk.idle();
  });

  it('of Berth itself need a passphrase first, and belong to the first organization', async () => {
    const { desk, owner, admin, stranger, member, database, files } = await begin();
    const { destinationId } = (await tableStore(database, 'destination').find({ name: 'disk' })) ?? {};
    expect(await owner.query('installationBackup.get')).toEqual({ backup: null });
    expect(await owner.mutate('installationBackup.run', {})).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await owner.mutate('installationBackup.set', { passphrase: 'a long passphrase' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['destinationId'],
    });
    expect(await owner.mutate('installationBackup.set', { destinationId })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['passphrase'],
    });
    expect(
      await owner.mutate('installationBackup.set', { destinationId, passphrase: 'short' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['passphrase'] });
    const set = await owner.mutate('installationBackup.set', {
      destinationId,
      passphrase: 'a long passphrase',
      prefix: 'berth',
      keepLatestCount: 2,
    });
    expect(set).toMatchObject({ destinationId, schedule: '0 2 * * *', keepLatestCount: 2, enabled: true });
    expect(JSON.stringify(set)).not.toContain('sealed');
    expect(await owner.mutate('installationBackup.set', { enabled: false })).toMatchObject({
      enabled: false,
      prefix: 'berth',
    });
    expect(await admin.mutate('installationBackup.run', {})).toBe(true);
    expect(await files()).toEqual([expect.stringMatching(/berth\/berth-.*\.gz$/)]);
    expect(await admin.query('installationBackup.runs')).toMatchObject([
      { status: 'done', databaseId: null },
    ]);
    expect(await admin.mutate('installationBackup.set', { enabled: true })).toMatchObject({
      code: 'FORBIDDEN',
    });
    for (const client of [stranger, member])
      expect(await client.query('installationBackup.get')).toMatchObject({ code: 'FORBIDDEN' });
    // It is no backup of a database.
    expect(
      await owner.mutate('backup.update', { backupId: textOf(set, 'backupId'), prefix: 'x' }),
    ).toMatchObject({ code: 'NOT_FOUND' });
    expect(desk.alarms).toEqual([]);
    await desk.idle();
  });
});
