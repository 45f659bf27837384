import { taskLabel } from '../../../domain/names/labels.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { LogLine, ServiceSpec, TaskResult, TaskState } from '../../../ports/engine/engine.ts';
import { createdAnswer } from '../services/answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { storeFiles } from '../files.ts';
import { createLogWindow } from '../logs/log-window.ts';
import { rawServiceLogs, readToEnd } from '../logs/logs.ts';
import { pinImage } from '../images/pinned-image.ts';
import { deleteService, removeService } from '../services/service-removal.ts';
import { toDockerSpec } from '../services/service-spec.ts';
import { findService } from '../services/services.ts';
import { endedStates, listTasks } from '../services/tasks.ts';
import { waitUntil } from '../../../ports/wait-until.ts';

const pollMs = 150;

export interface RunOptions {
  signal: AbortSignal;
  limitMs: number;
  onLine(line: LogLine): void;
}

/**
 * Runs one task to its end (see the port). Throws the signal's reason when aborted, PRECONDITION_FAILED at
 * the limit; the service is removed in every case.
 */
export async function runTask(
  client: EngineClient,
  spec: ServiceSpec,
  options: RunOptions,
  { clock, isOwnImage }: { clock: Clock; isOwnImage?: (reference: string) => boolean },
): Promise<TaskResult> {
  const limit = AbortSignal.timeout(options.limitMs);
  const signal = AbortSignal.any([options.signal, limit]);
  signal.throwIfAborted();
  await createTask(client, spec, isOwnImage);
  try {
    const result = await follow(client, spec.name, signal, options.onLine);
    // Its container has ended, so nobody needs to wait until the engine has tidied up.
    await deleteService(client, spec.name);
    return result;
  } catch (error) {
    const stopped =
      limit.aborted && !options.signal.aborted
        ? await limitError(client, spec.name, options.limitMs, error)
        : error;
    await removeService(client, spec.name, clock);
    options.signal.throwIfAborted();
    throw stopped;
  }
}

async function createTask(
  client: EngineClient,
  spec: ServiceSpec,
  isOwnImage?: (reference: string) => boolean,
): Promise<void> {
  const [image, configIds] = await Promise.all([
    pinImage(client, spec.image, isOwnImage),
    storeFiles(client, spec.files),
  ]);
  const once = toDockerSpec(
    { ...spec, replicas: 1, labels: { [taskLabel]: 'true', ...spec.labels } },
    { owner: client, image, configIds, restarts: 0 },
  );
  const body = {
    ...once,
    TaskTemplate: { ...once.TaskTemplate, RestartPolicy: { Condition: 'none', MaxAttempts: 0 } },
  };
  await client.call(
    {
      method: 'POST',
      path: '/services/create',
      body,
      auth: spec.registryAuth,
      doing: `starting the task ${spec.name}`,
    },
    createdAnswer,
  );
}

/** Passes on the log while the task runs, then what came between the last line and the end. */
async function follow(
  client: EngineClient,
  name: string,
  signal: AbortSignal,
  onLine: (line: LogLine) => void,
): Promise<TaskResult> {
  const closed = new AbortController();
  const window = createLogWindow(onLine);
  const reading = copyLines(
    rawServiceLogs(client, name, { follow: true, signal: AbortSignal.any([signal, closed.signal]) }),
    window.begin(),
  );
  // A failure of the log shows when it is awaited below; until then it must not count as unhandled.
  reading.catch(() => undefined);
  try {
    const task = await ended(client, name, signal);
    closed.abort();
    await reading;
    await readToEnd(client, name, { ...window.since(), signal, begin: window.begin });
    signal.throwIfAborted();
    return { exitCode: task.exitCode, error: task.error };
  } finally {
    closed.abort();
  }
}

/** Throws PRECONDITION_FAILED when somebody else removed it. */
async function ended(client: EngineClient, name: string, signal: AbortSignal): Promise<TaskState> {
  const look = async (): Promise<TaskState | undefined> => {
    const [task] = await listTasks(client, name);
    if (task === undefined && !(await isThere(client, name)))
      throw new AppError('PRECONDITION_FAILED', `The task ${name} was removed before it ended.`);
    return task !== undefined && endedStates.has(task.state) ? task : undefined;
  };
  return waitUntil(look, { everyMs: pollMs, signal });
}

const isThere = async (client: EngineClient, name: string): Promise<boolean> =>
  (await findService(client, name)) !== undefined;

async function copyLines(lines: AsyncIterable<LogLine>, pass: (line: LogLine) => void): Promise<void> {
  for await (const line of lines) pass(line);
}

async function limitError(
  client: EngineClient,
  name: string,
  limitMs: number,
  cause: unknown,
): Promise<AppError> {
  const [task] = await listTasks(client, name).catch(() => []);
  const state =
    task === undefined
      ? 'it never got a task'
      : `it was ${task.state}${task.error === '' ? '' : `: ${task.error}`}`;
  return new AppError(
    'PRECONDITION_FAILED',
    `The task ${name} did not end within ${limitMs / 1000} s and was removed (${state}).`,
    { cause },
  );
}
