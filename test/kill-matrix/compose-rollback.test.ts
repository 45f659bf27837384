/** Compose services that go back to an earlier release, on the engine in memory. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createStage, type Stage } from '../dangers/stage.ts';
import { textOf } from '../http/interface-client.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { oldRedis, webImage } from './images.ts';

const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
let uninstall: () => void;
let folder: string;
let stage: Stage;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());
beforeEach(async () => {
  folder = mkdtempSync(join(inMemory, 'berth-compose-back-'));
  stage = await createStage(folder);
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const file = (color: string, more = ''): string =>
  `services:\n  web:\n    image: ${webImage}\n    command: [serve]\n    environment: { COLOR: ${color} }\n` +
  `  store:\n    image: ${oldRedis}\n    entrypoint: [sh, -c, 'exec $$(command -v docker-entrypoint.sh)']\n` +
  `    volumes: [data:/data]\n${more}volumes: { data: {} }\n`;
const third = `  extra:\n    image: ${webImage}\n    command: [serve]\n`;

const call = (path: string, input: object) => stage.tenant.owner(path, input);
async function deployed(composeId: string, composeFile: string): Promise<string> {
  await call('compose.update', { composeId, composeFile });
  const { deploymentId } = await call('compose.deploy', { composeId });
  expect(await stage.ended(deploymentId)).toBe('done');
  return deploymentId ?? '';
}
const running = () =>
  [...stage.machine.memory.state.services.values()].map(({ spec, version }) => ({ spec, version }));
const named = (name: string) => running().find(({ spec }) => spec.Name === name);
const colorOf = (name: string): string | undefined =>
  JSON.stringify(named(name)?.spec).match(/COLOR=(\w+)/)?.[1];

it('runs what ran before, leaves alone what did not change, and removes what came later', async () => {
  const { environmentId } = stage.tenant;
  const made = await call('compose.create', { name: 'stack', appName: 'stack', environmentId });
  const composeId = textOf(made.body, 'composeId');
  const first = await deployed(composeId, file('red'));
  const second = await deployed(composeId, file('blue', third));
  expect(colorOf('stack_web')).toBe('blue');
  const before = named('stack_store')?.version;

  const back = await call('deployment.rollback', { deploymentId: first });
  expect(back).toMatchObject({ status: 200, body: { kind: 'rollback', composeId } });
  expect(await stage.ended(back.deploymentId)).toBe('done');
  expect(colorOf('stack_web')).toBe('red');
  expect(named('stack_extra')).toBeUndefined();
  expect(named('stack_store')?.version).toEqual(before);
  // The record keeps the newer file, and says that it would change something.
  expect((await call('compose.one', { composeId })).body).toMatchObject({
    composeStatus: 'done',
    pendingChanges: expect.arrayContaining(['composeFile']),
  });

  const forth = await call('deployment.rollback', { deploymentId: second });
  expect(await stage.ended(forth.deploymentId)).toBe('done');
  expect([colorOf('stack_web'), named('stack_extra') !== undefined]).toEqual(['blue', true]);
});

it('is refused for a deployment that never ran, and under another suffix', async () => {
  const { environmentId } = stage.tenant;
  const made = await call('compose.create', { name: 'stack', appName: 'stack', environmentId });
  const composeId = textOf(made.body, 'composeId');
  const first = await deployed(composeId, file('red'));
  await call('compose.update', { composeId, composeFile: file('red').replace('[serve]', '[nonsense]') });
  const failed = await call('compose.deploy', { composeId });
  expect(await stage.ended(failed.deploymentId)).toMatch(/^error/);
  const refused = await call('deployment.rollback', { deploymentId: failed.deploymentId });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    412,
    expect.stringContaining('never ran healthy'),
  ]);
  await call('compose.update', { composeId, randomize: true, suffix: 'abc' });
  const other = await call('deployment.rollback', { deploymentId: first });
  expect(await stage.ended(other.deploymentId)).toMatch(/ran with no suffix and stack has abc now/);
});

it('a failed change has ended when what was put back is healthy', async () => {
  const { environmentId } = stage.tenant;
  const made = await call('compose.create', { name: 'stack', appName: 'stack', environmentId });
  const composeId = textOf(made.body, 'composeId');
  await deployed(composeId, file('red'));
  const composeFile = file('blue', third.replace('[serve]', '[is-not-there]').replace('extra', 'later'));
  await call('compose.update', {
    composeId,
    composeFile: composeFile.replace(
      'later:\n',
      'later:\n    depends_on: { web: { condition: service_healthy } }\n',
    ),
  });
  const { deploymentId } = await call('compose.deploy', { composeId });
  expect(await stage.ended(deploymentId)).toMatch(/^error: Service later: /);
  const states = [...stage.machine.memory.state.tasks.values()]
    .filter(({ serviceName }) => serviceName === 'stack_web')
    .map(({ template, state }) => `${JSON.stringify(template).match(/COLOR=(\w+)/)?.[1]} ${state}`);
  expect(states).toContain('red running');
  expect(stage.machine.logs.get(deploymentId ?? '')).toContain(
    'stack_web: rolled back to the previous version.',
  );
});
