/** Servers that are gone: refused deletions change nothing, and a forgotten server leaves no record. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../../server/src/domain/errors.ts';
import { createStage, type Said, type Stage } from '../../dangers/stage.ts';
import type { EngineInMemory } from '../../engine-in-memory/engine-in-memory.ts';
import { textOf } from '../../http/interface-client.ts';
import { installVirtualTime } from '../../virtual-time/virtual-time.ts';
import { oldRedis, webImage } from '../images.ts';
import { serverRecord } from '../neighbours.ts';
import { createMachine } from '../trial.ts';

const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
let uninstall: () => void;
let folder: string;
let stage: Stage;
let isDown = false;
let far: EngineInMemory;

beforeAll(async () => {
  uninstall = installVirtualTime();
  folder = mkdtempSync(join(inMemory, 'berth-forget-'));
  stage = await createStage(folder);
  const bare = await createMachine();
  far = bare.memory;
  const memory = bare.memory.connect(() => {
    if (isDown) throw new AppError('SERVICE_UNAVAILABLE', 'The server far cannot be reached over SSH.');
  });
  stage.machine.others.set('far', { ...bare, memory, disk: stage.machine.disk });
  const record = { ...serverRecord(stage.tenant.organizationId, 'far'), name: 'far away' };
  await stage.run(() => stage.stores.servers.insert(record));
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  uninstall();
});

const call = (path: string, input: object): Promise<Said> => stage.tenant.owner(path, input);
async function ok(path: string, input: object): Promise<unknown> {
  const said = await call(path, input);
  if (said.status !== 200) throw new Error(`${path} ${said.status}: ${JSON.stringify(said.body)}`);
  return said.body;
}
const running = (): string[] => [...far.state.services.values()].map(({ spec }) => spec.Name).toSorted();

const stackDomain = (composeId: string): object => ({
  composeId,
  host: 'stack.test',
  port: 3000,
  serviceName: 'web',
  domainType: 'compose',
});

interface Made {
  applicationId: string;
  redisId: string;
  composeId: string;
}

async function makeAll(): Promise<Made> {
  const { environmentId } = stage.tenant;
  const at = { environmentId, serverId: 'far' };
  const name = (one: string): object => ({ name: one, appName: one, ...at });
  const applicationId = textOf(await ok('application.create', name('web')), 'applicationId');
  const source = { sourceType: 'container', containerImage: webImage };
  await ok('application.update', { applicationId, ...source, healthCheck: { port: 3000 } });
  const cache = { ...name('cache'), databasePassword: 'secret', containerImage: oldRedis };
  const redisId = textOf(await ok('redis.create', cache), 'redisId');
  const composeFile = `services:\n  web: { image: '${webImage}', command: [serve] }\n`;
  const composeId = textOf(
    await ok('compose.create', { ...name('stack'), composeType: 'compose', composeFile }),
    'composeId',
  );
  for (const [path, input] of [
    ['application.deploy', { applicationId }],
    ['redis.deploy', { redisId }],
    ['compose.deploy', { composeId }],
  ] as const) {
    const { deploymentId, status, body } = await call(path, input);
    expect([status, await stage.ended(deploymentId)], JSON.stringify(body)).toEqual([200, 'done']);
  }
  await ok('domain.create', stackDomain(composeId));
  return { applicationId, redisId, composeId };
}

test('a deletion that cannot reach the server changes nothing, forgetting leaves no record', async () => {
  const { applicationId, redisId, composeId } = await makeAll();
  const before = running();
  expect(before).toEqual(expect.arrayContaining(['web', 'cache', 'stack_web']));
  isDown = true;
  // It waits for the server, and a refused deletion lets it wait on.
  const waiting = await call('application.deploy', { applicationId });
  const removals = [
    ['application.delete', { applicationId }],
    ['redis.remove', { redisId, deleteBackups: true }],
    ['compose.delete', { composeId }],
  ] as const;
  for (const [path, input] of removals) {
    const { status, body } = await call(path, input);
    expect(status, path).toBe(503);
    expect(JSON.stringify(body)).toMatch(/cannot be reached.*Nothing was changed.*server\.forget/);
  }
  const statusOf = async (): Promise<string | undefined> =>
    (await stage.stores.deployments.find({ deploymentId: waiting.deploymentId ?? '' }))?.status;
  expect(await stage.run(statusOf)).not.toBe('cancelled');

  const removal = await call('server.remove', { serverId: 'far' });
  expect([removal.status, JSON.stringify(removal.body)]).toEqual([
    412,
    expect.stringMatching(/3 services.*server\.forget/),
  ]);
  const standing = [
    { kind: 'application', serviceId: applicationId, name: 'web', appName: 'web' },
    { kind: 'compose', serviceId: composeId, name: 'stack', appName: 'stack' },
    { kind: 'database', serviceId: redisId, name: 'cache', appName: 'cache' },
  ];
  expect(await ok('server.services', { serverId: 'far' })).toEqual(standing);
  expect(await call('server.forget', { serverId: 'far', name: 'far' })).toMatchObject({ status: 400 });
  expect(await ok('server.services', { serverId: 'far' })).toEqual(standing);

  expect(await ok('server.forget', { serverId: 'far', name: 'far away' })).toMatchObject({
    serverId: 'far',
    forgotten: standing,
    formerNodes: [],
  });
  for (const [path, input] of [
    ['application.one', { applicationId }],
    ['redis.one', { redisId }],
    ['compose.one', { composeId }],
    ['server.one', { serverId: 'far' }],
  ] as const)
    expect(await call(path, input), path).toMatchObject({ status: 404 });
  expect(await stage.run(() => stage.stores.domains.list({ host: 'stack.test' }))).toEqual([]);
  expect(running()).toEqual(before);
});

test('what a forgotten server runs goes on when the machine is added again', async () => {
  isDown = false;
  const before = running();
  const record = {
    ...serverRecord(stage.tenant.organizationId, 'far'),
    createdAt: new Date(Date.now() + 60_000).toISOString(),
  };
  await stage.run(() => stage.stores.servers.insert(record));
  await stage.run(() => stage.world.reconciler.run());
  const wanted = [...far.state.services.values()]
    .filter(({ spec }) => ['web', 'cache', 'stack_web'].includes(spec.Name))
    .map(({ spec }) => spec.Mode.Replicated?.Replicas);
  expect(running()).toEqual(expect.arrayContaining(before));
  expect(wanted).toEqual([1, 1, 1]);
});
