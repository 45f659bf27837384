import { expect, it } from 'vitest';
import { backupScenes } from '../../../../../test/http/backup-scene.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { plainCompose } from '../../../../../test/world/plain-compose.ts';
import { plainDeployment } from '../../../../../test/world/plain-deployment.ts';
import { tableStore } from '../../../db/table-store.ts';
import { firstVolume } from '../../../domain/names/restored-volumes.ts';
import { composeRef } from '../../../domain/names/service-ref.ts';

const plainSpec = {
  name: 'stack_web',
  release: 'released',
  env: [],
  networks: [],
  replicas: 1,
  limits: {},
  reservations: {},
  files: [],
  ports: [],
  updateOrder: 'start-first',
  monitorMs: 5000,
  stopGracePeriodMs: 10_000,
  constraints: [],
};

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
        encrypted: null,
        lastGoodAt: null,
        restoredAt: null,
      },
    ]);
    await manual();
    const [run] = await runs();
    expect(await of(postgresId)).toMatchObject([{ lastGoodAt: run?.['finishedAt'], encrypted: false }]);
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

  it('tells what is encrypted, and what Berth has no key of', async () => {
    const { owner, manual, runs, backupId } = await begin({ keepLatestCount: 1 });
    const row = async (): Promise<unknown> =>
      Array.from(Object(await owner.query('backup.coverage', {})) as Record<string, unknown>[]).find(
        ({ serviceId }) => serviceId === 'postgres-first',
      );
    const { destinationId } = Object(await owner.query('backup.one', { backupId }));
    await owner.mutate('destination.makeKey', { destinationId });
    await manual();
    expect(await runs()).toHaveLength(1);
    expect(await row()).toMatchObject({ encrypted: true, lacking: ['trial', 'recovery'] });
    await owner.mutate('destination.update', { destinationId, identity: null });
    expect(await row()).toMatchObject({ encrypted: true, lacking: ['trial', 'recovery', 'key'] });
    await owner.mutate('destination.update', { destinationId, recipients: null });
    await manual();
    await runs();
    expect(await row()).toMatchObject({ encrypted: false, lacking: ['trial', 'recovery'] });
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

  it('has a row for each volume that the live release of a compose service mounts', async () => {
    const { owner, database, people, place } = await begin();
    const { organizationId } = people.owner;
    const composeId = 'shop-stack';
    await tableStore(database, 'compose').insert({
      ...plainCompose,
      composeId,
      organizationId,
      environmentId: place.environmentId,
      name: 'stack',
      appName: 'stack',
      refreshToken: 'token-of-stack',
      createdAt: '2026-01-01T00:00:00.000Z',
      liveDeploymentId: 'released',
    });
    const mounts = [
      { type: 'volume', source: firstVolume(composeRef(composeId), 'files'), target: '/files' },
    ];
    const spec = { ...plainSpec, image: 'stack:1', labels: {}, mounts };
    await tableStore(database, 'deployment').insert({
      ...plainDeployment,
      deploymentId: 'released',
      organizationId,
      composeId,
      createdAt: '2026-01-01T00:00:00.000Z',
      settings: JSON.stringify({
        services: [{ service: 'web', spec, imageId: 'sha256:1', dependsOn: [], isOneShot: false }],
      }),
    });
    expect(await owner.query('backup.coverage', {})).toContainEqual(
      expect.objectContaining({
        coverageId: `${composeId}/files`,
        kind: 'compose',
        volumeName: 'files',
        lacking: ['backup'],
      }),
    );
  });
});
