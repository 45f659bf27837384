import { containersAnswer, volumeAnswer, volumesAnswer } from './services/answers.ts';
import { removeContainer } from './containers.ts';
import type { EngineClient } from './client/engine-client.ts';
import { segment } from './client/engine-client.ts';
import { isAbsent } from './client/engine-error.ts';
import { isOwn, requireOwn } from './services/ownership.ts';

/** Names of this node's volumes that bear the label, sorted. */
export async function listVolumes(client: EngineClient, label: string): Promise<string[]> {
  const answer = await client.call(
    { method: 'GET', path: '/volumes', query: { filters: { label: [label] } }, doing: 'listing volumes' },
    volumesAnswer,
  );
  return (answer.Volumes ?? [])
    .filter(({ Labels }) => isOwn(client, Labels))
    .map((volume) => volume.Name)
    .sort();
}

/** Whether this node has a volume of exactly this name, whoever made it. */
export async function hasVolume(client: EngineClient, name: string): Promise<boolean> {
  try {
    await client.send({
      method: 'GET',
      path: `/volumes/${segment(name)}`,
      doing: `looking for the volume ${name}`,
    });
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/**
 * Removes a volume of ours with its data; an absent one is no error, one in use is CONFLICT. The engine keeps
 * ended containers of a service for its history, and counts them as users: those go first.
 */
export async function removeVolume(client: EngineClient, name: string): Promise<void> {
  const path = `/volumes/${segment(name)}`;
  try {
    const volume = await client.call(
      { method: 'GET', path, doing: `reading the volume ${name}` },
      volumeAnswer,
    );
    requireOwn(client, volume.Labels, 'volume', name);
    await removeEndedUsers(client, name);
    await client.send({ method: 'DELETE', path, doing: `removing the volume ${name}` });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

async function removeEndedUsers(client: EngineClient, volume: string): Promise<void> {
  const query = { all: true, filters: { volume: [volume], status: ['exited', 'dead', 'created'] } };
  const ended = await client.call(
    { method: 'GET', path: '/containers/json', query, doing: `looking who uses the volume ${volume}` },
    containersAnswer,
  );
  for (const container of ended) {
    if (isOwn(client, container.Labels)) await removeContainer(client, container.Id);
  }
}
