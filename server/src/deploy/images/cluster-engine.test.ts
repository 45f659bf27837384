import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createEngineInMemory,
  type EngineInMemory,
} from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { findImage } from '../../../../test/engine-in-memory/images.ts';
import { never } from '../../../../test/engine-in-memory/programs/program.ts';
import { stepService } from '../../../../test/engine-suite/fixture.ts';
import { installVirtualTime } from '../../../../test/virtual-time/virtual-time.ts';
import { AppError } from '../../domain/errors.ts';
import type { SwarmNode } from '../../ports/engine/engine-view.ts';
import { waitUntilSo } from '../../ports/wait-until.ts';
import { bringImages, clusterEngine, membersIn, type MemberServer } from './cluster-engine.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

const content = (word: string) =>
  ({
    programs: { forever: never, say: async ({ write }) => (await write('stdout', word), 0) },
    command: ['forever'],
    sizeBytes: 1,
  }) satisfies Parameters<ReturnType<typeof createEngineInMemory>['addImage']>[1];

const idIn = ({ state }: EngineInMemory, image: string): string | undefined => findImage(state, image)?.id;

/** A head with nodes beside it, each with an engine of its own. */
function world(names = ['edge']) {
  const head = createEngineInMemory();
  head.addImage('web:1', content('head'));
  const lost = new Set<string>();
  const states = new Map<string, Partial<SwarmNode>>();
  const nodes = new Map(names.map((name) => [name, createEngineInMemory()]));
  const members = (): MemberServer[] =>
    [...nodes].map(([name, memory]) => ({
      name,
      nodeId: `id${name}`,
      async host() {
        if (lost.has(name)) throw new AppError('SERVICE_UNAVAILABLE', `${name} cannot be reached.`);
        return {
          engine: memory.engine,
          async copyImage(_from, reference) {
            const image = findImage(head.state, reference);
            if (image) memory.state.images.set(image.id, { ...image, tags: new Set(image.tags) });
            return image !== undefined;
          },
        };
      },
    }));
  const own = { engine: head.engine, imageIntake: {} as never };
  // A view of the whole swarm, of which the engine in memory idOn one node.
  const swarmNodes = async () =>
    names.map((name) => ({ id: `id${name}`, state: 'ready', availability: 'active', ...states.get(name) }));
  const engine = clusterEngine({
    head: { ...own, engineView: { ...head.view, swarmNodes: swarmNodes as never } },
    members: async () => members(),
  });
  return {
    head,
    nodes,
    lost,
    states,
    engine,
    own,
    members,
    idOn: (name: string, image = 'web:1') => idIn(nodes.get(name) ?? head, image),
    run: (change: object = {}) =>
      engine.applyService(stepService('web', [], { image: 'web:1', command: ['forever'], ...change })),
  };
}

it('brings the image of a service to every node that may run it, before it is applied', async () => {
  const { run, head, idOn, states } = world(['active', 'paused', 'drained', 'down']);
  states.set('paused', { availability: 'pause' });
  states.set('drained', { availability: 'drain' });
  states.set('down', { state: 'down' });
  await run();
  const image = idIn(head, 'web:1');
  expect([idOn('active'), idOn('paused'), idOn('drained'), idOn('down')]).toEqual([
    image,
    image,
    undefined,
    undefined,
  ]);
  expect(head.state.services.size).toBe(1);
});

it('brings the image of a service that is pinned to its node alone', async () => {
  const { run, idOn } = world(['one', 'two']);
  await run({ constraints: ['node.id == idtwo'] });
  expect([idOn('one'), idOn('two')]).toEqual([undefined, expect.any(String)]);
});

it('puts its image in the place of another of the same name', async () => {
  const { run, idOn, nodes, head } = world();
  nodes.get('edge')?.addImage('web:1', content('former'));
  expect(idOn('edge')).not.toBe(idIn(head, 'web:1'));
  await run();
  expect(idOn('edge')).toBe(idIn(head, 'web:1'));
});

it('applies nothing while a node that may run it cannot be given the image', async () => {
  const { run, head, lost } = world();
  lost.add('edge');
  await expect(run()).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(
      /^The image web:1 could not be brought to the node edge: edge cannot be reached\. .*drain it/,
    ),
  });
  expect(head.state.services.size).toBe(0);
});

it('reaches a container wherever it runs, also while another node is away', async () => {
  const { engine, nodes, lost } = world(['away', 'other', 'edge']);
  lost.add('away');
  const edge = nodes.get('edge') ?? createEngineInMemory();
  edge.addImage('web:1', content('edge'));
  await edge.engine.applyService(stepService('there', [], { image: 'web:1', command: ['forever'] }));
  const isThere = async (): Promise<boolean> => (await edge.engine.tasks('there'))[0]?.state === 'running';
  await waitUntilSo(isThere, { everyMs: 100 });
  const containerId = [...edge.state.containers.keys()][0] ?? '';
  const program = { env: {}, limitMs: 1000, signal: new AbortController().signal };
  const say = { ...program, argv: ['say'] };
  expect(await engine.exec(containerId, say)).toMatchObject({ stdout: 'edge' });
  expect(await engine.containerEnd(containerId)).toBeUndefined();
  await expect(engine.exec('nowhere', say)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await edge.engine.removeService('there', { limitMs: 10_000 });
  await expect(engine.exec(containerId, say)).rejects.toBeInstanceOf(AppError);
});

it('removes an image from every node that can be reached', async () => {
  const { engine, run, idOn, lost, head } = world(['edge', 'far']);
  head.addImage('old:1', content('old'));
  await run({ image: 'old:1' });
  await engine.removeService('web', { limitMs: 10_000 });
  lost.add('far');
  await engine.removeImage('old:1');
  expect([idIn(head, 'old:1'), idOn('edge', 'old:1'), idOn('far', 'old:1') !== undefined]).toEqual([
    undefined,
    undefined,
    true,
  ]);
});

it('brings a new node every image that the head’s services run', async () => {
  const { head, own, members, idOn } = world();
  head.addImage('api:1', content('api'));
  head.addImage('unused:1', content('unused'));
  for (const image of ['web:1', 'api:1'])
    await head.engine.applyService(stepService(image.replace(':', '-'), [], { image, command: ['forever'] }));
  const [node] = members();
  if (node) await bringImages(own, node);
  expect([idOn('edge', 'web:1'), idOn('edge', 'api:1'), idOn('edge', 'unused:1')].map(Boolean)).toEqual([
    true,
    true,
    false,
  ]);
});

it('knows its members by the records of servers', async () => {
  const members = membersIn({
    list: async ({ clusterServerId }) => [{ serverId: 's', name: clusterServerId, swarmNodeId: null }],
  });
  const [member] = await members('head', async (key) => ({ engine: { key } }) as never);
  expect(member).toMatchObject({ name: 'head', nodeId: '' });
  expect(await member?.host()).toEqual({ engine: { key: 's' } });
});
