import type { ContainerEnd, ContainerState } from '../../ports/engine.ts';
import { containerAnswer, containersAnswer } from './answers.ts';
import type { EngineClient } from './engine-client.ts';
import { segment } from './engine-client.ts';
import { isAbsent } from './engine-error.ts';

/** Containers of this node that bear the label, ended ones included. */
export async function listContainers(client: EngineClient, label: string): Promise<ContainerState[]> {
  const query = { all: true, filters: { label: [label] } };
  const answers = await client.call(
    { method: 'GET', path: '/containers/json', query, doing: 'listing containers' },
    containersAnswer,
  );
  return answers.map((answer) => ({
    id: answer.Id,
    name: (answer.Names[0] ?? '').replace(/^\//, ''),
    labels: answer.Labels,
    state: answer.State,
    networks: Object.keys(answer.NetworkSettings?.Networks ?? {}),
  }));
}

/** How a container of this node ended; undefined when it is not here or still runs. */
export async function containerEnd(
  client: EngineClient,
  containerId: string,
): Promise<ContainerEnd | undefined> {
  try {
    const { State: state } = await client.call(
      { method: 'GET', path: `/containers/${segment(containerId)}/json`, doing: 'reading a container' },
      containerAnswer,
    );
    return state.Running
      ? undefined
      : { exitCode: state.ExitCode, outOfMemory: state.OOMKilled, error: state.Error };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Ends and removes a container with its unnamed volumes; an absent one is no error. */
export async function removeContainer(client: EngineClient, id: string): Promise<void> {
  try {
    await client.send({
      method: 'DELETE',
      path: `/containers/${segment(id)}`,
      query: { force: true, v: true },
      doing: 'removing a container',
    });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}
