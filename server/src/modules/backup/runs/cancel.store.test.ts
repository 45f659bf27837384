/** Runs of backups that are ended by hand, and what failed ones leave at their destination. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backupScenes } from '../../../../../test/http/backup-scene.ts';
import { textOf } from '../../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { tableStore } from '../../../db/table-store.ts';
import { AppError } from '../../../domain/errors.ts';
import { databaseRef } from '../../../domain/names/service-ref.ts';
import type { EndingOperation } from '../../../domain/states/operation-pairs.ts';
import { createInterruption } from '../../interruption/interruption.ts';
import { createTurns } from '../../service/turns.ts';

const none = async (): Promise<void> => undefined;
const zero = async (): Promise<number> => 0;

eachDatabase('runs of backups that end early', (test) => {
  const begin = backupScenes(test);

  it('are ended by hand, waiting or running, leave nothing, and hold up nobody', async () => {
    const { desk, owner, stranger, backupId, files, runs, logOf, database } = await begin();
    desk.holds = true;
    const start = async (): Promise<string> =>
      textOf(await owner.mutate('backup.run', { backupId }), 'backupRunId');
    const waiting = await start();
    expect(await stranger.mutate('backup.cancel', { backupRunId: waiting })).toMatchObject({
      code: 'FORBIDDEN',
    });
    const ended = { status: 'error', errorMessage: 'It was ended by hand before it was done.' };
    expect(await owner.mutate('backup.cancel', { backupRunId: waiting })).toMatchObject(ended);
    await desk.work();
    expect(desk.tidied).toEqual([]);
    const running = await start();
    const begun = Promise.withResolvers<void>();
    desk.dump = async function* endless() {
      for (;;) {
        yield Buffer.from('a part');
        begun.resolve();
        await new Promise((resolve) => void setTimeout(resolve, 20));
      }
    };
    const work = desk.work();
    await begun.promise;
    expect(await owner.mutate('backup.cancel', { backupRunId: running })).toMatchObject(ended);
    await work;
    expect(await files()).toEqual([]);
    expect(desk.tidied).toEqual([running]);
    const [run] = await runs();
    expect(run).toMatchObject({ ...ended, isStored: false });
    expect(await logOf(run)).toContain('Ended by hand.');
    expect(await owner.mutate('backup.cancel', { backupRunId: running })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    expect(desk.told).toEqual([]);
    const lanes = (await tableStore(database, 'job').list({ kind: 'backup' })).map(
      ({ serverKey }) => serverKey,
    );
    expect(new Set(lanes)).toEqual(new Set([expect.stringMatching(/^backups:.+:backup:postgres$/)]));
  });

  it('are ended by the removal of their service, and by nothing else that is done to it', async () => {
    const { desk, owner, backupId, database } = await begin();
    desk.holds = true;
    await owner.mutate('backup.run', { backupId });
    const { endThen } = createInterruption({
      deployments: { cancel: none, cancelQueued: zero, isWorking: async () => false, showWorking: none },
      builds: { killBuild: async () => false, end: none, endWaiting: zero },
      backupRuns: desk.runs,
      requireReach: async () => undefined,
      turns: createTurns(),
      userName: async () => undefined,
    });
    const statuses = async (): Promise<unknown[]> =>
      (await tableStore(database, 'backup_run').list({})).map(({ status }) => status);
    const act = (operation: EndingOperation, serviceId = 'postgres-first'): Promise<void> =>
      endThen(databaseRef(serviceId), { operation, userId: undefined }, async () => undefined);
    await act('stop');
    await act('remove', 'another');
    expect(await statuses()).toEqual(['queued']);
    await act('remove');
    expect(await statuses()).toEqual(['error']);
  });

  it('sweep what failed ones left at the destination, and nothing else there', async () => {
    const { desk, manual, files, runs, database } = await begin();
    desk.dump = async function* broken() {
      yield Buffer.from('a part');
      throw new AppError('PRECONDITION_FAILED', 'pg_dump ended with the exit code 1');
    };
    await manual();
    const [failed] = await runs();
    const path = textOf(failed, 'path');
    const folder = join(desk.folder, 'store');
    await mkdir(join(folder, 'shop'), { recursive: true });
    const foreign = join(folder, 'shop/of-another-2026.dump.gz.part');
    for (const file of [join(folder, path), join(folder, `${path}.part`), foreign])
      await writeFile(file, 'x');
    desk.dump = async function* whole() {
      yield Buffer.from('the whole dump');
    };
    expect(await manual()).toBe(true);
    const [made] = await runs();
    expect(await files()).toEqual([foreign, join(folder, textOf(made, 'path'))].toSorted());
    expect(await tableStore(database, 'backup_run').list({})).toHaveLength(2);
  });
});
