/** Refuses what the adapters would make on an engine without the id of their installation. */
import type { EngineClient } from '../../server/src/adapters/engine/client/engine-client.ts';
import type { EngineRequest } from '../../server/src/adapters/engine/client/engine-request.ts';
import { installationLabel } from '../../server/src/domain/names/labels.ts';

/** The client that adapters get: each of its creations is looked at. */
export function ownedCreations(client: EngineClient): EngineClient {
  const look = (request: EngineRequest): void => {
    const faults = unlabelled(request, client.installation);
    if (faults.length > 0)
      throw new Error(
        `${request.path} makes something without ${installationLabel}=${client.installation}: ` +
          `${faults.join(', ')}. Label it with ownedLabels (adapters/engine/services/ownership.ts).`,
      );
  };
  return {
    ...client,
    async call(request, schema) {
      look(request);
      return client.call(request, schema);
    },
    async send(request) {
      look(request);
      return client.send(request);
    },
  };
}

/** Where the body of a creation lacks the label: on the thing, its containers, or volumes they make. */
export function unlabelled({ method, path, body }: EngineRequest, installation: string): string[] {
  if (method !== 'POST' || !/^\/(services|networks|volumes|containers|configs|secrets)\/create$/.test(path))
    return [];
  const isLabelled = (labels: unknown): boolean => at(labels, installationLabel) === installation;
  const container = at(at(body, 'TaskTemplate'), 'ContainerSpec');
  const mounts = [at(container, 'Mounts'), at(at(body, 'HostConfig'), 'Mounts')].flatMap((one) =>
    Array.isArray(one) ? one : [],
  );
  return [
    ...(isLabelled(at(body, 'Labels')) ? [] : ['Labels']),
    ...(container === undefined || isLabelled(at(container, 'Labels')) ? [] : ['labels of its containers']),
    ...mounts
      .filter((mount) => at(mount, 'Type') === 'volume')
      .filter((mount) => !isLabelled(at(at(mount, 'VolumeOptions'), 'Labels')))
      .map((mount) => `labels of the volume ${String(at(mount, 'Source'))}`),
  ];
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
