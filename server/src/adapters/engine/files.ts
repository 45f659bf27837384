import { managedLabel } from '../../domain/names/labels.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import { configsAnswer, createdAnswer } from './services/answers.ts';
import type { ServiceAnswer } from './services/answers.ts';
import type { EngineClient } from './client/engine-client.ts';
import { segment } from './client/engine-client.ts';
import { allowRefusal, EngineRefusal } from './client/engine-error.ts';
import { isOwn, ownedLabels, requireOwn } from './services/ownership.ts';
import { configName } from './services/service-spec.ts';

/** A config younger than this is left alone: a service that will use it may be on its way. */
const sparedMs = 120_000;

/** Puts each file's content into a config object of the swarm, when it is not there yet; gives name → id. */
export async function storeFiles(
  client: EngineClient,
  files: ServiceSpec['files'],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const { content } of files) {
    const name = configName(content, client);
    if (!ids.has(name))
      ids.set(name, (await findConfig(client, name)) ?? (await createConfig(client, name, content)));
  }
  return ids;
}

/** Removes the configs of ours that no service refers to any more, not even for a way back. */
export async function removeUnusedFiles(
  client: EngineClient,
  services: readonly ServiceAnswer[],
  now: number,
): Promise<void> {
  const used = new Set(
    services.flatMap((service) => [service.Spec, service.PreviousSpec].flatMap(configIdsOf)),
  );
  for (const config of await listConfigs(client, { label: [`${managedLabel}=true`] })) {
    if (!isOwn(client, config.Spec.Labels)) continue;
    if (used.has(config.ID) || now - Date.parse(config.CreatedAt) < sparedMs) continue;
    // The engine's own check is the last word on whether a config is in use.
    await client
      .send({
        method: 'DELETE',
        path: `/configs/${segment(config.ID)}`,
        doing: `removing the file ${config.Spec.Name}`,
      })
      .catch(allowRefusal(/in use|not (?:be )?f(?:ou|i)nd/i));
  }
}

function configIdsOf(spec: ServiceAnswer['Spec'] | null | undefined): string[] {
  return (spec?.TaskTemplate.ContainerSpec?.Configs ?? []).map((config) => config.ConfigID);
}

async function findConfig(client: EngineClient, name: string): Promise<string | undefined> {
  const found = (await listConfigs(client, { name: [name] })).find((config) => config.Spec.Name === name);
  if (found !== undefined) requireOwn(client, found.Spec.Labels, 'config', name);
  return found?.ID;
}

async function createConfig(client: EngineClient, name: string, content: string): Promise<string> {
  try {
    const body = { Name: name, Labels: ownedLabels(client), Data: Buffer.from(content).toString('base64') };
    const created = await client.call(
      { method: 'POST', path: '/configs/create', body, doing: `storing the file ${name}` },
      createdAnswer,
    );
    return created.ID;
  } catch (error) {
    const madeMeanwhile =
      error instanceof EngineRefusal && error.status === 409 ? await findConfig(client, name) : undefined;
    if (madeMeanwhile === undefined) throw error;
    return madeMeanwhile;
  }
}

function listConfigs(client: EngineClient, filters: Record<string, string[]>) {
  return client.call(
    { method: 'GET', path: '/configs', query: { filters }, doing: 'listing the files of services' },
    configsAnswer,
  );
}
