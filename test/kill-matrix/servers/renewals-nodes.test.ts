/** A new version of Berth brings a new proxy to the nodes of a cluster, as to servers of their own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { isAbsent } from '../../../server/src/adapters/engine/client/engine-error.ts';
import { createStanding } from '../../../server/src/adapters/engine/exec/standing-container.ts';
import { createNodeProxy } from '../../../server/src/adapters/proxy/node-proxy.ts';
import { proxyServiceSpec } from '../../../server/src/adapters/proxy/proxy-service.ts';
import { platformNetwork, proxyServiceName } from '../../../server/src/domain/names/names.ts';
import {
  createRenewals,
  type Renewals,
} from '../../../server/src/modules/platform-service/platform-service.ts';
import { systemClock } from '../../../server/src/ports/clock.ts';
import type { ServiceSpec } from '../../../server/src/ports/engine/engine.ts';
import type { FolderFiles } from '../../../server/src/ports/host/folder-files.ts';
import type { Host } from '../../../server/src/ports/host/host.ts';
import { createNodePlatform } from '../../../server/src/reconcile/node-platform.ts';
import { createEngineInMemory, type EngineInMemory } from '../../engine-in-memory/engine-in-memory.ts';
import { never } from '../../engine-in-memory/programs/program.ts';
import { productInMemory } from '../product.ts';

const product = productInMemory();
const images = { first: 'proxy:1', broken: 'proxy:2', mended: 'proxy:3' };

const specOf = (image: string): ServiceSpec =>
  proxyServiceSpec({
    image,
    network: platformNetwork,
    adminFolder: '/var/lib/berth/proxy',
    httpPort: 80,
    httpsPort: 443,
    labels: {},
    migratesRequests: false,
    nodeId: '',
  });

interface Node {
  host: Host;
  memory: EngineInMemory;
}

const found = z.object({
  State: z.object({ Running: z.boolean() }),
  Config: z.object({ Image: z.string() }),
});

async function proxyOn({ api }: EngineInMemory, name: string): Promise<string> {
  try {
    const path = `/containers/${name}/json`;
    const { State, Config } = await api.call({ method: 'GET', path, doing: 'reading a container' }, found);
    return `${Config.Image}${State.Running ? '' : ' stopped'}`;
  } catch (error) {
    if (isAbsent(error)) return 'absent';
    throw error;
  }
}

/** A node, whose proxy answers while its container runs. */
async function newNode(): Promise<Node> {
  const { serverId } = await product().addServer();
  const memory = createEngineInMemory();
  for (const image of Object.values(images))
    memory.addImage(image, { programs: { caddy: image === images.broken ? () => 1 : never } });
  await memory.engine.ensureNetwork({ name: platformNetwork, labels: {}, subnet: '10.1.0.0/24' });
  const own = await product().run(({ hosts }) => hosts.of(serverId));
  const host: Host = {
    ...own,
    engine: memory.engine,
    proxy: { ...own.proxy, current: () => current(memory) },
  };
  return { host, memory };
}

async function current(memory: EngineInMemory): Promise<string | undefined> {
  const proxy = await proxyOn(memory, proxyServiceName);
  return proxy === 'absent' || proxy.endsWith('stopped') ? undefined : '';
}

function filesInMemory(): FolderFiles {
  const files = new Map<string, string>();
  return {
    list: async () => undefined,
    read: async (path) => files.get(path),
    write: async (path, content) => void files.set(path, content),
    makeFolder: async () => undefined,
    renameFolder: async () => undefined,
    remove: async (path) => void files.delete(path),
  };
}

/** What a Berth of this proxy says when it looks at the node; `turn` is called when its turn has come. */
function lookerAt(
  { host, memory }: Node,
  proxyImage: string,
  renewals: Renewals,
  turn: () => void = () => undefined,
): () => Promise<string[]> {
  const nodeProxy = createNodeProxy({
    standing: createStanding({ client: memory.api }),
    folder: '/var/lib/berth/proxy',
    disk: filesInMemory(),
    httpPort: 80,
    httpsPort: 443,
  });
  const platform = createNodePlatform(
    { ...host, nodeProxy },
    {
      head: async () => undefined,
      proxyImage,
      proxySpec: async () => specOf(proxyImage),
      migratesRequests: async () => false,
      renewals,
      lookAgain: turn,
      routes: async () => [],
    },
  );
  return () => product().run(() => platform.ensurePlatform());
}

const restored =
  /left as it is\. The proxy of this version of Berth did not answer on .*the former one runs again/;
const proxies = (nodes: readonly Node[]): Promise<string[]> =>
  Promise.all(nodes.map(({ memory }) => proxyOn(memory, proxyServiceName)));

test('node after node gets a new proxy; one that does not answer is put back', async () => {
  const nodes = [await newNode(), await newNode()] as const;
  const former = createRenewals(systemClock);
  for (const node of nodes)
    expect(await lookerAt(node, images.first, former)()).toEqual([
      `${proxyServiceName}: started it on this node`,
    ]);
  const turn = Promise.withResolvers<void>();
  const broken = createRenewals(systemClock);
  const [first, second] = [
    lookerAt(nodes[0], images.broken, broken),
    lookerAt(nodes[1], images.broken, broken, turn.resolve),
  ];
  expect(await first()).toEqual([`${proxyServiceName}: differed; replaced it on this node`]);
  // Its own next look leaves the one that is waited for alone; the other node waits for its turn.
  expect([await first(), await second()]).toEqual([[], []]);
  expect(await proxies(nodes)).toEqual([expect.stringContaining(images.broken), images.first]);
  await product().run(() => turn.promise);
  expect(await proxies(nodes)).toEqual([images.first, images.first]);
  for (const look of [first, second]) {
    expect(await look()).toEqual([expect.stringMatching(restored)]);
    expect(await look(), 'it is said once').toEqual([]);
  }
  expect(await proxies(nodes)).toEqual([images.first, images.first]);

  const next = Promise.withResolvers<void>();
  const mended = createRenewals(systemClock);
  const [firstAgain, secondAgain] = [
    lookerAt(nodes[0], images.mended, mended),
    lookerAt(nodes[1], images.mended, mended, next.resolve),
  ];
  await Promise.all([firstAgain(), secondAgain()]);
  await product().run(() => next.promise);
  expect(await secondAgain()).toEqual([`${proxyServiceName}: differed; replaced it on this node`]);
  await product().run(async () => {
    while ((await proxyOn(nodes[1].memory, `${proxyServiceName}-former`)) !== 'absent') await sleep(100);
  });
  expect(await proxies(nodes)).toEqual([images.mended, images.mended]);
});

test('a Berth that ends between the former proxy and the new one goes on where it was', async () => {
  const node = await newNode();
  await lookerAt(node, images.first, createRenewals(systemClock))();
  // The Berth that is killed never sees how it went.
  const killed: Renewals = {
    failure: () => undefined,
    take: async (_version, begin) => (await begin()).result,
  };
  const proxy = { ...node.host.proxy, current: () => new Promise<undefined>(() => undefined) };
  await lookerAt({ ...node, host: { ...node.host, proxy } }, images.mended, killed)();
  expect(await proxyOn(node.memory, `${proxyServiceName}-former`)).toBe(`${images.first} stopped`);
  const look = lookerAt(node, images.mended, createRenewals(systemClock));
  expect(await look()).toEqual([`${proxyServiceName}: differed; replaced it on this node`]);
  await product().run(async () => {
    while ((await proxyOn(node.memory, `${proxyServiceName}-former`)) !== 'absent') await sleep(100);
  });
  expect(await proxies([node])).toEqual([images.mended]);
  expect(await look()).toEqual([]);
});
