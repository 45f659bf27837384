/** What must hold after every deployment, whatever was killed on its way. */
import { managedLabel } from '../../server/src/domain/names/labels.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeploymentRecord } from '../../server/src/db/tables.ts';
import { rank, type State } from '../engine-in-memory/state.ts';
import type { Asked } from './kinds.ts';
import type { Machine } from './neighbours.ts';
import type { World } from './world.ts';

export interface Judged {
  machine: Machine;
  world: World;
  asked: Asked;
  deployment: DeploymentRecord;
  /** The engine's services before the deployment. */
  before: readonly string[];
}

/** Ending tasks have their grace, and the engine its pauses. */
const settleMs = 20_000;
const attemptsLimit = 3;
const proxyService = 'berth-proxy';

/** One sentence for each thing that must not be. */
export async function judge(judged: Judged): Promise<string[]> {
  const { machine, world, deployment } = judged;
  await sleep(settleMs);
  world.drift.length = 0;
  await world.reconciler.run();
  const { state } = machine.memory;
  return [
    ...(await recordFaults(world, deployment)),
    ...serviceFaults(judged),
    ...taskFaults(state),
    ...leavingFaults(judged),
    ...(await leftovers(judged)),
    ...world.drift.map((line) => `the reconciler found a difference: ${line}`),
    ...world.faults.map((fault) => `unexpected: ${fault}`),
    ...[...machine.disk.keys()].filter((path) => path.startsWith('/work/')).map((path) => `${path} is left`),
  ];
}

async function recordFaults(world: World, deployment: DeploymentRecord): Promise<string[]> {
  const jobs = await world.stores.jobs.list({});
  const unfinished = await world.deployments.unfinished();
  const tooOften = jobs.filter(({ attempts }) => attempts > attemptsLimit);
  const stuck = jobs.filter(({ state }) => state === 'queued' || state === 'running');
  return [
    ...(deployment.status === 'error' && !deployment.errorMessage ? ['it failed without a reason'] : []),
    ...unfinished.map(({ deploymentId }) => `the deployment ${deploymentId} never ended`),
    ...stuck.map(({ state }) => `a job is ${state} for ever`),
    ...tooOften.map(({ attempts }) => `a job was tried ${attempts} times`),
  ];
}

/** A service that moves stands on one machine in the end, never on none and never on both. */
function leavingFaults({ asked, deployment }: Judged): string[] {
  const { leaves, services } = asked;
  if (leaves === undefined) return [];
  const left = new Set([...leaves.services.values()].map(({ spec }) => spec.Name));
  return services.flatMap((name) => {
    if (deployment.status === 'done') return left.has(name) ? [`${name} is still where it was`] : [];
    return left.has(name) ? [] : [`${name} is where it was no more`];
  });
}

function serviceFaults({ machine, asked, deployment, before }: Judged): string[] {
  const present = [...machine.memory.state.services.values()].map(({ spec }) => spec.Name);
  const wanted = new Set(
    deployment.status === 'done' ? [proxyService, ...before, ...asked.services] : before,
  );
  return [
    ...present.filter((name) => !wanted.has(name)).map((name) => `the service ${name} is left`),
    ...[...wanted].filter((name) => !present.includes(name)).map((name) => `the service ${name} is gone`),
  ];
}

/** Each service runs as many tasks as it should, of its present specification, and nothing else runs. */
function taskFaults(state: State): string[] {
  const faults: string[] = [];
  for (const service of state.services.values()) {
    const running = [...state.tasks.values()].filter(
      (task) => task.serviceId === service.id && rank(task.state) <= rank('running'),
    );
    const wanted = service.spec.Mode.Replicated?.Replicas ?? 1;
    const isCurrent = running.every(
      ({ state: name, template }) =>
        name === 'running' && JSON.stringify(template) === JSON.stringify(service.spec.TaskTemplate),
    );
    if (running.length !== wanted || !isCurrent)
      faults.push(`${service.spec.Name} has ${running.length} tasks for ${wanted}, or old ones`);
  }
  for (const task of state.tasks.values())
    if (!state.services.has(task.serviceId)) faults.push(`a task of the removed ${task.serviceName} is left`);
  const ofTasks = new Set([...state.tasks.values()].map(({ container }) => container?.id));
  for (const { id, name } of state.containers.values())
    if (!ofTasks.has(id)) faults.push(`the container ${name} is left`);
  return faults;
}

async function leftovers({ machine, world }: Judged): Promise<string[]> {
  const { state } = machine.memory;
  const mounted = [...state.services.values()].flatMap(({ spec }) =>
    spec.TaskTemplate.ContainerSpec.Mounts.map(({ Source }) => Source),
  );
  const databases = await world.databases.all();
  const kept = databases.flatMap(({ formerVolumes }) => formerVolumes.map(({ volumeName }) => volumeName));
  const used = new Set([...mounted, ...kept]);
  const networks = new Set([
    proxyService,
    ...(await world.environments.ids()).map((id) => `berth-${id}`),
    ...(await world.composes.all()).map(({ composeId }) => `app-${composeId}`),
  ]);
  return [
    ...[...state.volumes.values()]
      .filter(({ name, labels }) => labels[managedLabel] === 'true' && !used.has(name))
      .map(({ name }) => `the volume ${name} is left`),
    ...[...state.networks.values()]
      .filter(({ name }) => !networks.has(name))
      .map(({ name }) => `the network ${name} is left`),
  ];
}

/** Looks at every change of the engine whether somebody answers; gives what it saw. */
export function watchServing({ memory: { state } }: Machine, serviceName: string): () => string[] {
  const faults: string[] = [];
  const look = (): void => {
    const isServed = [...state.tasks.values()].some(
      ({ serviceName: name, container }) =>
        name === serviceName &&
        container?.health !== 'starting' &&
        (container?.process?.listeners.size ?? 0) > 0,
    );
    if (!isServed && faults.length === 0) faults.push(`nobody answered for ${serviceName} for a while`);
  };
  state.watchers.add(look);
  return () => {
    state.watchers.delete(look);
    return faults;
  };
}
