/**
 * Whose image is run, by every way of deploying: two organizations on one engine in memory, with a registry
 * that gives, denies, or is not there. Without the wall each of these deployments ends as done.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeploymentRecord } from '../../server/src/db/tables.ts';
import {
  applicationRef,
  composeRef,
  databaseRef,
  ownerOf,
  type ServiceRef,
} from '../../server/src/domain/names/service-ref.ts';
import type { Accepting } from '../../server/src/modules/deployment/deployment.ts';
import type { ServiceSpec } from '../../server/src/ports/engine/engine.ts';
import { findImage } from '../engine-in-memory/images.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { oldRedis, otherWebImage, redis, registry, web, webImage } from './images.ts';
import { kinds, type Place } from './kinds.ts';
import { createInstallation, placeOf, untilEnded, type Installation } from './trial.ts';

const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
let uninstall: () => void;
let folder: string;
let installation: Installation;
/** An application of the first organization, which has run both versions of the image. */
let service: ServiceRef;
/** Where the other organization's services stand. */
let others: Place;

beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());
beforeEach(async () => {
  const kind = kinds.find(({ name }) => name === 'image, again');
  if (kind === undefined) throw new Error('There is no such kind.');
  folder = mkdtempSync(join(inMemory, 'berth-images-'));
  installation = await createInstallation(kind, folder);
  const { deployment, faults } = await installation.tryAt(Infinity);
  if (deployment.status !== 'done')
    throw new Error(`Not deployed: ${faults.join()} ${deployment.errorMessage}`);
  service = ownerOf(deployment);
  others = await installation.run(placeOf);
});
afterEach(async () => {
  await installation.close();
  rmSync(folder, { recursive: true });
});

const memory = () => installation.machine.memory;
const denies = (): void => memory().addRegistry(registry, { username: 'somebody', password: 'else' });
/** As if the organization had got other images under these names. */
async function forgetPulls(): Promise<void> {
  const { organizationId } = installation.place;
  const other = { serverKey: 'local', imageId: 'sha256:another', pulledAt: '2026-01-01T00:00:00.000Z' };
  await installation.run(async ({ stores }) => {
    for (const reference of [webImage, otherWebImage])
      await stores.images.keepPull({ organizationId, reference, ...other });
  });
}
const isAway = (): void => void memory().state.registries.delete(registry);

async function deploy(ref: ServiceRef, accepting: Partial<Accepting> = {}): Promise<DeploymentRecord> {
  return installation.run(async (world) => {
    const asked = { kind: 'deploy', title: 'One', description: '', ...accepting } as const;
    const { deploymentId } = await world.deployments.accept(ref, asked);
    world.wake();
    return untilEnded(world, deploymentId);
  });
}

const application = (place: Place, containerImage: string): Promise<ServiceRef> =>
  installation.run(async (world) => {
    const { organizationId, environmentId } = place;
    const made = await world.applications.create({ organizationId, environmentId, name: 'thief' });
    const source = { sourceType: 'container', containerImage } as const;
    await world.applications.update(made.applicationId, organizationId, source);
    return applicationRef(made.applicationId);
  });

const database = ({ organizationId, environmentId }: Place, containerImage: string): Promise<ServiceRef> =>
  installation.run(async (world) => {
    const made = await world.databases.create(organizationId, 'redis', {
      name: 'store',
      appName: `store-${organizationId.slice(0, 8).replaceAll(/[^a-zA-Z0-9]/g, 'x')}`,
      databasePassword: 'secret',
      environmentId,
      containerImage,
    });
    return databaseRef(made.databaseId);
  });

const compose = ({ organizationId, environmentId }: Place, image: string, policy: string) =>
  installation.run(async (world) => {
    const actor = { organizationId, role: 'owner' } as const;
    const { composeId } = await world.composes.create(actor, {
      environmentId,
      name: 'Stack',
      appName: `stack-${policy}`,
      composeType: 'compose',
      sourceType: 'raw',
      composeFile: `services:\n  web: { image: '${image}', command: [serve], pull_policy: ${policy} }\n`,
    });
    return composeRef(composeId);
  });

const ways: readonly [string, (place: Place) => Promise<ServiceRef>][] = [
  ['an application', (place) => application(place, webImage)],
  ['a database', (place) => database(place, webImage)],
  ...(['always', 'missing', 'never'] as const).map(
    (policy): [string, (place: Place) => Promise<ServiceRef>] => [
      `a compose service that pulls ${policy}`,
      (place) => compose(place, webImage, policy),
    ],
  ),
];

describe("another organization's image", () => {
  test.each(ways)('is not run by %s when its registry denies it', async (_way, make) => {
    denies();
    const ended = await deploy(await make(others));
    expect(ended).toMatchObject({ status: 'error' });
    expect(ended.errorMessage).toMatch(
      /no basic auth credentials.*serves to this organization.*sharedImages/s,
    );
  });

  test.each(ways)('is not run by %s when its registry is away', async (_way, make) => {
    isAway();
    const ended = await deploy(await make(others));
    expect(ended).toMatchObject({ status: 'error' });
    expect(ended.errorMessage).toMatch(/connection refused.*has not pulled registry\.test:5000\/web:1/s);
  });

  test('is not what a database moves to', async () => {
    memory().addImage('hidden/redis:8', redis('8.0.0'));
    const ref = await database(others, oldRedis);
    expect(await deploy(ref)).toMatchObject({ status: 'done' });
    const ended = await deploy(ref, { kind: 'upgrade', image: 'hidden/redis:8' });
    expect(ended).toMatchObject({ status: 'error', stage: 'pull' });
    expect(ended.errorMessage).toContain('serves to this organization');
  });

  test.each([
    ['the beginning of its id', () => (findImage(memory().state, webImage)?.id ?? '').slice(0, 20)],
    ['what Berth built for it', () => 'berth-build/other:1'],
  ])('is not run by %s, whatever an older version took', async (_way, reference) => {
    const ref = await application(others, webImage);
    const containerImage = reference();
    await installation.run(({ stores }) =>
      stores.applications.update({ applicationId: ref.serviceId }, { containerImage }),
    );
    memory().addImage('berth-build/other:1', web);
    expect(await deploy(ref)).toMatchObject({
      status: 'error',
      stage: 'checkout',
      errorMessage: expect.stringMatching(/is the id of an image|names an image that Berth built/),
    });
  });

  test('is given to whoever the registry gives it to', async () => {
    for (const [, make] of ways.slice(0, 1))
      expect(await deploy(await make(others))).toMatchObject({ status: 'done' });
    expect(await deploy(await compose(others, otherWebImage, 'never'))).toMatchObject({ status: 'done' });
  });
});

describe("an organization's own image", () => {
  test('is not run any more once its registry denies it, and what runs goes on', async () => {
    denies();
    const before = await memory().engine.services();
    expect(await deploy(service)).toMatchObject({ status: 'error', stage: 'checkout' });
    expect(await memory().engine.services()).toEqual(before);
  });

  test('is run while its registry is away, if it is the very image that came from there', async () => {
    isAway();
    expect(await deploy(service)).toMatchObject({ status: 'done' });
    const present = await installation.run((world) => world.applications.find(service.serviceId));
    memory().addImage(present?.containerImage ?? '', { ...web, labels: { is: 'another' } });
    expect(await deploy(service)).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('has not pulled'),
    });
  });

  test('is gone back to while its registry is away, if it is known to have come from there', async () => {
    const { deploymentId } = await installation.run(async ({ deployments }) => {
      const [, before] = (await deployments.all(service)).filter(({ status }) => status === 'done');
      if (before === undefined) throw new Error('It has one version only.');
      return before;
    });
    isAway();
    const rollback = { kind: 'rollback', sourceDeploymentId: deploymentId } as const;
    expect(await deploy(service, rollback)).toMatchObject({ status: 'done' });
    await forgetPulls();
    expect(await deploy(service, rollback)).toMatchObject({ status: 'error', stage: 'release' });
  });

  test('comes back by itself when its service is gone from the engine, whatever is known of it', async () => {
    const [name = ''] = (await memory().engine.services()).flatMap(({ name: each, labels }) =>
      labels['berth.application'] === service.serviceId ? [each] : [],
    );
    isAway();
    await forgetPulls();
    await memory().engine.removeService(name);
    await installation.run(({ reconciler }) => reconciler.run());
    expect(await memory().engine.service(name)).toMatchObject({ name, replicas: 1 });
  });

  test('of a release that is not live is not made by the engine, whoever asks for it', async () => {
    memory().addImage('hidden/tools:1', web);
    await installation.run(async ({ hosts }) => {
      const { engine } = await hosts.of('local');
      const labels = { 'berth.organization': others.organizationId };
      const asked = { ...plainSpec, labels, image: 'hidden/tools:1' };
      await expect(engine.applyService(asked)).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(engine.runTask(asked, task)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    });
  });
});

const task = { signal: new AbortController().signal, limitMs: 1000, onLine: () => undefined };
const plainSpec: Omit<ServiceSpec, 'image' | 'labels'> = {
  name: 'asked',
  release: 'none',
  env: [],
  networks: [],
  replicas: 1,
  limits: {},
  reservations: {},
  mounts: [],
  files: [],
  ports: [],
  updateOrder: 'start-first',
  monitorMs: 0,
  stopGracePeriodMs: 0,
  constraints: [],
};
