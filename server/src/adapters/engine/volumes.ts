import { volumeAnswer, volumesAnswer } from './answers.ts';
import type { EngineClient } from './engine-client.ts';
import { segment } from './engine-client.ts';
import { isAbsent } from './engine-error.ts';
import { requireManaged } from './labels.ts';

/** Names of this node's volumes that bear the label, sorted. */
export async function listVolumes(client: EngineClient, label: string): Promise<string[]> {
  const answer = await client.call({ method: 'GET', path: '/volumes', query: { filters: { label: [label] } }, doing: 'listing volumes' }, volumesAnswer);
  return (answer.Volumes ?? []).map((volume) => volume.Name).sort();
}

/** Removes a volume of ours with its data; an absent one is no error, one in use is CONFLICT. */
export async function removeVolume(client: EngineClient, name: string): Promise<void> {
  const path = `/volumes/${segment(name)}`;
  try {
    const volume = await client.call({ method: 'GET', path, doing: `reading the volume ${name}` }, volumeAnswer);
    requireManaged(volume.Labels, 'volume', name);
    await client.send({ method: 'DELETE', path, doing: `removing the volume ${name}` });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}
