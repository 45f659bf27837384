/**
 * Keeps the output of tasks that ended on one host, for the engine forgets all but the last five of a slot,
 * and at once those of a service that is stopped.
 */
import { composeServiceLabel, organizationLabel, taskLabel } from '../../domain/names/labels.ts';
import { failureReason } from '../../deploy/release/failure-reason.ts';
import { AppError } from '../../domain/errors.ts';
import { ownerOfLabels } from '../../domain/names/service-ref.ts';
import type { EndedLine, EndedOutputs, EndedOwner, EndedTask } from '../../ports/ended-output.ts';
import type { EngineView } from '../../ports/engine/engine-view.ts';
import { type Engine, type RunningService, type TaskState } from '../../ports/engine/engine.ts';

export interface EndedOutputOptions {
  engine: Pick<Engine, 'taskLogs' | 'containerEnd' | 'serviceWithTasks'>;
  view: Pick<EngineView, 'containerLogs'>;
  outputs: Pick<EndedOutputs, 'has' | 'keep'>;
  /** In ms. */
  now(): number;
  onFault(error: unknown): void;
}

export interface EndedOutputKeeper {
  /** Notes which tasks of a service ended; their output is read behind the caller's back, one by one. */
  note(found: RunningService): void;
  /**
   * Reads what the tasks of a service that is about to be stopped have said, and goes on reading behind the
   * caller's back what those of this node say to their end.
   */
  beforeStop(serviceName: string): Promise<void>;
  /** Resolves when nothing waits to be kept. */
  settled(): Promise<void>;
  /** Reads no further; what was read whole is kept. */
  stop(): Promise<void>;
}

const ended = new Set(['complete', 'failed', 'shutdown', 'orphaned']);
const byItself = new Set(['complete', 'failed']);
const readLines = 10_000;
/** Tasks that may wait; what comes beyond is noted at the next look. */
const mostWaiting = 200;
/** A task that was told to stop and does not is killed by its engine long before. */
const stopLimitMs = 15 * 60_000;

interface Place {
  owner: EndedOwner;
  serviceName: string | null;
}

interface Book extends EndedOutputOptions {
  /** By the engine's names: the tasks that nothing is left to do for. */
  done: Map<string, Set<string>>;
  /** Tasks whose last words are being read. */
  followed: Map<string, Promise<void>>;
  stopped: AbortSignal;
}

export function createEndedOutputKeeper(options: EndedOutputOptions): EndedOutputKeeper {
  const stopping = new AbortController();
  const book: Book = { ...options, done: new Map(), followed: new Map(), stopped: stopping.signal };
  const queue = createTaskQueue(book);
  const settled = async (): Promise<void> => {
    await queue.settled();
    await Promise.all(book.followed.values());
  };
  return {
    note({ service, tasks }) {
      const place = placeOf(service);
      if (!place) return;
      const known = book.done.get(service.name) ?? new Set();
      const present = tasks.filter(({ state, containerId }) => ended.has(state) && containerId !== undefined);
      const done = new Set(present.map(({ id }) => id).filter((id) => known.has(id)));
      if (present.length === 0) book.done.delete(service.name);
      else book.done.set(service.name, done);
      for (const task of present.toReversed())
        if (!known.has(task.id) && !book.followed.has(task.id) && queue.add(task, place, done))
          done.add(task.id);
    },
    async beforeStop(name) {
      const { service, tasks } = await book.engine.serviceWithTasks(name);
      const place = service && placeOf(service);
      if (!place) return;
      await Promise.all(
        tasks.map(async (task) => {
          const { id, containerId, state } = task;
          if (state === 'running' && containerId !== undefined && !book.followed.has(id))
            await followToItsEnd(book, place, { ...task, containerId });
        }),
      );
    },
    settled,
    async stop() {
      stopping.abort();
      await settled();
    },
  };
}

/** One task is read at a time; one that could not be is tried again at a later look. */
function createTaskQueue(book: Book) {
  let waiting = 0;
  let work = Promise.resolve();
  return {
    /** Whether there was room for it. */
    add(task: TaskState, place: Place, done: Set<string>): boolean {
      if (waiting >= mostWaiting) return false;
      waiting += 1;
      work = work
        .then(() => keepEnded(book, place, task))
        .catch((error: unknown) => {
          done.delete(task.id);
          // With a service that was removed the engine forgets its tasks, and nothing is left to keep.
          if (!book.stopped.aborted && !isAbsent(error)) book.onFault(error);
        })
        .finally(() => {
          waiting -= 1;
        });
      return true;
    },
    settled: () => work,
  };
}

function placeOf({ labels }: RunningService['service']): Place | undefined {
  const { [organizationLabel]: organizationId, [composeServiceLabel]: serviceName } = labels;
  const owner = ownerOfLabels(labels);
  if (owner === undefined || organizationId === undefined || labels[taskLabel] !== undefined)
    return undefined;
  // A preview ends with its pull request, and its output with it.
  if (owner.kind === 'previewDeployment') return undefined;
  return { owner: { organizationId, serviceId: owner.serviceId }, serviceName: serviceName ?? null };
}

async function keepEnded(book: Book, { owner, serviceName }: Place, task: TaskState): Promise<void> {
  const { engine, outputs, stopped } = book;
  if (stopped.aborted || (await outputs.has(owner, task.id))) return;
  const isByItself = byItself.has(task.state);
  const end =
    isByItself && task.containerId !== undefined ? await engine.containerEnd(task.containerId) : undefined;
  const told: EndedTask = {
    taskId: task.id,
    nodeId: task.nodeId,
    serviceName,
    deploymentId: task.release ?? null,
    exitCode: task.exitCode ?? null,
    reason: isByItself ? failureReason(task, end, true) : null,
    endedAt: task.stateAt,
  };
  await outputs.keep(
    owner,
    told,
    whole(engine.taskLogs(task.id, { tail: readLines, signal: stopped }), stopped),
  );
}

async function* whole(lines: AsyncIterable<EndedLine>, stopped: AbortSignal): AsyncGenerator<EndedLine> {
  yield* lines;
  stopped.throwIfAborted();
}

async function followToItsEnd(
  book: Book,
  { owner, serviceName }: Place,
  task: TaskState & { containerId: string },
): Promise<void> {
  const { engine, view, outputs, now, stopped, followed, onFault } = book;
  const said = await Array.fromAsync(view.containerLogs(task.containerId, { tail: readLines })).catch(
    // One of another node.
    (error: unknown) =>
      isAbsent(error) ? Array.fromAsync(engine.taskLogs(task.id, { tail: readLines })) : fail(error),
  );
  const told: EndedTask = {
    taskId: task.id,
    nodeId: task.nodeId,
    serviceName,
    deploymentId: task.release ?? null,
    exitCode: null,
    reason: null,
    endedAt: new Date(now()).toISOString(),
  };
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(stopLimitMs)]);
  const keeping = outputs
    .keep(
      owner,
      told,
      toTheEnd(said, (since) => view.containerLogs(task.containerId, { since, follow: true, signal })),
    )
    .catch(onFault)
    .finally(() => followed.delete(task.id));
  followed.set(task.id, keeping);
}

/** What was said, and then what comes; nothing twice, and no fault when the container has gone meanwhile. */
async function* toTheEnd(
  said: readonly EndedLine[],
  follow: (since: string | undefined) => AsyncIterable<EndedLine>,
): AsyncGenerator<EndedLine> {
  yield* said;
  const last = said.at(-1)?.at;
  try {
    for await (const line of follow(last)) if (last === undefined || line.at > last) yield line;
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

const isAbsent = (error: unknown): boolean => error instanceof AppError && error.code === 'NOT_FOUND';

function fail(error: unknown): never {
  throw error;
}
