/** Whose things on an engine are: installations on one engine change nothing of each other. */
import { afterAll, expect, test } from 'vitest';
import { ownedBy } from '../../server/src/adapters/engine/client/engine-client.ts';
import { createSwarmEngine } from '../../server/src/adapters/engine/swarm.ts';
import { testInstallation } from '../installation.ts';
import { idleService, nodeImage, uniqueName, until, untilRunning, type EngineFixture } from './fixture.ts';

export function whoseSuite({ engine, api }: EngineFixture): void {
  const other = createSwarmEngine({ client: ownedBy(api, 'anotherone') });
  const mine = uniqueName('mine');
  const network = uniqueName('others-net');

  afterAll(async () => {
    await engine.removeService(mine);
    await other.removeNetwork(network);
  });

  test('labels of a service itself make no new tasks, and an equal specification keeps both', async () => {
    const spec = idleService(mine, { files: [{ path: '/etc/one', content: 'one' }] });
    await engine.applyService(spec);
    await untilRunning(engine, mine);
    const tasks = async (): Promise<string[]> => (await engine.tasks(mine)).map(({ id }) => id);
    const before = await tasks();
    await engine.labelService(mine, { 'berth.incarnation': 'second' });
    expect((await engine.markOf(mine))?.labels).toMatchObject({
      'berth.installation': testInstallation,
      'berth.incarnation': 'second',
    });
    await engine.applyService(spec);
    expect((await engine.markOf(mine))?.labels).toMatchObject({ 'berth.incarnation': 'second' });
    // A change that does make tasks comes after whatever the changes before it made.
    await engine.restartService(mine);
    await until('a second task', async () => (await tasks()).length > before.length || undefined);
    expect((await tasks()).slice(1)).toEqual(before);
  });

  test('what another installation made is seen by neither lists nor names', async () => {
    const seen = async (): Promise<string[]> => (await other.services()).map(({ name }) => name);
    expect(await seen()).not.toContain(mine);
    const refused = { code: 'CONFLICT', message: expect.stringContaining(testInstallation) };
    await expect(other.removeService(mine)).rejects.toMatchObject(refused);
    await expect(other.scaleService(mine, 0)).rejects.toMatchObject(refused);
    await expect(other.restartService(mine)).rejects.toMatchObject(refused);
    await expect(other.applyService(idleService(mine))).rejects.toMatchObject(refused);
    await expect(other.labelService(mine, {})).rejects.toMatchObject(refused);
    expect((await engine.service(mine))?.replicas).toBe(1);
    expect(await other.othersThings()).toContainEqual(
      expect.objectContaining({ kind: 'service', name: mine, installationId: testInstallation }),
    );
    expect((await engine.othersThings()).map(({ name }) => name)).not.toContain(mine);
  });

  test('a network of another installation is neither used nor removed', async () => {
    await other.ensureNetwork({ name: network, subnet: '10.210.77.0/24', labels: {} });
    const spec = { name: network, subnet: '10.210.77.0/24', labels: {} };
    await expect(engine.ensureNetwork(spec)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(engine.removeNetwork(network)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await engine.networks()).map(({ name }) => name)).not.toContain(network);
    expect((await other.networks()).map(({ name }) => name)).toContain(network);
  });

  test('equal files of two installations are two files', async () => {
    const theirs = uniqueName('theirs');
    await other.applyService(idleService(theirs, { files: [{ path: '/etc/one', content: 'one' }] }));
    await engine.applyService(idleService(mine, { files: [] }));
    await other.removeService(theirs);
    expect((await engine.service(mine))?.image).toBe(nodeImage);
  });
}
