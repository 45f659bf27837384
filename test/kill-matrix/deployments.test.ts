/**
 * Deployments and the reconciler on an engine in memory, where something other than Berth itself goes wrong.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { DeploymentRecord } from '../../server/src/db/tables.ts';
import { idFields, type ServiceRef } from '../../server/src/domain/names/service-ref.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { registry, web } from './images.ts';
import { kinds } from './kinds.ts';
import { createInstallation, untilEnded, type Installation, type Trial } from './trial.ts';

const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const open: { installation: Installation; folder: string }[] = [];
let uninstall: () => void;

beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());
afterEach(async () => {
  for (const { installation, folder } of open.splice(0)) {
    await installation.close();
    rmSync(folder, { recursive: true });
  }
});

/**
 * An installation on which a service of the kind was deployed twice, with the name of the engine's service.
 */
async function deployed(
  kindName: string,
): Promise<{ installation: Installation; service: ServiceRef; name: string }> {
  const kind = kinds.find(({ name }) => name === kindName);
  if (kind === undefined) throw new Error(`There is no kind ${kindName}.`);
  const folder = mkdtempSync(join(inMemory, 'berth-deployments-'));
  const installation = await createInstallation(kind, folder);
  open.push({ installation, folder });
  const { deployment, faults }: Trial = await installation.tryAt(Infinity);
  expect({ faults, status: deployment.status }).toEqual({ faults: [], status: 'done' });
  const [found] = (['application', 'database', 'compose'] as const).flatMap((each) => {
    const serviceId = deployment[idFields[each]];
    return serviceId === null ? [] : [{ kind: each, serviceId }];
  });
  const name = [...installation.machine.memory.state.services.values()].find(
    ({ spec }) => spec.Name !== 'berth-proxy',
  )?.spec.Name;
  if (found === undefined || name === undefined) throw new Error('Nothing was deployed.');
  return { installation, service: found, name };
}

/** Deploys and gives how it ended; `meanwhile` begins when it was accepted. */
async function deploy(
  installation: Installation,
  service: ServiceRef,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<DeploymentRecord> {
  return installation.run(async (world) => {
    const { deploymentId } = await world.deployments.accept(service, {
      kind: 'deploy',
      title: 'One',
      description: '',
    });
    world.wake();
    await meanwhile();
    return untilEnded(world, deploymentId);
  });
}

async function setImage(installation: Installation, { serviceId }: ServiceRef, image: string): Promise<void> {
  const { organizationId } = installation.place;
  await installation.run((world) =>
    world.applications.update(serviceId, organizationId, { containerImage: image }),
  );
}

/** The tasks of the service that run. */
async function running(installation: Installation, name: string): Promise<string[]> {
  const tasks = await installation.machine.memory.engine.tasks(name);
  return tasks.filter(({ state }) => state === 'running').map(({ id }) => id);
}

test('a version that ends at its start is taken back, and the former one answers all the time', async () => {
  const { installation, service, name } = await deployed('image, again');
  const { memory } = installation.machine;
  memory.addImage('local/broken:1', { programs: { serve: () => 3 }, command: ['serve'] });
  await setImage(installation, service, 'local/broken:1');
  const before = await running(installation, name);
  const ended = await deploy(installation, service);
  expect(ended).toMatchObject({ status: 'error', stage: 'await-healthy' });
  expect(ended.errorMessage).toContain('ended with exit code 3');
  expect(await running(installation, name)).toEqual(before);
});

test('a version that never listens is taken back', async () => {
  const { installation, service, name } = await deployed('image, again');
  installation.machine.memory.addImage('local/deaf:1', { ...web, command: ['sleep', '100000'] });
  await setImage(installation, service, 'local/deaf:1');
  const before = await running(installation, name);
  const ended = await deploy(installation, service);
  expect(ended.errorMessage).toContain('never became healthy');
  expect(await running(installation, name)).toEqual(before);
});

test('an image that nobody has fails the deployment before anything is released', async () => {
  const { installation, service } = await deployed('image, again');
  await setImage(installation, service, `${registry}/nothing:1`);
  expect(await deploy(installation, service)).toMatchObject({
    status: 'error',
    stage: 'checkout',
    errorMessage: expect.stringContaining('manifest unknown'),
  });
});

test('a build that fails leaves the former version', async () => {
  const { installation, service, name } = await deployed('source, again');
  const before = await running(installation, name);
  Reflect.deleteProperty(installation.machine.repository, 'Dockerfile');
  expect(await deploy(installation, service)).toMatchObject({ status: 'error', stage: 'build' });
  expect(await running(installation, name)).toEqual(before);
});

test.each([
  ['source, again', 1],
  ['image, again', 0],
])('a deployment of %s tells a builder that a build comes: %i', async (kindName, times) => {
  const { installation, service } = await deployed(kindName);
  installation.machine.readied.splice(0);
  await deploy(installation, service);
  expect(installation.machine.readied).toHaveLength(times);
});

test('an engine that is away for a while during a release is waited for', async () => {
  const { installation, service } = await deployed('source, again');
  const { memory } = installation.machine;
  const ended = await deploy(installation, service, async () => {
    await sleep(1_500);
    memory.setAway(true);
    await sleep(20_000);
    memory.setAway(false);
  });
  expect(ended).toMatchObject({ status: 'done', errorMessage: null });
});

test('an engine that refuses the release once fails the deployment in its words', async () => {
  const { installation, service } = await deployed('source, again');
  const { memory } = installation.machine;
  memory.disturbNext(({ path }) => path.endsWith('/update'), new Error('no space left on device'));
  expect(await deploy(installation, service)).toMatchObject({ status: 'error', stage: 'release' });
  expect(await deploy(installation, service)).toMatchObject({ status: 'done' });
});

test('a deployment that a person ends is ended as such', async () => {
  const { installation, service } = await deployed('source, again');
  const ended = await deploy(installation, service, async () => {
    await sleep(900);
    await installation.run((world) =>
      world.interruption.endThen(service, { operation: 'stop', userId: undefined }, async () => undefined),
    );
  });
  expect(ended).toMatchObject({ status: 'cancelled', errorMessage: 'Ended by stop.' });
});

test('the reconciler puts right what somebody did to the engine by hand', async () => {
  const { installation, name } = await deployed('source, again');
  const { engine } = installation.machine.memory;
  const reconcile = (): Promise<string[]> =>
    installation.run(async (world) => {
      world.drift.length = 0;
      await world.reconciler.run();
      return [...world.drift];
    });
  await engine.removeService(name);
  expect(await reconcile()).toEqual([expect.stringContaining(name)]);
  await sleep(30_000);
  expect(await running(installation, name)).toHaveLength(1);
  await engine.scaleService(name, 3);
  expect(await reconcile()).toEqual([expect.stringContaining(name)]);
  await sleep(30_000);
  expect(await running(installation, name)).toHaveLength(1);
  await engine.removeService('berth-proxy');
  installation.machine.routes.digest = '';
  expect((await reconcile()).join('\n')).toMatch(/berth-proxy: was missing.*routes: /s);
  expect(await reconcile()).toEqual([]);
});
