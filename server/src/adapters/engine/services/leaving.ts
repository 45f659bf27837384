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
 * Those whose task is to be shut down or removed, and those whose task the manager no longer knows.
 * Containers are listed first: one that is made meanwhile has a task by then.
 */
export async function leavingContainers(client: EngineClient): Promise<ContainerState[]> {
  const running = (await listContainers(client, `${managedLabel}=true`)).filter(
    ({ state, labels }) => state === 'running' && labels[taskIdLabel] !== undefined && isOwn(client, labels),
  );
  if (running.length === 0) return [];
  const tasks = await client.call(
    { method: 'GET', path: '/tasks', doing: 'looking for tasks that should have ended' },
    tasksAnswer,
  );
  const kept = new Set(tasks.filter(({ DesiredState }) => staying.has(DesiredState)).map(({ ID }) => ID));
  return running.filter(({ labels }) => !kept.has(labels[taskIdLabel] ?? ''));
}

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
