/** Containers of ours on this node that were told to end, and still run. */
import type { ContainerState } from '../../../ports/engine/engine.ts';
import { managedLabel, taskIdLabel } from '../../../domain/names/labels.ts';
import { listContainers } from '../containers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { EngineRefusal, isAbsent } from '../client/engine-error.ts';
import { tasksAnswer } from './answers.ts';
import { isOwn } from './ownership.ts';

/** Desired states of tasks that are to run, or have run to their end (Docker's manual). */
const staying: ReadonlySet<string> = new Set(['ready', 'running', 'completed']);

/**
 * Those whose task is to be shut down or removed, and those whose task the manager no longer knows; with
 * `tasks`, those of these tasks alone. Containers are listed first: one that is made meanwhile has a task by
 * then.
 */
export async function leavingContainers(
  client: EngineClient,
  tasks?: ReadonlySet<string>,
): Promise<ContainerState[]> {
  const running = (await listContainers(client, `${managedLabel}=true`)).filter(
    ({ state, labels }) => state === 'running' && labels[taskIdLabel] !== undefined && isOwn(client, labels),
  );
  if (running.length === 0) return [];
  const taskOf = ({ labels }: ContainerState): string => labels[taskIdLabel] ?? '';
  if (tasks !== undefined) return running.filter((container) => tasks.has(taskOf(container)));
  const kept = new Set(
    (await listTasks(client)).filter(({ DesiredState }) => staying.has(DesiredState)).map(({ ID }) => ID),
  );
  return running.filter((container) => !kept.has(taskOf(container)));
}

export async function leavingTasks(client: EngineClient): Promise<ReadonlySet<string>> {
  const leaving = (await listTasks(client)).filter(({ DesiredState }) => !staying.has(DesiredState));
  return new Set(leaving.map(({ ID }) => ID));
}

const listTasks = (client: EngineClient) =>
  client.call(
    { method: 'GET', path: '/tasks', doing: 'looking for tasks that should have ended' },
    tasksAnswer,
  );

/** Ends a container by SIGKILL; one that does not run, or is not here, is no error. */
export async function killContainer(client: EngineClient, containerId: string): Promise<void> {
  try {
    await client.send({
      method: 'POST',
      path: `/containers/${segment(containerId)}/kill`,
      query: { signal: 'KILL' },
      doing: 'ending a container',
    });
  } catch (error) {
    if (!isAbsent(error) && !(error instanceof EngineRefusal && /is not running/i.test(error.words)))
      throw error;
  }
}
