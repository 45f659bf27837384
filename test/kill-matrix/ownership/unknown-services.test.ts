/** Services that no record names, and services from before things bore an id. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { installationLabel } from '../../../server/src/domain/names/labels.ts';
import type { ServiceRef } from '../../../server/src/domain/names/service-ref.ts';
import { productInMemory } from '../product.ts';

const product = productInMemory();
const dayMs = 24 * 3_600_000;

/** A deployed application that its record is taken from, as a restore of an older backup does. */
async function forgotten(name: string): Promise<ServiceRef> {
  const { addApplication, deploy, run } = product();
  const service = await addApplication(name);
  expect((await deploy(service)).status).toBe('done');
  await run(async ({ stores }) => {
    const { serviceId: applicationId } = service;
    await stores.applications.update({ applicationId }, { liveDeploymentId: null });
    for (const { deploymentId } of await stores.deployments.list({ applicationId }))
      await stores.deployments.remove({ deploymentId });
    await stores.applications.remove({ applicationId });
  });
  return service;
}

const reconciled = (): Promise<string[]> =>
  product().run(async ({ reconciler, drift }) => {
    drift.length = 0;
    await reconciler.run();
    return [...drift];
  });

const replicas = (name: string): Promise<number | undefined> =>
  product().run(async ({ hosts }) => (await (await hosts.of('local')).engine.service(name))?.replicas);

test('one that no record names is stopped and told once, and removed after a day', async () => {
  await forgotten('orphaned');
  expect(await reconciled()).toContainEqual(expect.stringMatching(/^orphaned: .*no record.*stopped/));
  expect(await replicas('orphaned')).toBe(0);
  expect((await reconciled()).filter((line) => line.startsWith('orphaned'))).toEqual([]);
  expect(await replicas('orphaned')).toBe(0);
  await product().run(() => pause(dayMs + 60_000));
  await reconciled();
  expect(await replicas('orphaned')).toBeUndefined();
  expect(await product().run(({ stores }) => stores.knownThings.unknown())).toEqual([]);
});

test('one without an id stays as it is when no record names it, and is labelled when one does', async () => {
  const { addApplication, deploy, run } = product();
  await forgotten('strange');
  expect((await deploy(await addApplication('earlier'))).status).toBe('done');
  const tasks = (): Promise<string[]> =>
    run(async ({ hosts }) => {
      const { engine } = await hosts.of('local');
      return (await engine.tasks('earlier')).map(({ id }) => id);
    });
  const before = await tasks();
  const labels = await run(async ({ hosts }) => {
    const { engine } = await hosts.of('local');
    for (const name of ['strange', 'earlier']) await engine.labelService(name, { [installationLabel]: '' });
    return async (name: string) => (await engine.markOf(name))?.labels[installationLabel];
  });
  expect(await reconciled()).toEqual([expect.stringMatching(/^earlier: labelled with the id/)]);
  expect(await run(() => labels('earlier'))).not.toBe('');
  expect(await replicas('strange')).toBe(1);
  expect(await reconciled()).toEqual([]);
  expect(await tasks()).toEqual(before);
});

test('the network of one that is left as it is stays, with the proxy in it, and goes after it', async () => {
  const { addApplication, deploy, run } = product();
  expect((await deploy(await addApplication('left'))).status).toBe('done');
  await run(async ({ hosts }) => {
    const { engine, networks } = await hosts.of('local');
    const [spec] = (await engine.services()).filter(({ name }) => name === 'left');
    const [name = ''] = spec?.networks.filter((each) => each !== 'berth') ?? [];
    const proxied = async (): Promise<boolean> =>
      (await engine.containers('berth.role')).some((container) => container.networks.includes(name));
    const known = {
      environments: new Set<string>(),
      composes: new Set<string>(),
      adopted: new Set<string>(),
    };
    expect(await proxied()).toBe(true);
    expect(await networks.removeOrphans(known)).toMatchObject({ removed: [], left: [] });
    expect(await proxied()).toBe(true);
    for (const { name: service, networks: its } of await engine.services())
      if (its.includes(name) && service !== 'berth-proxy') await engine.removeService(service);
    expect(await networks.removeOrphans(known)).toMatchObject({ removed: [name], left: [] });
  });
});
