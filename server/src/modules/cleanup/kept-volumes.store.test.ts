import { expect, it } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { worlds } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { restoredVolumeRun } from '../../../../test/store/restored-volume-run.ts';
import { ownedLabels } from '../../adapters/engine/services/ownership.ts';
import { createStores } from '../../composition/stores.ts';
import type { TableRecord } from '../../db/tables.ts';
import { organizationLabel } from '../../domain/names/labels.ts';
import { ownerLabels } from '../../domain/names/service-ref.ts';
import { createKeptVolumes } from './kept-volumes.ts';

eachDatabase('volumes of deleted services', (test) => {
  const createWorld = worlds(test);

  it('list volumes of deleted services of the organization, and remove these alone', async () => {
    const { database, place, people } = await createWorld(() => []);
    const { organizationId } = people.owner;
    const { applicationId } = place;
    const stores = createStores(database);
    const memory = createEngineInMemory();
    const keptVolumes = createKeptVolumes({ stores, hosts: { of: async () => memory } });
    const make = async (name: string, serviceId: string, organization: string): Promise<void> => {
      const Labels = ownedLabels(memory.api, {
        [organizationLabel]: organization,
        [ownerLabels.application]: serviceId,
      });
      const body = { Name: name, Labels };
      await memory.api.send({ method: 'POST', path: '/volumes/create', body, doing: 'the test' });
    };
    await make('berth-gone-data', 'gone', organizationId);
    await make('berth-gone-cache', 'gone', organizationId);
    await make('berth-theirs-data', 'theirs', 'another');
    await make(`berth-${applicationId}-old`, applicationId, organizationId);
    const at = '2026-05-01T10:00:00.000Z';
    const deletion = { procedure: 'application.delete', resourceId: 'gone', userId: null, apiKeyId: null };
    await stores.audit.insert({ auditId: 'a', organizationId, at, outcome: 'done', ip: '', ...deletion });
    const listed = async (): Promise<string[]> =>
      (await keptVolumes.all(organizationId, 'local')).map(({ volumeName }) => volumeName);
    const refused = { code: 'NOT_FOUND' };

    expect(await keptVolumes.all(organizationId, 'local')).toMatchObject([
      { volumeName: 'berth-gone-cache', kind: 'application', serviceId: 'gone', deletedAt: at },
      { volumeName: 'berth-gone-data', deletedAt: at },
    ]);
    for (const name of ['berth-theirs-data', `berth-${applicationId}-old`, 'berth-never-data'])
      await expect(keptVolumes.remove(organizationId, 'local', name)).rejects.toMatchObject(refused);
    // What another service was given is in its place now.
    await stores.applications.update({ applicationId }, { restoredVolumes: { data: 'berth-gone-data' } });
    expect(await listed()).toEqual(['berth-gone-cache']);
    await expect(keptVolumes.require(organizationId, 'local', 'berth-gone-data')).rejects.toMatchObject(
      refused,
    );
    // What it can go back to is one of its former volumes.
    await stores.applications.update({ applicationId }, { restoredVolumes: {} });
    const run = {
      ...restoredVolumeRun(organizationId, applicationId, 'berth-gone-data', at),
      operation: 'return',
    };
    await stores.backupRuns.insert(run as TableRecord<'backup_run'>);
    expect(await listed()).toEqual(['berth-gone-cache']);
    expect(await stores.backupRuns.formerVolumes(organizationId)).toMatchObject([
      { volumeName: 'berth-gone-data', applicationId },
    ]);
    // Nor is one that is about to be given away.
    await stores.backupRuns.update(
      { backupRunId: run.backupRunId },
      { status: 'running', path: 'berth-gone-cache', previousVolume: null },
    );
    expect(await listed()).toEqual(['berth-gone-data']);
    await keptVolumes.remove(organizationId, 'local', 'berth-gone-data');
    expect(await listed()).toEqual([]);
    expect(memory.state.volumes.has('berth-gone-data')).toBe(false);
    expect(memory.state.volumes.has('berth-theirs-data')).toBe(true);
  });
});
