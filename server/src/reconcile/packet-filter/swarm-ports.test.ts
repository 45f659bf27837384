import { expect, it } from 'vitest';
import type { GuardedHost } from './port-guard.ts';
import { createSwarmPorts } from './swarm-ports.ts';

const nodeAt = (address: string) => ({ address, manager: undefined });

/** Two servers, `second` a node of `head`, and what their rules let in. */
function cluster() {
  const nodes = [nodeAt('192.0.2.1'), nodeAt('192.0.2.2')];
  const rules = new Map<string, readonly string[]>();
  /** What the next look at the nodes waits for, and the next rules before they are set. */
  const held: { look?: Promise<unknown>; rules?: Promise<unknown> } = {};
  const pass = async (what: keyof typeof held): Promise<void> => {
    const wait = held[what];
    delete held[what];
    await wait;
  };
  const of = async (key: string): Promise<GuardedHost> => ({
    key,
    engineView: {
      bridges: async () => [],
      containersBehind: async () => [],
      swarmNodes: async () => {
        const seen = [...nodes];
        await pass('look');
        return seen;
      },
    },
    portWall: undefined,
  });
  const ports = createSwarmPorts({
    hosts: { find: of, of },
    servers: {
      find: async ({ serverId }) => ({ clusterServerId: serverId === 'second' ? 'head' : null }),
      list: async () => [{ serverId: 'second' }],
    },
    portGuard: {
      async guard({ key }, peers = []) {
        await pass('rules');
        rules.set(key, peers.toSorted());
        return [];
      },
      follow: () => undefined,
      state: () => undefined,
    },
  });
  return { nodes, rules, of, ports, held };
}

const both = ['192.0.2.1', '192.0.2.2'];

it('rules that were found out before a node may join do not shut it out again', async () => {
  const { rules, of, ports, held } = cluster();
  const slow = Promise.withResolvers<void>();
  held.rules = slow.promise;
  const before = ports.guard(await of('second'));
  // Its turn has begun, and it has found out everything.
  await new Promise(setImmediate);
  const admitted = ports.admit('head', { key: 'third', address: '192.0.2.3' });
  await new Promise(setImmediate);
  slow.resolve();
  await Promise.all([before, admitted]);
  for (const key of ['head', 'second', 'third']) expect(rules.get(key)).toEqual([...both, '192.0.2.3']);
});

it('a node that joins while the nodes are read stays let in', async () => {
  const { nodes, rules, of, ports, held } = cluster();
  const close = await ports.admit('head', { key: 'third', address: '192.0.2.3' });
  const slow = Promise.withResolvers<void>();
  held.look = slow.promise;
  const reading = ports.guard(await of('second'));
  // The turn has begun, and its look at the nodes waits.
  await new Promise(setImmediate);
  nodes.push(nodeAt('192.0.2.3'));
  close();
  slow.resolve();
  await reading;
  expect(rules.get('second')).toEqual([...both, '192.0.2.3']);
});

it('two that join at once are both let in, and one that did not get in is shut out afterwards', async () => {
  const { rules, of, ports } = cluster();
  const close = await ports.admit('head', { key: 'third', address: '192.0.2.3' });
  const closeFourth = await ports.admit('head', { key: 'fourth', address: '192.0.2.4' });
  expect(rules.get('head')).toEqual([...both, '192.0.2.3', '192.0.2.4']);
  close();
  await ports.guard(await of('head'));
  expect(rules.get('head')).toEqual([...both, '192.0.2.4']);
  closeFourth();
  await ports.guard(await of('head'));
  expect(rules.get('head')).toEqual(both);
});
