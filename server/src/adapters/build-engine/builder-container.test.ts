/** Builders of two installations on one engine, as after an adoption: neither name nor cache is shared. */
import { expect, test } from 'vitest';
import {
  createEngineInMemory,
  type EngineInMemory,
} from '../../../../test/engine-in-memory/engine-in-memory.ts';
import type { Program } from '../../../../test/engine-in-memory/programs/program.ts';
import { builderLabel } from '../../domain/names/labels.ts';
import { ownedLabels } from '../engine/services/ownership.ts';
import { builderName, ensureBuilder, removeBuilder, stopBuilder } from './builder-container.ts';
import { formerNameOf, nameOf, organizationOf } from './container-spec.ts';

const organizationId = 'o1';
const image = 'berth/builder:test';
const walls = { never: [], open: [], closed: [], host: [], hostPorts: [] };

const untilStopped: Program = ({ onStop }) =>
  new Promise((resolve) => {
    onStop(() => resolve(0));
  });

function withTwo(): { first: EngineInMemory; second: EngineInMemory } {
  const first = createEngineInMemory();
  first.addImage(image, { programs: { idle: untilStopped }, command: ['idle'] });
  return { first, second: first.connect(() => undefined, 'secondone') };
}

async function lend(memory: EngineInMemory): Promise<{ id: string; name: string }> {
  const name = await builderName(memory.api, organizationId);
  return { id: await start(memory, name), name };
}

async function start({ api, state }: EngineInMemory, name: string): Promise<string> {
  const { signal } = new AbortController();
  const container = { name, organizationId, image, hostFolder: '/run/builders', walls };
  const use = { isInUse: false, limits: [], signal };
  const { id } = await ensureBuilder(api, container, use, async () => true);
  // A real engine makes it for the mount, with the labels of its owner.
  const labels = ownedLabels(api, { [builderLabel]: organizationId });
  if (!state.volumes.has(name)) state.volumes.set(name, { name, labels });
  return id;
}

const running = ({ state }: EngineInMemory): string[] => [...state.containers.keys()].toSorted();

test('each has a builder and a cache of its own, also of one organization', async () => {
  const { first, second } = withTwo();
  const [mine, theirs] = [await lend(first), await lend(second)];
  expect(mine.name).toBe(nameOf(first.api, organizationId));
  expect(theirs.name).not.toBe(mine.name);
  expect(running(first)).toEqual([mine.id, theirs.id].toSorted());
  expect([...first.state.volumes.keys()].toSorted()).toEqual([mine.name, theirs.name].toSorted());
  expect((await lend(second)).id).toBe(theirs.id);
  await stopBuilder(second.api, organizationId);
  await removeBuilder(second.api, organizationId);
  expect(running(first)).toEqual([mine.id]);
});

test('a builder from before names had the id keeps its name, and nobody else takes it', async () => {
  const { first, second } = withTwo();
  const former = formerNameOf(organizationId);
  const id = await start(first, former);
  expect(await lend(first)).toEqual({ id, name: former });
  const theirs = await lend(second);
  expect(theirs.name).toBe(nameOf(second.api, organizationId));
  await removeBuilder(second.api, organizationId);
  expect(running(first)).toEqual([id]);
  await stopBuilder(first.api, organizationId);
  expect(running(first)).toEqual([]);
  // Its cache has the name still.
  expect((await lend(first)).name).toBe(former);
});

test('names tell the organization, and of another installation none that exists', () => {
  const owner = { installation: 'one' };
  expect(organizationOf(owner, nameOf(owner, 'o-1'))).toBe('o-1');
  expect(organizationOf(owner, formerNameOf('o-1'))).toBe('o-1');
  expect(organizationOf(owner, nameOf({ installation: 'two' }, 'o-1'))).not.toBe('o-1');
  expect(organizationOf(owner, 'berth-proxy')).toBeUndefined();
});
