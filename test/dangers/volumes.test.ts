/** The ways in which data of a compose service could be lost or shared, on the engine in memory. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { push } from '../engine-in-memory/images.ts';
import { textOf } from '../http/interface-client.ts';
import { registry, web } from '../kill-matrix/images.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { createStage, type Said, type Stage } from './stage.ts';

const declaring = `${registry}/declaring:1`;
const composeFile = `services:
  one: {image: "${declaring}", restart: always, volumes: ["/data", "named:/named"]}
  two: {image: "${declaring}", restart: always, volumes: ["/data"]}
volumes: {named: }
`;

let uninstall: () => void;
let folder: string;
let stage: Stage;
beforeAll(async () => {
  uninstall = installVirtualTime();
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'berth-volumes-'));
  stage = await createStage(folder);
  const { memory } = stage.machine;
  memory.addImage(declaring, { ...web, volumes: ['/var/declared'] });
  push(memory.state, declaring, undefined);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  uninstall();
});

async function call(path: string, input: object): Promise<Said> {
  const answer = await stage.installation.owner(path, input);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

async function deployed(path: string, input: object): Promise<string> {
  const { deploymentId = '' } = await call(path, input);
  expect(await stage.ended(deploymentId)).toBe('done');
  return deploymentId;
}

async function made(name: string, file = composeFile): Promise<string> {
  const { environmentId } = stage.installation;
  const answer = await call('compose.create', { name, appName: name, environmentId, composeFile: file });
  return textOf(answer.body, 'composeId');
}

/** What the running containers have, by the name of their service. */
function mounted(composeId: string): Record<string, string[]> {
  const running = [...stage.machine.memory.state.containers.values()].filter(
    ({ labels, state }) => labels['berth.compose'] === composeId && state === 'running',
  );
  return Object.fromEntries(
    running
      .map(({ labels, volumes }): [string, string[]] => [labels['berth.service'] ?? '', volumes.toSorted()])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

type Way = (composeId: string, first: string) => Promise<unknown>;

const ways: [string, Way][] = [
  ['a deployment', (composeId) => deployed('compose.deploy', { composeId })],
  [
    'a stop and a start',
    async (composeId) => {
      await call('compose.stop', { composeId });
      await call('compose.start', { composeId });
    },
  ],
  [
    'another name',
    async (composeId) => {
      await call('compose.update', { composeId, appName: 'renamed' });
      await deployed('compose.deploy', { composeId });
    },
  ],
  [
    'a rollback',
    async (composeId, first) => {
      await deployed('compose.deploy', { composeId });
      await deployed('deployment.rollback', { deploymentId: first });
    },
  ],
  ['a look of the reconciler', () => stage.run(() => stage.world.reconciler.run())],
];

test('two services share nothing that has no name, and keep what they have', async () => {
  const composeId = await made('keeping');
  const first = await deployed('compose.deploy', { composeId });
  const before = mounted(composeId);
  const all = Object.values(before).flat();
  expect(Object.keys(before)).toEqual(['one', 'two']);
  expect(all).toHaveLength(5);
  expect(new Set(all).size).toBe(5);
  for (const [what, happens] of ways) {
    await happens(composeId, first);
    expect({ what, mounted: mounted(composeId) }).toEqual({ what, mounted: before });
  }
  const { body } = await call('compose.delete', { composeId, deleteVolumes: false });
  expect(Reflect.get(Object(body), 'keptVolumes').toSorted()).toEqual(all.toSorted());
  // Made again it is another: it takes nothing over, and what was kept stays.
  const again = await made('keeping');
  await deployed('compose.deploy', { composeId: again });
  expect(
    Object.values(mounted(again))
      .flat()
      .filter((volume) => all.includes(volume)),
  ).toEqual([]);
  for (const volume of all) expect(stage.machine.memory.state.volumes.has(volume)).toBe(true);
  await call('compose.delete', { composeId: again, deleteVolumes: true });
});

test('each task has volumes of its own, and the first keeps its at every scale', async () => {
  const file = (scale: number): string =>
    `services: {web: {image: "${declaring}", scale: ${scale}, volumes: ["/data"]}}`;
  const composeId = await made('scaled', file(1));
  await deployed('compose.deploy', { composeId });
  const alone = mounted(composeId)['web'] ?? [];
  await call('compose.update', { composeId, composeFile: file(3) });
  await deployed('compose.deploy', { composeId });
  const volumes = [...stage.machine.memory.state.containers.values()]
    .filter(({ labels, state }) => labels['berth.compose'] === composeId && state === 'running')
    .flatMap((container) => container.volumes);
  expect(volumes).toHaveLength(6);
  expect(new Set(volumes).size).toBe(6);
  expect(volumes).toEqual(expect.arrayContaining(alone));
  await call('compose.delete', { composeId, deleteVolumes: true });
  expect([...stage.machine.memory.state.volumes.keys()].filter((name) => volumes.includes(name))).toEqual([]);
});

test('an external volume that is not there is refused by its name, and taken when it is', async () => {
  const name = 'shop-data-of-2024';
  const composeId = await made(
    'external',
    `services: {web: {image: "${declaring}", volumes: ["data:/var/declared"]}}\n` +
      `volumes: {data: {external: true, name: ${name}}}\n`,
  );
  const deploy = async (): Promise<string> =>
    stage.ended((await call('compose.deploy', { composeId })).deploymentId);
  expect(await deploy()).toContain(`there is no volume ${name}`);
  expect(stage.machine.memory.state.volumes.has(name)).toBe(false);
  stage.machine.memory.state.volumes.set(name, { name, labels: {} });
  expect(await deploy()).toBe('done');
  expect(mounted(composeId)).toEqual({ web: [name] });
});
