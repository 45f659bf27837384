/** What an installation of Berth has on its engine, and how each kind of it is listed and removed. */
import { z } from 'zod';
import { createEngineClient, segment } from '../../server/src/adapters/engine/client/engine-client.ts';
import type { EngineClient } from '../../server/src/adapters/engine/client/engine-client.ts';
import { EngineRefusal, isAbsent } from '../../server/src/adapters/engine/client/engine-error.ts';
import { imagePath } from '../../server/src/adapters/engine/client/image-reference.ts';
import { dataFolderLabel, installationLabel, managedLabel } from '../../server/src/domain/names/labels.ts';
import { provenLabels } from '../../server/src/adapters/engine/client/labels.ts';
import { isBuiltHere } from '../../server/src/domain/builds/built-image.ts';
import { builtPrefix, platformPrefix } from '../../server/src/domain/names/image-reference.ts';
import { recipeLabel } from '../../images/images.ts';

/** In the order in which they can be removed: each kind may be in use by those before it. */
export const engineKinds = [
  'service',
  'container',
  'config',
  'secret',
  'network',
  'volume',
  'image',
] as const;
export type EngineKind = (typeof engineKinds)[number];

export interface EngineObject {
  kind: EngineKind;
  /** As a person reads it. */
  name: string;
  /** As the engine is asked to remove it. */
  id: string;
}

const labels = z.record(z.string(), z.string()).nullish();
const specified = z.array(z.object({ ID: z.string(), Spec: z.object({ Name: z.string(), Labels: labels }) }));
const networks = z.array(
  z.object({
    Id: z.string(),
    Name: z.string(),
    Scope: z.string(),
    Ingress: z.boolean().default(false),
    Labels: labels,
  }),
);
const anything = z.array(z.unknown());
const volumes = z.object({ Volumes: z.array(z.object({ Name: z.string(), Labels: labels })).nullable() });
export const containers = z.array(
  z
    .object({ Id: z.string(), Names: z.array(z.string()), ImageID: z.string(), Labels: labels })
    .transform((row) => ({ ...row, Labels: provenLabels(row.Names, row.Labels ?? {}) })),
);
const images = z.array(
  z.object({
    Id: z.string(),
    RepoTags: z.array(z.string()).nullish(),
    Labels: labels,
    /** Seconds. */
    Created: z.number(),
  }),
);

export type ImageRow = z.infer<typeof images>[number];

type Labels = z.infer<typeof labels>;

/** Whether an object with these labels was made by a Berth, and by no other installation than `id`. */
export function isOurs(given: Labels, id: string | undefined): boolean {
  const maker = given?.[installationLabel] || id;
  return given?.[managedLabel] === 'true' && maker === id;
}

/**
 * Id of the installation with this data folder, from the labels of what is on its engine: its proxy says it,
 * and else the only id that is there. Undefined before there were ids.
 */
export function installationOf(all: readonly Labels[], data: string): string | undefined {
  const proxy = all.find((given) => given?.[dataFolderLabel] === data)?.[installationLabel];
  const ids = new Set(all.flatMap((given) => given?.[installationLabel] || []));
  return proxy || (ids.size === 1 ? [...ids][0] : undefined);
}

/**
 * The references of an image that go. An image carries the labels of the one it was built from, so a label
 * alone shows nothing: it is ours by a name of ours, or without a name by the time at which it was built.
 */
export function imageReferences(
  { Id, RepoTags, Labels, Created }: ImageRow,
  pulled: readonly string[],
  id?: string,
): readonly string[] {
  if (Labels?.[installationLabel] && !isOurs(Labels, id)) return [];
  const names = (RepoTags ?? []).filter((name) => !name.startsWith('<none>'));
  const isOfSetUp = Labels?.[recipeLabel] !== undefined;
  const hasLabel = isOurs(Labels, id) || isOfSetUp;
  if (names.length === 0) {
    const createdAt = new Date(Created * 1000).toISOString();
    const isBuilt = isOurs(Labels, id) && isBuiltHere({ tags: [], labels: Labels ?? {}, createdAt });
    return isBuilt || isOfSetUp ? [Id] : [];
  }
  return names.filter(
    (name) =>
      pulled.includes(name) ||
      (hasLabel && (name.startsWith(builtPrefix) || name.startsWith(platformPrefix))),
  );
}

/** The engine as the removal of an installation sees it. */
export interface PurgedEngine {
  /** Everything of Berth. `pulled`: references of images that set-up pulled. */
  objects(pulled: readonly string[]): Promise<EngineObject[]>;
  /** Returns why an object stays; undefined once it has gone. */
  remove(object: EngineObject): Promise<string | undefined>;
  /** Number of containers and images that do not belong to Berth. `pulled` as above. */
  otherContainers(): Promise<number>;
  otherImages(pulled: readonly string[]): Promise<number>;
  /** Whether the swarm has another node, or anything in it that does not belong to Berth. */
  isSwarmShared(): Promise<boolean>;
  /** Leaves the swarm and removes the bridge that came with it, unless a container is attached to it. */
  leaveSwarm(): Promise<void>;
  /** Removes the cache of image builds. */
  pruneBuilds(): Promise<void>;
}

const removalLimitMs = 60_000;

/** `data`: the data folder of the installation, by which its own objects are told from another's. */
export function purgedEngine(socket: string, data: string, signal: AbortSignal): PurgedEngine {
  const client = createEngineClient(socket);
  const list = lister(client, signal);
  const id = installationId(list, data);
  const send = async (path: string, query: Record<string, boolean>, doing: string): Promise<void> =>
    client.send({ method: 'POST', path, query, doing, signal, limitMs: 300_000 });
  return {
    objects: async (pulled) => objectsOf(list, await id(), pulled),
    remove: (one) => remove(client, one, signal),
    async otherContainers() {
      const own = await id();
      return (await list.containers('all')).filter(({ Labels }) => !isOurs(Labels, own)).length;
    },
    async otherImages(pulled) {
      const own = await id();
      return (await list.images()).filter((image) => imageReferences(image, pulled, own).length === 0).length;
    },
    isSwarmShared: async () => isSwarmShared(list, await id()),
    async leaveSwarm() {
      await send('/swarm/leave', { force: true }, 'leaving the swarm');
      await remove(client, object('network', 'docker_gwbridge', 'docker_gwbridge'), signal);
    },
    pruneBuilds: () => send('/build/prune', { all: true }, 'removing the cache of builds'),
  };
}

/** Learned once: the proxy, which says it, is among the first that go. */
function installationId(list: Lists, data: string): () => Promise<string | undefined> {
  let learned: { id: string | undefined } | undefined;
  return async () => {
    learned ??= {
      id: installationOf(
        [
          ...(await list.services()).map(({ Spec }) => Spec.Labels),
          ...(await list.containers()).map(({ Labels }) => Labels),
          ...(await list.volumes()).map(({ Labels }) => Labels),
          ...(await list.networks()).map(({ Labels }) => Labels),
        ],
        data,
      ),
    };
    return learned.id;
  };
}

async function objectsOf(
  list: Lists,
  own: string | undefined,
  pulled: readonly string[],
): Promise<EngineObject[]> {
  const specs = (kind: EngineKind, rows: z.infer<typeof specified>): EngineObject[] =>
    rows.filter(({ Spec }) => isOurs(Spec.Labels, own)).map(({ ID, Spec }) => object(kind, Spec.Name, ID));
  return [
    ...specs('service', await list.services()),
    ...(await list.containers())
      .filter(({ Labels }) => isOurs(Labels, own))
      .map(({ Id, Names }) => object('container', nameOf(Names, Id), Id)),
    ...specs('config', await list.configs()),
    ...specs('secret', await list.secrets()),
    ...(await list.networks())
      .filter(({ Labels }) => isOurs(Labels, own))
      .map(({ Id, Name }) => object('network', Name, Id)),
    ...(await list.volumes())
      .filter(({ Labels }) => isOurs(Labels, own))
      .map(({ Name }) => object('volume', Name, Name)),
    ...(await list.images()).flatMap((image) =>
      imageReferences(image, pulled, own).map((name) => object('image', name, name)),
    ),
  ];
}

async function isSwarmShared(list: Lists, own: string | undefined): Promise<boolean> {
  const named = [
    ...(await list.services('all')),
    ...(await list.configs('all')),
    ...(await list.secrets('all')),
  ];
  const overlays = (await list.networks('all')).filter(({ Scope, Ingress }) => Scope === 'swarm' && !Ingress);
  return (
    named.some(({ Spec }) => !isOurs(Spec.Labels, own)) ||
    overlays.some(({ Labels }) => !isOurs(Labels, own)) ||
    (await list.nodes()).length > 1
  );
}

const object = (kind: EngineKind, name: string, id: string): EngineObject => ({ kind, name, id });

const nameOf = ([name]: readonly string[], id: string): string => name?.replace(/^\//, '') ?? id.slice(0, 12);

type Whose = 'ours' | 'all';
type Lists = ReturnType<typeof lister>;

/** Lists of one engine; those of Berth, unless all are asked for. */
function lister(client: EngineClient, signal: AbortSignal) {
  async function rows<T>(path: string, schema: z.ZodType<T>, whose: Whose): Promise<T> {
    const query = {
      ...(path.startsWith('/containers/') && { all: true }),
      ...(whose === 'ours' && { filters: { label: [`${managedLabel}=true`] } }),
    };
    const doing = `listing ${path.split('/')[1] ?? ''}`;
    return client.call({ method: 'GET', path, query, doing, signal }, schema);
  }
  /** Lists of a swarm are empty where the engine is not, or no longer, part of one. */
  async function ofSwarm<T>(path: string, schema: z.ZodType<T[]>, whose: Whose): Promise<T[]> {
    try {
      return await rows(path, schema, whose);
    } catch (error) {
      if (error instanceof EngineRefusal && error.status === 503) return [];
      throw error;
    }
  }
  return {
    services: async (whose: Whose = 'ours') => ofSwarm('/services', specified, whose),
    containers: async (whose: Whose = 'ours') => rows('/containers/json', containers, whose),
    configs: async (whose: Whose = 'ours') => ofSwarm('/configs', specified, whose),
    networks: async (whose: Whose = 'ours') => rows('/networks', networks, whose),
    volumes: async () => (await rows('/volumes', volumes, 'ours')).Volumes ?? [],
    images: async () => rows('/images/json', images, 'all'),
    secrets: async (whose: Whose = 'ours') => ofSwarm('/secrets', specified, whose),
    nodes: async () => ofSwarm('/nodes', anything, 'all'),
  };
}

const pathOf: Record<EngineKind, (id: string) => string> = {
  service: (id) => `/services/${segment(id)}`,
  container: (id) => `/containers/${segment(id)}`,
  config: (id) => `/configs/${segment(id)}`,
  secret: (id) => `/secrets/${segment(id)}`,
  network: (id) => `/networks/${segment(id)}`,
  volume: (id) => `/volumes/${segment(id)}`,
  image: (id) => imagePath(id),
};

async function remove(
  client: EngineClient,
  { kind, name, id }: EngineObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  const query = { ...(kind === 'container' && { force: true, v: true }) };
  const doing = `removing the ${kind} ${name}`;
  try {
    await client.send({
      method: 'DELETE',
      path: pathOf[kind](id),
      query,
      doing,
      signal,
      limitMs: removalLimitMs,
    });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isAbsent(error)) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}
