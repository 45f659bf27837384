import { expect, it } from 'vitest';
import { backupScenes } from '../../../../../test/http/backup-scene.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { tableStore } from '../../../db/table-store.ts';

eachDatabase('coverage of backups', (test) => {
  const begin = backupScenes(test);

  it('names what each database and volume lacks, and the newest that is good', async () => {
    const { owner, manual, database, runs, backupId } = await begin();
    const of = async (serviceId: string): Promise<unknown[]> =>
      Array.from(Object(await owner.query('backup.coverage', {})) as Record<string, unknown>[]).filter(
        (row) => row['serviceId'] === serviceId,
      );
    const postgresId = 'postgres-first';
    expect(await of(postgresId)).toMatchObject([
      {
        coverageId: postgresId,
        kind: 'postgres',
        volumeName: null,
        lacking: ['goodBackup', 'trial', 'recovery'],
        lastGoodAt: null,
        restoredAt: null,
      },
    ]);
    await manual();
    const [run] = await runs();
    expect(await of(postgresId)).toMatchObject([{ lastGoodAt: run?.['finishedAt'] }]);
    const restoredAt = '2026-06-01T01:00:00.000Z';
    await tableStore(database, 'backup_run').update(
      { backupRunId: String(run?.['backupRunId']) },
      { restoredAt },
    );
    const { destinationId } = Object(await owner.query('backup.one', { backupId }));
    await owner.mutate('backup.setRecovery', { postgresId, destinationId });
    expect(await of(postgresId)).toMatchObject([{ lacking: [], restoredAt }]);
    await owner.mutate('backup.update', { backupId, enabled: false });
    await owner.mutate('backup.setRecovery', { postgresId, enabled: false });
    expect(await of(postgresId)).toMatchObject([{ lacking: ['backup', 'recovery'], restoredAt }]);
  });

  it('has a row for each volume that an application mounts', async () => {
    const { owner, database, people, place } = await begin();
    const { applicationId } = place;
    await tableStore(database, 'mount').insert({
      mountId: 'uploads',
      organizationId: people.owner.organizationId,
      type: 'volume',
      hostPath: null,
      volumeName: 'uploads',
      filePath: null,
      content: null,
      mountPath: '/uploads',
      serviceType: 'application',
      applicationId,
      createdAt: '2026-01-01T00:00:00.000Z',
      databaseId: null,
      composeId: null,
      approval: null,
      isSecret: false,
    });
    expect(await owner.query('backup.coverage', {})).toContainEqual(
      expect.objectContaining({
        coverageId: `${applicationId}/uploads`,
        kind: 'application',
        volumeName: 'uploads',
        lacking: ['backup'],
      }),
    );
  });
});
