/**
 * Containers that a person starts by hand from an image that Berth built, or that was committed from a
 * container of Berth, have the labels of the image.
 */
import { expect, test } from 'vitest';
import { ownedBy } from '../../server/src/adapters/engine/client/engine-client.ts';
import { createSwarmEngine } from '../../server/src/adapters/engine/swarm.ts';
import { overridingAll } from '../../server/src/adapters/engine/client/labels.ts';
import { ownedLabels } from '../../server/src/adapters/engine/services/ownership.ts';
import { createdContainerAnswer } from '../../server/src/adapters/engine/services/answers.ts';
import { createEngineInMemory, type EngineInMemory } from './engine-in-memory.ts';

const mine = 'berth.application=app-1';
const ofApplication = { 'berth.application': 'app-1' };
const ofTask = {
  ...ofApplication,
  'com.docker.swarm.task.id': 'task-1',
  'com.docker.swarm.task.name': 'shop.1.task-1',
};
const ofImage = { ...ofApplication, 'berth.deployment': 'deployment-1' };

async function container(
  { api }: EngineInMemory,
  name: string,
  labels: Record<string, string>,
): Promise<string> {
  const body = { Image: 'built', Cmd: ['serve'], Labels: ownedLabels(api, labels) };
  const request = {
    method: 'POST',
    path: '/containers/create',
    query: { name },
    body,
    doing: 'making a container',
  } as const;
  return (await api.call(request, createdContainerAnswer)).Id;
}

function engineWithImage(): EngineInMemory {
  const memory = createEngineInMemory();
  memory.addImage('built', { programs: {} });
  return memory;
}

test('are not among those of its service, which a deletion waits for', async () => {
  const memory = engineWithImage();
  await container(memory, 'by-hand', ofImage);
  await container(memory, 'committed', ofTask);
  const task = await container(memory, 'shop.1.task-1', ofTask);
  const program = await container(memory, 'program', overridingAll('program', ofApplication));
  const found = await memory.engine.containers(mine);
  expect(found.map(({ id }) => id).toSorted()).toEqual([task, program].toSorted());
});

test('are nothing that a clean-up finds', async () => {
  const memory = engineWithImage();
  await container(memory, 'committed', ofTask);
  await container(memory, 'by-hand', ofImage);
  const program = await container(memory, 'program', overridingAll('program', ofApplication));
  const { containers } = await memory.engine.diskUsage();
  expect(containers.map(({ id }) => id)).toEqual([program]);
});

test('are not shown as anybody’s', async () => {
  const memory = engineWithImage();
  const id = await container(memory, 'committed', { ...ofTask, 'berth.organization': 'o1', team: 'web' });
  expect((await memory.view.allContainers()).map(({ labels }) => labels)).toEqual([{ team: 'web' }]);
  expect((await memory.view.container(id))?.labels).toEqual({ team: 'web' });
});

test('of another installation are none of its things', async () => {
  const memory = engineWithImage();
  const other = createSwarmEngine({ client: ownedBy(memory.api, 'another') });
  await container(memory, 'committed', ofTask);
  await container(memory, 'by-hand', ofImage);
  await container(memory, 'program', overridingAll('program', ofApplication));
  expect((await other.othersThings()).map(({ name }) => name)).toEqual(['program']);
});

test('keep a volume that is to be removed', async () => {
  const memory = engineWithImage();
  await memory.api.send({
    method: 'POST',
    path: '/volumes/create',
    body: { Name: 'data', Labels: ownedLabels(memory.api) },
    doing: 'making a volume',
  });
  const byHand = await container(memory, 'by-hand', ofImage);
  const made = memory.state.containers.get(byHand);
  if (made) made.volumes = ['data'];
  await expect(memory.engine.removeVolume('data')).rejects.toThrow(/in use/);
  expect([...memory.state.containers.keys()]).toEqual([byHand]);
});
