/**
 * The engine of a server whose swarm has other servers as nodes: what it runs may run on any of them, so
 * their engines get the images before, and are asked for containers that are theirs (decisions 13).
 */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import type { Engine, ServiceSpec } from '../../ports/engine/engine.ts';
import type { SwarmNode } from '../../ports/engine/engine-view.ts';
import type { Host } from '../../ports/host/host.ts';

/** A server that is a node of the head's swarm, by its record. */
export interface MemberServer {
  name: string;
  nodeId: string;
  /** Throws when the connection cannot be had. */
  host(): Promise<NodeHost>;
}

export type NodeHost = Pick<Host, 'engine' | 'copyImage'>;
type Head = Pick<Host, 'engine' | 'engineView' | 'imageIntake'>;

export interface ClusterOptions {
  head: Head;
  /** None for a server that is alone in its swarm. */
  members(): Promise<MemberServer[]>;
}

interface MemberRecord {
  serverId: string;
  name: string;
  swarmNodeId: string | null;
}

/** The servers whose records say that they are nodes of a head. */
export function membersIn(servers: {
  list(where: { clusterServerId: string }): Promise<MemberRecord[]>;
}): (headId: string, of: (serverKey: string) => Promise<NodeHost>) => Promise<MemberServer[]> {
  return async (headId, of) =>
    (await servers.list({ clusterServerId: headId })).map(({ serverId, name, swarmNodeId }) => ({
      name,
      nodeId: swarmNodeId ?? '',
      host: () => of(serverId),
    }));
}

/** A whole image may be on its way for so long. */
const transferLimitMs = 15 * 60_000;

export function clusterEngine(options: ClusterOptions): Engine {
  const { engine } = options.head;
  const before = (spec: ServiceSpec): Promise<void> => bringToNodes(options, spec);
  return {
    ...engine,
    async applyService(spec) {
      await before(spec);
      return engine.applyService(spec);
    },
    async runTask(spec, more) {
      await before(spec);
      return engine.runTask(spec, more);
    },
    async removeImage(reference) {
      await engine.removeImage(reference);
      // What stays on a node that cannot be reached takes place there, and nothing else.
      for (const { host } of await options.members())
        await host()
          .then((node) => node.engine.removeImage(reference))
          .catch(() => undefined);
    },
    ...containersOf(options),
  };
}

/** By an id that some node has; of one that none has, what the head says. */
function containersOf({
  head: { engine },
  members,
}: ClusterOptions): Pick<Engine, 'exec' | 'interact' | 'containerEnd' | 'failedCheck'> {
  /** Of the nodes that can be asked, the first that has an answer. */
  async function onNodes<T>(ask: (node: Engine) => Promise<T | undefined>): Promise<T | undefined> {
    for (const { host } of await members()) {
      const node = await host().catch(() => undefined);
      const answer = node && (await ask(node.engine).catch(unlessElsewhere));
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
  const wherever = async <T>(ask: (node: Engine) => Promise<T>): Promise<T> => {
    try {
      return await ask(engine);
    } catch (error) {
      const found = isElsewhere(error) ? await onNodes(ask) : undefined;
      if (found === undefined) throw error;
      return found;
    }
  };
  return {
    exec: (containerId, program) => wherever((node) => node.exec(containerId, program)),
    interact: (containerId, program) => wherever((node) => node.interact(containerId, program)),
    containerEnd: async (containerId) =>
      (await engine.containerEnd(containerId)) ?? onNodes((node) => node.containerEnd(containerId)),
    failedCheck: async (containerId) =>
      (await engine.failedCheck(containerId)) ?? onNodes((node) => node.failedCheck(containerId)),
  };
}

const isElsewhere = (error: unknown): boolean => error instanceof AppError && error.code === 'NOT_FOUND';

function unlessElsewhere(error: unknown): undefined {
  if (!isElsewhere(error) && !(error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE'))
    throw error;
}

/**
 * So that a restart there needs neither Berth nor a registry. A node that can take no task is left out; one
 * that could, and cannot be given the image, is told: SERVICE_UNAVAILABLE.
 */
async function bringToNodes(
  { head, members }: ClusterOptions,
  { image, constraints }: Pick<ServiceSpec, 'image' | 'constraints'>,
): Promise<void> {
  const others = await members();
  if (others.length === 0) return;
  const pinned = constraints.flatMap((text) => /^node\.id *== *(\w+)$/.exec(text)?.[1] ?? []);
  const usable = new Map((await head.engineView.swarmNodes()).filter(isUsable).map(({ id }) => [id, true]));
  await Promise.all(
    others
      .filter(({ nodeId }) => usable.has(nodeId) && (pinned.length === 0 || pinned.includes(nodeId)))
      .map((member) => bringImage(head, member, image)),
  );
}

const isUsable = ({ state, availability }: SwarmNode): boolean =>
  state === 'ready' && availability !== 'drain';

/** One that the registry names by its digest comes from there, if the head's copy has no tag. */
export async function bringImage(
  head: Pick<Head, 'engine' | 'imageIntake'>,
  { name, host }: MemberServer,
  image: string,
): Promise<void> {
  try {
    const node = await host();
    const [here, there] = await Promise.all([head.engine.image(image), node.engine.image(image)]);
    if (here === undefined || here.id === there?.id) return;
    // A tag that means something else there would stay as it is.
    if (there) await node.engine.removeImage(image);
    await node.copyImage(head.imageIntake, image, AbortSignal.timeout(transferLimitMs));
  } catch (error) {
    if (error instanceof AppError && error.code !== 'SERVICE_UNAVAILABLE') throw error;
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The image ${image} could not be brought to the node ${name}: ${sentenceOf(error)} Tasks may be ` +
        'placed there. Try again when it can be reached, or drain it (cluster.drain).',
      { cause: error },
    );
  }
}

/** Every image that a service of the head uses. */
export async function bringImages(
  head: Pick<Head, 'engine' | 'imageIntake'>,
  node: MemberServer,
): Promise<void> {
  const images = new Set((await head.engine.services()).map(({ image }) => image));
  for (const image of images) await bringImage(head, node, image);
}
