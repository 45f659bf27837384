/**
 * What a node does with its tasks: places them, starts their containers, ends them, and says what became of
 * each.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { serverNetwork } from '../../server/src/ports/engine/engine.ts';
import { environmentOf, type ServiceBody } from './routes/bodies.ts';
import { createContainer, removeContainer, startContainer, stopContainer } from './containers.ts';
import { findImage, pull } from './images.ts';
import { freeAddress } from './networks.ts';
import { Refusal } from './routes/refusal.ts';
import {
  changed,
  nextNumber,
  rank,
  swarmId,
  untilState,
  type Container,
  type Service,
  type State,
  type Task,
  type TaskStateName,
} from './state.ts';

/** From one state of a task to the next the manager and the node take about so long each. */
const stepMs = 40;
const startMs = 250;
/**
 * The node lets the word of an ending task spread over its networks before it stops it, and before it removes
 * it.
 */
const spreadMs = 2_000;
const nanosecondsPerMs = 1_000_000;

export function makeTask(state: State, service: Service, slot: number, desired: Task['desired']): Task {
  const { spec } = service;
  const order = nextNumber(state);
  const task: Task = {
    id: swarmId(),
    serviceId: service.id,
    serviceName: spec.Name,
    serviceLabels: spec.Labels,
    slot,
    template: spec.TaskTemplate,
    hostPorts: (spec.EndpointSpec?.Ports ?? [])
      .filter(({ PublishMode }) => PublishMode === 'host')
      .map(({ PublishedPort, Protocol }) => `${PublishedPort}/${Protocol}`),
    auth: service.auth,
    state: 'new',
    desired,
    error: '',
    createdAt: Date.now(),
    order,
    stateAt: Date.now(),
    nodeId: '',
    container: undefined,
    exitCode: undefined,
    isEnding: false,
  };
  state.tasks.set(task.id, task);
  void carry(state, task);
  return task;
}

export function setTask(state: State, task: Task, name: TaskStateName, error = ''): void {
  task.state = name;
  task.error = error;
  task.stateAt = Date.now();
  changed(state);
}

/** Says that the task is to end; the node sees to it. */
export function endTask(state: State, task: Task, desired: 'shutdown' | 'remove'): void {
  if (task.desired === 'remove') return;
  task.desired = desired;
  changed(state);
}

const isWanted = (task: Task): boolean => task.desired === 'ready' || task.desired === 'running';

/** The life of a task, from its making to its end. */
async function carry(state: State, task: Task): Promise<void> {
  if (await isStarted(state, task)) await untilState(state, () => hasEnded(task) || !isWanted(task));
  if (isWanted(task)) await untilState(state, () => !isWanted(task));
  await end(state, task);
}

const hasEnded = (task: Task): boolean => rank(task.state) > rank('running');

/** False when it was told to end, or failed, on its way to a running container. */
async function isStarted(state: State, task: Task): Promise<boolean> {
  const step = async (name: TaskStateName, ms: number): Promise<boolean> => {
    await sleep(ms);
    if (!isWanted(task)) return false;
    setTask(state, task, name);
    return true;
  };
  if (!(await step('pending', 5))) return false;
  while (isWanted(task)) {
    const obstacle = obstacleTo(state, task);
    if (obstacle === '') break;
    if (task.error !== obstacle) setTask(state, task, 'pending', obstacle);
    await untilState(state, () => !isWanted(task) || obstacleTo(state, task) !== obstacle);
  }
  if (!isWanted(task)) return false;
  task.nodeId = state.nodeId;
  setTask(state, task, 'assigned');
  if (!((await step('accepted', stepMs)) && (await step('preparing', stepMs)))) return false;
  await sleep(stepMs);
  if (!prepare(state, task)) return false;
  if (!(await step('ready', stepMs))) return false;
  await untilState(state, () => task.desired !== 'ready');
  if (!(await step('starting', stepMs))) return false;
  return run(state, task);
}

/** Why no node can take the task; empty when one can. */
function obstacleTo(state: State, task: Task): string {
  if (
    task.template.Networks.some(
      ({ Target }) => Target !== serverNetwork && !state.networks.get(Target)?.subnet,
    )
  )
    return 'no addresses';
  const { Constraints: constraints } = task.template.Placement ?? {};
  if ((constraints ?? []).some((each) => !holds(state, each)))
    return 'no suitable node (scheduling constraints not satisfied on 1 node)';
  const others = [...state.tasks.values()].filter(
    (other) => other !== task && other.nodeId !== '' && !hasEnded(other),
  );
  if (others.some(({ hostPorts }) => hostPorts.some((port) => task.hostPorts.includes(port))))
    return 'no suitable node (host-mode port already in use on 1 node)';
  const most = task.template.Placement?.MaxReplicas ?? 0;
  if (most > 0 && others.filter(({ serviceId }) => serviceId === task.serviceId).length >= most)
    return 'no suitable node (max replicas per node limit exceed)';
  return '';
}

function holds(state: State, constraint: string): boolean {
  const [, key = '', sign = '', value = ''] = /^\s*(\S+?)\s*(==|!=)\s*(.*?)\s*$/.exec(constraint) ?? [];
  const facts: Record<string, string> = {
    'node.id': state.nodeId,
    'node.hostname': state.hostname,
    'node.role': 'manager',
  };
  return ((facts[key] ?? '') === value) === (sign === '==');
}

/** Fetches the image where it is not here, and makes the container; false when there is no image. */
function prepare(state: State, task: Task): boolean {
  if (!isWanted(task)) return false;
  const spec = task.template.ContainerSpec;
  try {
    const image = findImage(state, spec.Image) ?? pull(state, spec.Image, accountOf(task.auth));
    task.container = createContainer(state, {
      ...fromTemplate(state, task),
      image,
      argv: [...(spec.Command ?? []), ...(spec.Args ?? (spec.Command ? [] : (image.content.command ?? [])))],
    });
    for (const { Target: id } of task.template.Networks) {
      const network = state.networks.get(id);
      // Without an address of its own, as the engine shows it.
      if (id === serverNetwork) task.container.networks.set(id, '');
      if (network !== undefined) task.container.networks.set(id, freeAddress(state, network));
    }
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isUnknown = /pull access denied|manifest/.test(error.message);
    setTask(state, task, 'rejected', isUnknown ? `No such image: ${spec.Image}` : error.message);
    return false;
  }
}

export function accountOf(auth: string | undefined): { username: string; password: string } | undefined {
  if (auth === undefined) return undefined;
  const [username = '', password = ''] = auth.split('\n');
  return { username, password };
}

function fromTemplate(state: State, task: Task) {
  const { ContainerSpec: spec, Resources: needs } = task.template;
  const volumes = spec.Mounts.filter(({ Type }) => Type === 'volume').map(({ Source, VolumeOptions }) => ({
    name: Source.replaceAll('{{.Task.Slot}}', String(task.slot)),
    labels: VolumeOptions?.Labels ?? {},
    options: VolumeOptions?.DriverConfig?.Options ?? {},
  }));
  for (const volume of volumes) if (!state.volumes.has(volume.name)) state.volumes.set(volume.name, volume);
  const grace = spec.StopGracePeriod;
  return {
    name: `${task.serviceName}.${task.slot}.${task.id}`,
    imageName: spec.Image,
    env: environmentOf(spec.Env?.map((entry) => entry.replaceAll('{{"{{"}}', '{{'))),
    labels: {
      ...spec.Labels,
      'com.docker.swarm.node.id': task.nodeId,
      'com.docker.swarm.service.id': task.serviceId,
      'com.docker.swarm.service.name': task.serviceName,
      'com.docker.swarm.task.id': task.id,
      'com.docker.swarm.task.name': `${task.serviceName}.${task.slot}.${task.id}`,
    },
    volumes: volumes.map(({ name }) => name),
    mounted: new Set(spec.Mounts.map(({ Target }) => Target)),
    files: filesOf(state, spec),
    memoryBytes: needs?.Limits?.MemoryBytes ?? undefined,
    hasInit: spec.Init,
    ...(grace == null ? {} : { stopGraceMs: grace / nanosecondsPerMs }),
    healthTest: healthTestOf(spec, findImage(state, spec.Image)?.content.healthCheck),
  };
}

function filesOf(
  state: State,
  { Configs: configs, Secrets: secrets }: ServiceBody['TaskTemplate']['ContainerSpec'],
): Map<string, string> {
  const text = (data = ''): string => Buffer.from(data, 'base64').toString();
  return new Map([
    ...configs.map(({ ConfigID: id, File: file }): [string, string] => [
      file?.Name ?? '',
      text(state.configs.get(id)?.data),
    ]),
    ...secrets.map(({ SecretID: id, File: file }): [string, string] => [
      file?.Name ?? '',
      text(state.secrets.get(id)?.data),
    ]),
  ]);
}

const defaultHealth = { intervalMs: 30_000, timeoutMs: 30_000, retries: 3, startPeriodMs: 0 };

function healthTestOf(
  { Healthcheck: own }: ServiceBody['TaskTemplate']['ContainerSpec'],
  ofImage: readonly string[] | undefined,
): Container['healthTest'] {
  const test = own?.Test.length ? own.Test : ofImage;
  const [kind, ...argv] = test ?? [];
  if (kind === undefined || kind === 'NONE') return undefined;
  const ms = (nanoseconds: number | undefined, initial: number): number =>
    nanoseconds ? nanoseconds / nanosecondsPerMs : initial;
  return {
    argv: kind === 'CMD-SHELL' ? ['/bin/sh', '-c', ...argv] : argv,
    intervalMs: ms(own?.Interval, defaultHealth.intervalMs),
    timeoutMs: ms(own?.Timeout, defaultHealth.timeoutMs),
    retries: own?.Retries || defaultHealth.retries,
    startPeriodMs: ms(own?.StartPeriod, defaultHealth.startPeriodMs),
  };
}

/** Starts the container and waits until it is healthy, where somebody asks for that. */
async function run(state: State, task: Task): Promise<boolean> {
  const { container } = task;
  if (container === undefined) return false;
  await sleep(startMs);
  if (!isWanted(task)) return false;
  startContainer(state, container);
  void container.process?.ended.then(() => noteEnd(state, task, container));
  await untilState(
    state,
    () => container.health !== 'starting' || container.state === 'exited' || !isWanted(task),
  );
  if (container.state === 'exited' || !isWanted(task) || hasEnded(task)) return container.state === 'running';
  if (container.health !== 'unhealthy') setTask(state, task, 'running');
  void endUnhealthy(state, task, container);
  return true;
}

/** A task whose container becomes unhealthy is ended; its program gets its grace. */
async function endUnhealthy(state: State, task: Task, container: Container): Promise<void> {
  await untilState(state, () => container.health === 'unhealthy' || container.state === 'exited');
  if (container.state === 'running' && isWanted(task)) await stopContainer(container);
}

/** A container that ended by itself is the end of its task. */
function noteEnd(state: State, task: Task, container: Container): void {
  if (task.isEnding || hasEnded(task)) return;
  task.exitCode = container.exitCode;
  const words = `task: non-zero exit (${container.exitCode})`;
  if (container.health === 'unhealthy')
    setTask(state, task, 'failed', `${words}: dockerexec: unhealthy container`);
  else if (container.exitCode === 0) setTask(state, task, 'complete');
  else setTask(state, task, 'failed', words);
}

/** Ends what is left of a task that nobody wants any more, and forgets one that is to be removed. */
async function end(state: State, task: Task): Promise<void> {
  task.isEnding = true;
  const { container } = task;
  const waitMs = task.template.Networks.length > 0 ? spreadMs : 0;
  if (container?.state === 'running') {
    await sleep(waitMs);
    await stopContainer(container);
    await untilState(state, () => container.state !== 'running');
  }
  if (task.nodeId !== '' && !hasEnded(task)) {
    task.exitCode = container === undefined || container.startedAt === 0 ? undefined : container.exitCode;
    setTask(state, task, 'shutdown');
  }
  const isForgotten = (): boolean => task.desired === 'remove' || !state.tasks.has(task.id);
  while (!isForgotten()) {
    await untilState(state, () => isForgotten() || container?.state === 'running');
    // Somebody started it again by hand.
    if (container?.state === 'running') await stopContainer(container);
  }
  if (!state.tasks.has(task.id)) return;
  await sleep(waitMs);
  if (container !== undefined) removeContainer(state, container);
  state.tasks.delete(task.id);
  changed(state);
}
