import { managedLabel } from '../../domain/names/labels.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import { configsAnswer, createdAnswer } from './services/answers.ts';
import type { ServiceAnswer } from './services/answers.ts';
import type { EngineClient } from './client/engine-client.ts';
import { segment } from './client/engine-client.ts';
import { allowRefusal, EngineRefusal } from './client/engine-error.ts';
import { isOwn, ownedLabels, requireOwn } from './services/ownership.ts';
import { configName, storedKey, storeOf, type FileStore } from './services/service-spec.ts';

/** A file younger than this is left alone: a service that will use it may be on its way. */
const sparedMs = 120_000;

/** What the engine calls one of its stores of files. */
const words = { configs: 'config', secrets: 'secret' } satisfies Record<FileStore, string>;
const stores: readonly FileStore[] = ['configs', 'secrets'];

/** Puts each file into the swarm's store for it, when it is not there yet; returns `storedKey` → id. */
export async function storeFiles(
  client: EngineClient,
  files: ServiceSpec['files'],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const file of files) {
    const name = configName(file.content, client);
    const store = storeOf(file);
    const key = storedKey(store, name);
    if (!ids.has(key))
      ids.set(
        key,
        (await findStored(client, store, name)) ?? (await createStored(client, store, name, file.content)),
      );
  }
  return ids;
}

/** Removes the files of ours that no service refers to any more, not even for a way back. */
export async function removeUnusedFiles(
  client: EngineClient,
  services: readonly ServiceAnswer[],
  now: number,
): Promise<void> {
  const used = new Set(services.flatMap((service) => [service.Spec, service.PreviousSpec].flatMap(idsOf)));
  for (const store of stores)
    for (const { ID: id, CreatedAt: createdAt, Spec: spec } of await listStored(client, store, {
      label: [`${managedLabel}=true`],
    })) {
      if (!isOwn(client, spec.Labels)) continue;
      if (used.has(id) || now - Date.parse(createdAt) < sparedMs) continue;
      // The engine's own check is the last word on whether one is in use.
      await client
        .send({
          method: 'DELETE',
          path: `/${store}/${segment(id)}`,
          doing: `removing the file ${spec.Name}`,
        })
        .catch(allowRefusal(/in use|not (?:be )?f(?:ou|i)nd/i));
    }
}

function idsOf(spec: ServiceAnswer['Spec'] | null | undefined): string[] {
  const { Configs: configs, Secrets: secrets } = spec?.TaskTemplate.ContainerSpec ?? {};
  return [
    ...(configs ?? []).map(({ ConfigID }) => ConfigID),
    ...(secrets ?? []).map(({ SecretID }) => SecretID),
  ];
}

async function findStored(client: EngineClient, store: FileStore, name: string): Promise<string | undefined> {
  const found = (await listStored(client, store, { name: [name] })).find(({ Spec }) => Spec.Name === name);
  if (found !== undefined) requireOwn(client, found.Spec.Labels, words[store], name);
  return found?.ID;
}

async function createStored(
  client: EngineClient,
  store: FileStore,
  name: string,
  content: string,
): Promise<string> {
  try {
    const body = { Name: name, Labels: ownedLabels(client), Data: Buffer.from(content).toString('base64') };
    const created = await client.call(
      { method: 'POST', path: `/${store}/create`, body, doing: `storing the file ${name}` },
      createdAnswer,
    );
    return created.ID;
  } catch (error) {
    const madeMeanwhile =
      error instanceof EngineRefusal && error.status === 409
        ? await findStored(client, store, name)
        : undefined;
    if (madeMeanwhile === undefined) throw error;
    return madeMeanwhile;
  }
}

function listStored(client: EngineClient, store: FileStore, filters: Record<string, string[]>) {
  return client.call(
    { method: 'GET', path: `/${store}`, query: { filters }, doing: 'listing the files of services' },
    configsAnswer,
  );
}
