import { imageLabel, releaseLabel } from '../../../domain/names/labels.ts';
import { type TaskState } from '../../../ports/engine/engine.ts';
import { tasksAnswer } from './answers.ts';
import type { TaskAnswer } from './answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { isAbsent } from '../client/engine-error.ts';
import { generationOf } from './service-spec.ts';

/** States after which a task never runs again (Docker's manual, "How swarm tasks work"). */
export const endedStates: ReadonlySet<string> = new Set([
  'complete',
  'failed',
  'rejected',
  'shutdown',
  'orphaned',
  'remove',
]);

/** Tasks of a service, newest first; none for a service that does not exist. */
export async function listTasks(client: EngineClient, serviceName: string): Promise<TaskState[]> {
  try {
    const filters = { service: [serviceName] };
    const answers = await client.call(
      { method: 'GET', path: '/tasks', query: { filters }, doing: `listing the tasks of ${serviceName}` },
      tasksAnswer,
    );
    return answers.sort(newestFirst).map(taskState);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Tasks of every service, newest first, by the service's id. */
export async function listAllTasks(client: EngineClient): Promise<ReadonlyMap<string, TaskState[]>> {
  const answers = await client.call(
    { method: 'GET', path: '/tasks', doing: 'listing the tasks of all services' },
    tasksAnswer,
  );
  const byService = Map.groupBy(answers.sort(newestFirst), ({ ServiceID }) => ServiceID);
  return new Map([...byService].map(([serviceId, tasks]) => [serviceId, tasks.map(taskState)]));
}

/** Tasks that remain of a removed service: Swarm forgets each when its node has ended it. */
export async function remainingTasks(
  client: EngineClient,
  service: { id: string; name: string },
): Promise<TaskState[]> {
  const filters = { name: [service.name] };
  const answers = await client.call(
    {
      method: 'GET',
      path: '/tasks',
      query: { filters },
      doing: `looking for what is left of ${service.name}`,
    },
    tasksAnswer,
  );
  return answers.filter((task) => task.ServiceID === service.id).map(taskState);
}

function newestFirst(a: TaskAnswer, b: TaskAnswer): number {
  return a.CreatedAt < b.CreatedAt ? 1 : a.CreatedAt > b.CreatedAt ? -1 : 0;
}

function taskState(task: TaskAnswer): TaskState {
  const container = task.Status.ContainerStatus;
  const hasEnded = endedStates.has(task.Status.State);
  return {
    id: task.ID,
    nodeId: task.NodeID,
    slot: task.Slot,
    image: task.Spec.ContainerSpec?.Labels[imageLabel] ?? task.Spec.ContainerSpec?.Image ?? '',
    state: task.Status.State,
    desiredState: task.DesiredState,
    error: task.Status.Err,
    // The engine gives 0 for a task that still runs.
    exitCode: hasEnded && container?.ContainerID ? container.ExitCode : undefined,
    containerId: container?.ContainerID || undefined,
    createdAt: task.CreatedAt,
    stateAt: task.Status.Timestamp,
    generation: generationOf(task.Spec.ContainerSpec?.Labels ?? {}, task.Spec.ForceUpdate),
    release: task.Spec.ContainerSpec?.Labels[releaseLabel],
  };
}
