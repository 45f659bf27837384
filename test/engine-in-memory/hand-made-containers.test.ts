/** Containers that a person starts by hand from an image that Berth built have the labels of the image. */
import { expect, test } from 'vitest';
import { overridingAll } from '../../server/src/adapters/engine/services/labels.ts';
import { ownedLabels } from '../../server/src/adapters/engine/services/ownership.ts';
import { createdContainerAnswer } from '../../server/src/adapters/engine/services/answers.ts';
import { createEngineInMemory, type EngineInMemory } from './engine-in-memory.ts';

const mine = 'berth.application=app-1';
const ofApplication = { 'berth.application': 'app-1' };
const ofImage = { ...ofApplication, 'berth.deployment': 'deployment-1' };

async function container({ api }: EngineInMemory, labels: Record<string, string>): Promise<string> {
  const body = { Image: 'built', Cmd: ['serve'], Labels: ownedLabels(api, labels) };
  const request = { method: 'POST', path: '/containers/create', body, doing: 'making a container' } as const;
  return (await api.call(request, createdContainerAnswer)).Id;
}

function engineWithImage(): EngineInMemory {
  const memory = createEngineInMemory();
  memory.addImage('built', { programs: {} });
  return memory;
}

test('are not among those of its service, which a deletion waits for', async () => {
  const memory = engineWithImage();
  await container(memory, ofImage);
  const task = await container(memory, { ...ofImage, 'com.docker.swarm.task.id': 'task-1' });
  const program = await container(memory, overridingAll(ofApplication));
  const found = await memory.engine.containers(mine);
  expect(found.map(({ id }) => id).toSorted()).toEqual([task, program].toSorted());
});

test('are nothing that a clean-up finds', async () => {
  const memory = engineWithImage();
  await container(memory, ofImage);
  const program = await container(memory, overridingAll(ofApplication));
  const { containers } = await memory.engine.diskUsage();
  expect(containers.map(({ id }) => id)).toEqual([program]);
});

test('keep a volume that is to be removed', async () => {
  const memory = engineWithImage();
  await memory.api.send({
    method: 'POST',
    path: '/volumes/create',
    body: { Name: 'data', Labels: ownedLabels(memory.api) },
    doing: 'making a volume',
  });
  const byHand = await container(memory, ofImage);
  const made = memory.state.containers.get(byHand);
  if (made) made.volumes = ['data'];
  await expect(memory.engine.removeVolume('data')).rejects.toThrow(/in use/);
  expect([...memory.state.containers.keys()]).toEqual([byHand]);
});
