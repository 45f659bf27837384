/** Containers of a server's engine, as far as the caller sees them. */
import { AppError, badField, sentenceOf } from '../../domain/errors.ts';
import type {
  ContainerPort,
  EngineView,
  InspectedContainer,
  ListedContainer,
  SwarmService,
  SwarmTask,
} from '../../ports/engine/engine-view.ts';
import { readsSecrets } from '../../domain/access/permissions.ts';
import { taskIdLabel } from '../../domain/names/labels.ts';
import { serverIdOf } from '../../domain/names/server-key.ts';
import type { Host } from '../../ports/host/host.ts';
import type { Actor } from '../../procedure/context.ts';
import { isPlatform, type Labels, type Sight } from '../sight/sight.ts';
import type { ServiceOutput } from '../service/output-events.ts';
import { namesOnly, withoutSecrets } from './masking.ts';

export interface ShownContainer {
  containerId: string;
  name: string;
  image: string;
  ports: string;
  state: string;
  status: string;
  serverId: string | null;
  node?: string;
  labels: Labels & Record<string, string>;
  isPlatform: boolean;
}

export interface ServiceContainer extends ShownContainer {
  configuration: Pick<
    SwarmService,
    'image' | 'command' | 'args' | 'env' | 'mounts' | 'networks' | 'constraints' | 'limits' | 'reservations'
  >;
}

export interface Containers {
  /** Those of the server's node that the caller sees and that pass the test, newest first. */
  list(actor: Actor, test?: (container: ListedContainer) => boolean): Promise<ShownContainer[]>;
  /**
   * NOT_FOUND when it is not here, FORBIDDEN when it is not the caller's, PRECONDITION_FAILED for the
   * platform's own.
   */
  restart(actor: Actor, idOrName: string): Promise<ShownContainer>;
  configuration(actor: Actor, idOrName: string): Promise<Record<string, unknown>>;
  /** Its output; NOT_FOUND and FORBIDDEN as of `restart`. */
  output(actor: Actor, idOrName: string, tail: number): Promise<ServiceOutput>;
  /** Of the tasks of these services, on every node, newest first. */
  ofServices(actor: Actor, test: (service: SwarmService) => boolean): Promise<ServiceContainer[]>;
}

/** The server whose containers are meant, and which of them a caller sees. */
interface Place {
  serverId: string | null;
  engine: EngineView;
  sight: Sight;
}

/** The containers of one server. */
export function createContainers(
  { key, engineView }: Pick<Host, 'key' | 'engineView'>,
  sight: Sight,
): Containers {
  const place: Place = { serverId: serverIdOf(key), engine: engineView, sight };
  return {
    list: (actor, test) => list(place, actor, test),
    restart: (actor, idOrName) => restart(place, actor, idOrName),
    async configuration(actor, idOrName) {
      const { configuration, env } = await seen(place, actor, idOrName);
      const mayRead = actor.role !== 'member' && readsSecrets(actor, 'container');
      return mayRead ? configuration : withoutSecrets(configuration, env);
    },
    async output(actor, idOrName, tail) {
      const { id } = await seen(place, actor, idOrName);
      return {
        read: async ({ since }) => engineView.containerLogs(id, { tail, since }),
        follow: ({ since, signal }) => engineView.containerLogs(id, { tail, since, signal, follow: true }),
      };
    },
    ofServices: (actor, test) => ofServices(place, actor, test),
  };
}

async function seen({ engine, sight }: Place, actor: Actor, idOrName: string): Promise<InspectedContainer> {
  // The engine would read these as a way through its paths.
  const isName = idOrName !== '.' && idOrName !== '..';
  const [container, sees] = await Promise.all([
    isName ? engine.container(idOrName).catch(refuseAmbiguous) : undefined,
    sight(actor),
  ]);
  if (!container)
    throw new AppError(
      'NOT_FOUND',
      `There is no container ${idOrName} on this server. It may have ended and been replaced; ` +
        'container.getContainers lists those that are there.',
    );
  if (!sees(container.labels))
    throw new AppError('FORBIDDEN', 'You have no access to the container named in containerId.');
  return container;
}

/** The engine's own words would name containers of others. */
function refuseAmbiguous(error: unknown): never {
  if (!(error instanceof AppError && error.code === 'BAD_REQUEST')) throw error;
  throw badField(
    'containerId',
    'is not enough of an id: several containers begin with it. Give the whole id, or the name',
    error,
  );
}

async function list(
  { engine, sight, serverId }: Place,
  actor: Actor,
  test: (container: ListedContainer) => boolean = () => true,
): Promise<ShownContainer[]> {
  const [all, sees] = await Promise.all([engine.allContainers(), sight(actor)]);
  return all
    .filter((container) => sees(container.labels) && test(container))
    .map((container) => shown(container, serverId));
}

const isTask = (labels: Readonly<Record<string, string>>): boolean => labels[taskIdLabel] !== undefined;
const lostNetwork = /\bnetwork \S+ not found/;

async function restart(place: Place, actor: Actor, idOrName: string): Promise<ShownContainer> {
  const { id, labels } = await seen(place, actor, idOrName);
  if (isPlatform(labels))
    throw new AppError(
      'PRECONDITION_FAILED',
      "This container is one of Berth's own, which Berth manages itself. It cannot be restarted here.",
    );
  const [before] = await list(place, actor, (container) => container.id === id);
  await place.engine.restartContainer(id).catch((error: unknown) => {
    // Engines since 28 take the networks of a task from the node when its container stops. The swarm takes
    // that for the task's end anyway, and makes another.
    if (!(isTask(labels) && lostNetwork.test(sentenceOf(error)))) throw error;
  });
  const [after] = await list(place, actor, (container) => container.id === id);
  const record = after ?? (before && { ...before, state: 'exited', status: 'Replaced by a new container' });
  if (!record)
    throw new AppError(
      'NOT_FOUND',
      'The container was removed while it was restarted. container.getContainers lists those that are there.',
    );
  return record;
}

async function ofServices(
  { engine, sight, serverId }: Place,
  actor: Actor,
  test: (service: SwarmService) => boolean,
): Promise<ServiceContainer[]> {
  const [services, tasks, nodes, sees] = await Promise.all([
    engine.swarmServices(),
    engine.swarmTasks(),
    engine.swarmNodes(),
    sight(actor),
  ]);
  const wanted = new Map(
    services
      .filter((service) => test(service) && sees(service.labels))
      .map((service) => [service.id, service]),
  );
  const hostnames = new Map(nodes.map(({ id, hostname }) => [id, hostname]));
  const hidesValues = actor.role === 'member';
  return tasks.flatMap((task) => {
    const service = wanted.get(task.serviceId);
    const node = hostnames.get(task.nodeId);
    return service ? [taskContainer(task, service, { node, hidesValues, serverId })] : [];
  });
}

function shown(
  { id, name, image, state, status, labels, ports }: ListedContainer,
  serverId: string | null,
): ShownContainer {
  return {
    containerId: id,
    name,
    image,
    ports: ports.map(portText).join(', '),
    state,
    status,
    serverId,
    labels,
    isPlatform: isPlatform(labels),
  };
}

function portText({ address, published, target, protocol }: ContainerPort): string {
  if (published === undefined) return `${target}/${protocol}`;
  return `${address?.includes(':') ? `[${address}]` : (address ?? '')}:${published}->${target}/${protocol}`;
}

function taskContainer(
  task: SwarmTask,
  service: SwarmService,
  {
    node,
    hidesValues,
    serverId,
  }: { node: string | undefined; hidesValues: boolean; serverId: string | null },
): ServiceContainer {
  const { configuration } = task;
  const { command, args, env } = configuration;
  return {
    containerId: task.containerId ?? '',
    name: `${service.name}.${task.slot || task.nodeId}.${task.id}`,
    image: task.image,
    ports: service.ports
      .map(({ published, target, protocol }) =>
        published === undefined ? `${target}/${protocol}` : `:${published}->${target}/${protocol}`,
      )
      .join(', '),
    state: task.state,
    status: `${task.message || task.state} since ${task.stateAt}`,
    serverId,
    ...(node === undefined ? {} : { node }),
    labels: task.labels,
    isPlatform: isPlatform(service.labels),
    configuration: hidesValues
      ? { ...configuration, ...maskedCommand(command, args, env), env: namesOnly(env) }
      : configuration,
  };
}

function maskedCommand(
  command: string[],
  args: string[],
  env: readonly string[],
): { command: string[]; args: string[] } {
  const masked = withoutSecrets({ command, args }, env);
  const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
  return { command: texts(masked['command']), args: texts(masked['args']) };
}
