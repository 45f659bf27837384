/** What is remembered of one service of an engine from look to look. */
import { releaseLabel } from '../../domain/names/labels.ts';
import { failureReason } from '../../deploy/release/failure-reason.ts';
import {
  crashLoop,
  problemOf,
  type LastExit,
  type LiveProblem,
  type SeenService,
} from '../../domain/states/live.ts';
import type { ContainerEnd } from '../../ports/engine/container-end.ts';
import { type RunningService, type TaskState } from '../../ports/engine/engine.ts';

/** Ends of tasks that the engine lists no longer, and what was said of them. */
export interface ServiceMemory {
  /** Of the tasks whose ends are counted. */
  generation: string;
  counted: Set<string>;
  restarts: number;
  /** Times of the newest ends, in ms. */
  ends: number[];
  lastExit: LastExit | null;
  /** The problem that was told of, until it is over. */
  told: LiveProblem | null;
}

export const emptyMemory = (): ServiceMemory => ({
  generation: '',
  counted: new Set(),
  restarts: 0,
  ends: [],
  lastExit: null,
  told: null,
});

const endedByItself = new Set(['failed', 'complete', 'rejected']);

export interface Looking {
  /** In ms. */
  now: number;
  endOf(containerId: string): Promise<ContainerEnd | undefined>;
  /** Ids of the containers that are paused. */
  paused: ReadonlySet<string>;
}

/**
 * Adds a look to what is remembered and gives what is to be shown. `endOf` is asked once for each task that
 * ended within the last minutes.
 */
export async function seeService(
  memory: ServiceMemory,
  { service, tasks }: RunningService,
  { now, endOf, paused }: Looking,
): Promise<Omit<SeenService, 'deployment'>> {
  const running = tasks.filter(isRunning);
  const { generation, release } = running[0] ?? {
    generation: service.generation,
    release: service.labels[releaseLabel],
  };
  if (memory.generation !== generation) Object.assign(memory, emptyMemory(), { generation });
  const own = tasks.filter((task) => task.generation === generation);
  await countEnds(memory, own, now, endOf);
  // Somebody stopped it: what it did before says nothing of what is started then.
  if (service.replicas === 0) memory.ends = [];
  const since = own.filter(isRunning).map(({ stateAt }) => stateAt);
  return {
    deploymentId: release,
    image: (running[0] ?? own[0])?.image ?? service.image,
    since: since.toSorted()[0] ?? null,
    running: running.length,
    desired: Math.max(0, service.replicas - (service.restart === 'on-failure' ? endedWell(own) : 0)),
    restarts: memory.restarts,
    lastExit: memory.lastExit,
    problem: service.replicas === 0 ? null : problemOf(memory.ends, memory.lastExit, now),
    waiting: service.replicas === 0 ? null : waitingOf(own),
    paused: running.filter(({ containerId }) => containerId !== undefined && paused.has(containerId)).length,
  };
}

async function countEnds(
  memory: ServiceMemory,
  tasks: readonly TaskState[],
  now: number,
  endOf: (containerId: string) => Promise<ContainerEnd | undefined>,
): Promise<void> {
  // Those that are told to go are ended by somebody; the engine forgets them, and their like, soon.
  const ended = tasks.filter(
    ({ state, desiredState }) => endedByItself.has(state) && desiredState !== 'remove',
  );
  const unseen = ended.filter(({ id }) => !memory.counted.has(id)).toReversed();
  for (const task of unseen) {
    const at = Date.parse(task.stateAt);
    const isRecent = now - at < crashLoop.withinMs;
    const end = isRecent && task.containerId !== undefined ? await endOf(task.containerId) : undefined;
    memory.restarts += 1;
    memory.ends = [...memory.ends, at].slice(-crashLoop.ends);
    if (memory.lastExit !== null && memory.lastExit.at > task.stateAt) continue;
    memory.lastExit = {
      at: task.stateAt,
      exitCode: task.exitCode ?? null,
      outOfMemory: end?.outOfMemory === true,
      reason: failureReason(task, end, true),
    };
  }
  memory.counted = new Set(ended.map(({ id }) => id));
}

/** Slots whose newest task has ended with 0, and is not started again. */
function endedWell(tasks: readonly TaskState[]): number {
  const newest = new Map<number, TaskState>();
  for (const task of tasks) if (!newest.has(task.slot)) newest.set(task.slot, task);
  return [...newest.values()].filter(({ state }) => state === 'complete').length;
}

/** A task that should run and has an error has not begun: no node takes it, its port is taken. */
function waitingOf(tasks: readonly TaskState[]): string | null {
  const waiting = tasks.find(
    ({ state, desiredState, error }) => desiredState === 'running' && state !== 'running' && error !== '',
  );
  return waiting === undefined || endedByItself.has(waiting.state)
    ? null
    : `It cannot be started: ${waiting.error}.`;
}

const isRunning = ({ state, desiredState }: TaskState): boolean =>
  state === 'running' && desiredState === 'running';
