/** Quotas by every way to more: on Berth's own composition with its interface, on an engine in memory. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createStage, type Said, type Stage } from '../dangers/stage.ts';
import { textOf } from '../http/interface-client.ts';
import { otherWebImage, registry, webImage } from '../kill-matrix/images.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';

const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const GiB = 1024 ** 3;
let uninstall: () => void;
let stage: Stage;
let folder: string;

beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());
beforeEach(async () => {
  folder = mkdtempSync(join(inMemory, 'berth-quotas-'));
  stage = await createStage(folder);
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const setQuota = (quota: object): Promise<Said> =>
  stage.installation.owner('organization.setQuota', {
    organizationId: stage.tenant.organizationId,
    ...quota,
  });
const one = (path: string, input: object = {}): Promise<Said> => stage.tenant.owner(path, input);
const status = async (said: Promise<Said>): Promise<number> => (await said).status;
const place = (): { environmentId: string } => ({ environmentId: stage.tenant.environmentId });

async function application(name: string, settings: object = {}): Promise<string> {
  const made = await one('application.create', { name, appName: name, ...place() });
  const applicationId = textOf(made.body, 'applicationId');
  const update = { applicationId, sourceType: 'container', containerImage: webImage, ...settings };
  expect(await status(one('application.update', update))).toBe(200);
  return applicationId;
}
const deploy = async (applicationId: string): Promise<string> =>
  stage.ended((await one('application.deploy', { applicationId })).deploymentId);

it('is set by the installation’s Owner alone, and shown beside what is used', async () => {
  const { organizationId } = stage.tenant;
  const input = { organizationId, services: 3 };
  expect(await status(stage.tenant.owner('organization.setQuota', input))).toBe(403);
  expect(await status(stage.installation.admin('organization.setQuota', input))).toBe(403);
  expect(await setQuota({ services: 3 })).toMatchObject({ status: 200, body: { quota: { services: 3 } } });
  await application('shop', { memoryLimit: '1g', cpuLimit: '0.5', replicas: 2 });
  const shown = {
    status: 200,
    body: {
      used: { services: 1, memoryBytes: 2 * GiB, nanoCpus: 1e9, builds: 0, backupBytes: 0, diskBytes: 0 },
    },
  };
  expect(await one('organization.usage', { organizationId })).toMatchObject(shown);
  expect(await stage.installation.admin('organization.usage', { organizationId })).toMatchObject(shown);
  expect(
    await status(
      stage.tenant.owner('organization.usage', { organizationId: stage.installation.organizationId }),
    ),
  ).toBe(403);
});

it('refuses a service too many by every way of making one', async () => {
  await application('shop');
  await setQuota({ services: 1 });
  const { environmentId } = place();
  const password = { databasePassword: 'something' };
  const ways: readonly [string, object][] = [
    ['application.create', { name: 'further', appName: 'further', environmentId }],
    ['compose.create', { name: 'further', appName: 'further', environmentId }],
    ['redis.create', { name: 'further', appName: 'further', environmentId, ...password }],
    ['environment.duplicate', { environmentId, name: 'further' }],
  ];
  for (const [path, input] of ways) {
    const { status: answered, body } = await one(path, input);
    expect([path, answered]).toEqual([path, 409]);
    expect(JSON.stringify(body)).toMatch(/may have 1 services; it has 1, and this would make it 2/);
  }
  expect(
    await status(
      stage.installation.owner('application.create', {
        name: 'further',
        appName: 'further',
        environmentId: stage.installation.environmentId,
      }),
    ),
  ).toBe(200);
});

it('refuses more memory, more replicas, and a deployment without a limit', async () => {
  const applicationId = await application('shop', { memoryLimit: '1g' });
  await setQuota({ memoryBytes: 2 * GiB });
  for (const more of [{ memoryLimit: '3g' }, { replicas: 3 }])
    expect(await status(one('application.update', { applicationId, ...more }))).toBe(409);
  const unlimited = await application('unlimited');
  const refused = await one('application.deploy', { applicationId: unlimited });
  expect(refused.status).toBe(409);
  expect(JSON.stringify(refused.body)).toContain('unlimited has no memoryLimit');
  const { body } = await one('application.one', { applicationId: unlimited });
  expect(await status(stage.push('application', textOf(body, 'refreshToken')))).toBe(409);
  expect(await deploy(applicationId)).toBe('done');
});

it('refuses a rollback to what was larger', async () => {
  const applicationId = await application('shop', { memoryLimit: '3g' });
  const { deploymentId } = await one('application.deploy', { applicationId });
  expect(await stage.ended(deploymentId)).toBe('done');
  expect(await status(one('application.update', { applicationId, memoryLimit: '1g' }))).toBe(200);
  expect(await deploy(applicationId)).toBe('done');
  await setQuota({ memoryBytes: 2 * GiB });
  const back = await one('deployment.rollback', { deploymentId });
  expect(await stage.ended(back.deploymentId)).toMatch(/error: .*may have 2048 MiB.*make it 3072 MiB/s);
});

it('refuses a compose file that asks for more, or names no limit', async () => {
  await setQuota({ memoryBytes: 2 * GiB });
  const made = await one('compose.create', { name: 'stack', appName: 'stack', ...place() });
  const composeId = textOf(made.body, 'composeId');
  const deployed = async (resources: string): Promise<string> => {
    const service = (name: string): string =>
      `  ${name}:\n    image: ${webImage}\n    command: [serve]\n    ${resources}\n`;
    const composeFile = `services:\n${service('one')}${service('two')}`;
    expect(await status(one('compose.update', { composeId, sourceType: 'raw', composeFile }))).toBe(200);
    return stage.ended((await one('compose.deploy', { composeId })).deploymentId);
  };
  const limit = (memory: string): string => `deploy: { resources: { limits: { memory: ${memory} } } }`;
  expect(await deployed(limit('1500m'))).toMatch(/may have 2048 MiB.*has 0 MiB.*make it 3000 MiB/s);
  expect(await deployed('')).toMatch(/stack has no memoryLimit/);
  expect(await deployed(limit('1g'))).toBe('done');
  // It counts from now on, and is no hindrance to itself.
  expect(await deployed(limit('900m'))).toBe('done');
  const applicationId = await application('shop');
  const refused = await one('application.update', { applicationId, memoryLimit: '500m' });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    409,
    expect.stringContaining('it has 1800 MiB, and this would make it 2300 MiB'),
  ]);
});

const limited = (memory: string): string => `deploy: { resources: { limits: { memory: ${memory} } } }`;
const serving = (name: string, memory: string): string =>
  `  ${name}:\n    image: ${webImage}\n    command: [serve]\n    ${limited(memory)}\n`;

async function stack(name: string, composeFile: string): Promise<string> {
  const made = await one('compose.create', { name, appName: name, ...place(), composeFile });
  return textOf(made.body, 'composeId');
}

it('lets one of two compose services through that are deployed at the same moment', async () => {
  await setQuota({ memoryBytes: 2 * GiB });
  const file = `services:\n${serving('web', '1500m')}`;
  const both = await Promise.all(['first', 'second'].map((name) => stack(name, file)));
  const begun = await Promise.all(both.map((composeId) => one('compose.deploy', { composeId })));
  const ends = [await stage.ended(begun[0]?.deploymentId), await stage.ended(begun[1]?.deploymentId)];
  expect(ends.toSorted()).toEqual([
    'done',
    expect.stringMatching(/error: .*may have 2048 MiB.*has 1500 MiB.*make it 3000 MiB/s),
  ]);
});

it('leaves a service that the last release of its file did not change, and lets it come back', async () => {
  const file = (memory: string): string => `services:\n${serving('kept', '1g')}${serving('changed', memory)}`;
  const composeId = await stack('stack', file('1g'));
  const deployed = async (): Promise<string> =>
    stage.ended((await one('compose.deploy', { composeId })).deploymentId);
  expect(await deployed()).toBe('done');
  expect(await status(one('compose.update', { composeId, composeFile: file('900m') }))).toBe(200);
  expect(await deployed()).toBe('done');
  await setQuota({ memoryBytes: GiB / 2 });
  await stage.run(() => stage.machine.memory.engine.removeService('stack_kept', { limitMs: 60_000 }));
  await stage.run(() => stage.world.reconciler.run());
  expect([...stage.machine.memory.state.services.values()].map(({ spec }) => spec.Name)).toContain(
    'stack_kept',
  );
});

it('leaves what runs, and lets it come back', async () => {
  const applicationId = await application('shop', { memoryLimit: '1g' });
  expect(await deploy(applicationId)).toBe('done');
  await setQuota({ memoryBytes: GiB / 2, services: 0 });
  await stage.run(() => stage.machine.memory.engine.removeService('shop', { limitMs: 60_000 }));
  await stage.run(() => stage.world.reconciler.run());
  expect([...stage.machine.memory.state.services.values()].map(({ spec }) => spec.Name)).toContain('shop');
  expect(await status(one('application.deploy', { applicationId }))).toBe(409);
});

it('refuses what would take more disk, keeps nothing of it, and counts volumes and images', async () => {
  const { organizationId } = stage.tenant;
  const { state } = stage.machine.memory;
  const MiB = 1024 ** 2;
  const used = async (): Promise<unknown> => (await one('organization.usage', { organizationId })).body;
  const weighs = (name: string, sizeBytes: number): void => {
    const image = state.registries.get(registry)?.images.get(name);
    if (!image) throw new Error(`The registry has no ${name}.`);
    image.content = { ...image.content, sizeBytes };
  };
  weighs(webImage, 10 * MiB);
  weighs(otherWebImage, 20 * MiB);
  const applicationId = await application('shop');
  await setQuota({ diskBytes: 25 * MiB });
  expect(await deploy(applicationId)).toBe('done');
  expect(await used()).toMatchObject({ used: { diskBytes: 10 * MiB } });

  const further = await application('further', { containerImage: otherWebImage });
  expect(await deploy(further)).toMatch(/error: .*may have 25 MiB of disk.*it has 30 MiB\. Remove services/s);
  expect([...state.images.values()].flatMap(({ tags }) => [...tags])).not.toContain(otherWebImage);
  expect(await used()).toMatchObject({ used: { diskBytes: 10 * MiB } });

  weighs(otherWebImage, 15 * MiB);
  expect(await deploy(further)).toBe('done');
  const labels = { 'berth.managed': 'true', 'berth.organization': organizationId };
  state.volumes.set('of-the-shop', { name: 'of-the-shop', labels, bytes: MiB });
  expect(await deploy(applicationId)).toMatch(/error: .*it has 26 MiB/s);
  // What runs goes on, and what was removed makes room.
  expect([...state.services.values()].map(({ spec }) => spec.Name)).toContain('shop');
  state.volumes.delete('of-the-shop');
  expect(await deploy(applicationId)).toBe('done');
});
