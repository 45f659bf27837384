import type { z } from 'zod';
import type { ContainerEnd } from '../../ports/engine/container-end.ts';
import type { ContainerState } from '../../ports/engine/engine.ts';
import { containerAnswer, containersAnswer, tasksAnswer } from './services/answers.ts';
import type { EngineClient } from './client/engine-client.ts';
import { segment } from './client/engine-client.ts';
import { EngineRefusal, isAbsent } from './client/engine-error.ts';
import { isForeign } from './services/ownership.ts';

/** Containers of this node that bear the label, ended ones included, and none of others or made by hand. */
export async function listContainers(client: EngineClient, label: string): Promise<ContainerState[]> {
  const query = { all: true, filters: { label: [label] } };
  const answers = await client.call(
    { method: 'GET', path: '/containers/json', query, doing: 'listing containers' },
    containersAnswer,
  );
  const [key = '', value] = label.split(/=(.*)/s);
  const mine = answers.filter(
    ({ Labels }) =>
      !isForeign(client, Labels) && (value === undefined ? key in Labels : Labels[key] === value),
  );
  return mine.map((answer) => ({
    id: answer.Id,
    name: (answer.Names[0] ?? '').replace(/^\//, ''),
    labels: answer.Labels,
    state: answer.State,
    networks: Object.keys(answer.NetworkSettings?.Networks ?? {}),
  }));
}

/** Ids of the containers of this node that are paused. */
export async function pausedContainers(client: EngineClient): Promise<string[]> {
  const query = { filters: { status: ['paused'] } };
  const answers = await client.call(
    { method: 'GET', path: '/containers/json', query, doing: 'listing paused containers' },
    containersAnswer,
  );
  return answers.map(({ Id }) => Id);
}

/** One that is so already, or not there, stays as it is. */
export async function pauseContainer(
  client: EngineClient,
  containerId: string,
  how: 'pause' | 'unpause',
): Promise<void> {
  const isPaused = (await pausedContainers(client)).includes(containerId);
  if (isPaused === (how === 'pause')) return;
  const path = `/containers/${segment(containerId)}/${how}`;
  try {
    await client.send({ method: 'POST', path, doing: `trying to ${how} a container` });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/**
 * Containers of this node that run tasks of the service, by what the manager says of its tasks: neither the
 * name of a container nor a label of it is asked.
 */
export async function serviceContainers(client: EngineClient, serviceId: string): Promise<ContainerState[]> {
  const query = { filters: { service: [serviceId] } };
  const tasks = await client
    .call({ method: 'GET', path: '/tasks', query, doing: 'listing the tasks of a service' }, tasksAnswer)
    .catch((error: unknown) => {
      if (isAbsent(error)) return [];
      throw error;
    });
  // The filter takes names, too.
  const ids = tasks
    .filter(({ ServiceID, Status }) => ServiceID === serviceId && Status.State === 'running')
    .flatMap(({ Status }) => Status.ContainerStatus?.ContainerID || []);
  const found = await Promise.all(ids.map((id) => inspect(client, id)));
  return found.flatMap((answer, index) =>
    answer === undefined
      ? []
      : [
          {
            id: ids[index] ?? '',
            name: '',
            labels: answer.Config.Labels,
            state: answer.State.Running ? 'running' : 'exited',
            networks: Object.keys(answer.NetworkSettings.Networks ?? {}),
          },
        ],
  );
}

/** How a container of this node ended; undefined when it is not here or still runs. */
export async function containerEnd(
  client: EngineClient,
  containerId: string,
): Promise<ContainerEnd | undefined> {
  const answer = await inspect(client, containerId);
  if (answer === undefined || answer.State.Running) return undefined;
  const { ExitCode: exitCode, OOMKilled: outOfMemory, Error: error, FinishedAt: finishedAt } = answer.State;
  return {
    exitCode,
    finishedAt,
    outOfMemory,
    error,
    unhealthy: isUnhealthy(answer),
    failedCheck: failedCheckOf(answer),
    user: ordinaryUser(answer),
    volumes: (answer.Mounts ?? [])
      .filter(({ Type }) => Type === 'volume')
      .map(({ Destination }) => Destination),
  };
}

/** The user as image or service name it, without its group; undefined for root. */
function ordinaryUser({ Config: { User } }: Inspected): string | undefined {
  const [user = ''] = (User ?? '').split(':');
  return ['', '0', 'root'].includes(user) ? undefined : user;
}

/** What the last failed health check of a container of this node printed. */
export async function failedCheck(client: EngineClient, containerId: string): Promise<string | undefined> {
  const answer = await inspect(client, containerId);
  return answer && failedCheckOf(answer);
}

type Inspected = z.infer<typeof containerAnswer>;

async function inspect(client: EngineClient, containerId: string): Promise<Inspected | undefined> {
  try {
    return await client.call(
      { method: 'GET', path: `/containers/${segment(containerId)}/json`, doing: 'reading a container' },
      containerAnswer,
    );
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

const defaultRetries = 3;

/**
 * The engine says "unhealthy" of every ended container with a health check; only the number of failures tells
 * whether it was (measured on 20.10). Failures in the start period are not counted.
 */
function isUnhealthy({ Config: { Healthcheck }, State: { Health } }: Inspected): boolean {
  return (Health?.FailingStreak ?? 0) >= (Healthcheck?.Retries || defaultRetries);
}

/** A check that the container's end cut off says nothing. */
function failedCheckOf({ State: { Health } }: Inspected): string | undefined {
  if (Health?.Log?.at(-1)?.ExitCode === 0) return undefined;
  const failed = Health?.Log?.findLast(({ ExitCode, Output }) => ExitCode > 0 && Output.trim() !== '');
  return failed?.Output.trim();
}

/** Ends and removes a container with its unnamed volumes; one that is absent or going is no error. */
export async function removeContainer(client: EngineClient, id: string): Promise<void> {
  try {
    await client.send({
      method: 'DELETE',
      path: `/containers/${segment(id)}`,
      query: { force: true, v: true },
      doing: 'removing a container',
    });
  } catch (error) {
    // Somebody else's removal of it is under way (engine API, 409).
    if (!isAbsent(error) && !isGoing(error)) throw error;
  }
}

const isGoing = (error: unknown): boolean =>
  error instanceof EngineRefusal && error.status === 409 && error.words.includes('in progress');
