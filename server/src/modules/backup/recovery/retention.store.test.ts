/** What is removed of a stored log, its objects in a real folder, and what the quota says of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { of } from '../../../../../test/world/fixtures.ts';
import { seedWorlds, type World } from '../../../../../test/world/world.ts';
import { folderStore } from '../../../adapters/object-store/folder.ts';
import { createStores } from '../../../composition/stores.ts';
import { quotasOf } from '../../../deploy/quotas.ts';
import type { WalSpan } from '../store.ts';
import { removeOldRecovery, removeSpans } from './retention.ts';
import { segmentFile } from './wal.ts';

const dayMs = 24 * 3_600_000;
const segmentBytes = 16 * 1024 ** 2;
const sizes = [100, 200, 300, 400];
const signal = AbortSignal.timeout(60_000);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-retention-'));
});
afterAll(() => rm(folder, { recursive: true }));

eachDatabase('the stored log', (test) => {
  it('counts in the quota by what lies at the destination, until it is removed', async () => {
    const database = await test.open();
    const stores = createStores(database);
    const [world] = (await seedWorlds(database, 1)) as [World];
    const { organizationId } = world.own;
    const quotas = quotasOf(stores);
    const objects = folderStore(join(folder, database.dialect), folder);
    const openStore = async (): Promise<typeof objects> => objects;
    const used = async (): Promise<number> => (await quotas.view(organizationId)).used.backupBytes;
    const before = await used();

    const now = Date.parse('2026-11-20T00:00:00Z');
    const day = (ago: number): string => new Date(now - ago * dayMs).toISOString();
    const present = await stores.backups.find({ backupId: of(world.own, 'backupId') });
    if (!present) throw new Error('The world has no backup.');
    const databaseId = present.databaseId ?? '';
    const backup = { ...present, backupId: 'stream', sourceType: 'stream' as const, keepDays: 7 };
    await stores.backups.insert(backup);
    const span: WalSpan = {
      walSpanId: 'span',
      backupId: 'stream',
      organizationId,
      destinationId: backup.destinationId,
      folder: 'wal/span',
      dataVolume: 'data',
      serverKey: '',
      systemId: '1',
      timeline: 1,
      segmentBytes,
      firstSegment: 1,
      nextSegment: 1 + sizes.length,
      position: null,
      restorableTo: day(0),
      storedBytes: 1000,
      createdAt: day(30),
      endedAt: null,
      endReason: null,
      recipients: [],
    };
    await stores.recovery.spans.insert(span);
    for (const [index, size] of sizes.entries())
      await objects.write(
        `wal/span/${segmentFile(1, 1 + index, segmentBytes)}.gz`,
        chunks(Buffer.alloc(size)),
        signal,
      );
    const [run] = await stores.backupRuns.list({ organizationId });
    if (!run) throw new Error('The world has no run.');
    for (const [name, firstSegment, ago] of [
      ['old', 1, 20],
      ['kept', 3, 8],
    ] as const) {
      const path = `${name}.base.tar.gz`;
      await objects.write(path, chunks(Buffer.alloc(50)), signal);
      await stores.backupRuns.insert({
        ...run,
        backupRunId: name,
        sequence: run.sequence + (name === 'old' ? 1000 : 1001),
        backupId: 'stream',
        operation: 'backup',
        path,
        isStored: true,
        storedBytes: 50,
      });
      await stores.recovery.bases.insert({
        backupRunId: name,
        walSpanId: 'span',
        firstSegment,
        restorableFrom: day(ago),
      });
    }
    expect(await used()).toBe(before + 1100);

    await quotas.set(organizationId, { backupBytes: before + 1100 });
    await expect(quotas.requireBackupRoom(organizationId, 0)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/of backups and the logs of recoveries; .*keepDays of a recovery/),
    });

    const removal = {
      openStore,
      store: stores.recovery,
      clock: { now: () => now },
      runs: {
        record: async (backupRunId: string, patch: object) =>
          void (await stores.backupRuns.update({ backupRunId }, patch)),
      },
    };
    await removeOldRecovery(removal, backup, signal);
    expect(await used()).toBe(before + 50 + 300 + 400);
    expect((await objects.list('', signal)).map(({ path }) => path).toSorted()).toEqual([
      'kept.base.tar.gz',
      ...[3, 4].map((segment) => `wal/span/${segmentFile(1, segment, segmentBytes)}.gz`),
    ]);
    await quotas.requireBackupRoom(organizationId, 0);

    await removeSpans(
      { backups: stores.backups, openStore, store: stores.recovery },
      databaseId,
      organizationId,
      signal,
    );
    expect(await used()).toBe(before + 50);
    expect(await objects.list('wal', signal)).toEqual([]);
  });
});

async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
