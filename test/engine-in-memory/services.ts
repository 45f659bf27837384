/** Services as the manager takes and keeps them. */
import { z } from 'zod';
import { serviceBody, type ServiceBody } from './routes/bodies.ts';
import { serverNetwork } from '../../server/src/ports/engine/engine.ts';
import { findNetwork } from './networks.ts';
import { follow, removeTasks, rollBack } from './orchestrator.ts';
import { Refusal, swarmRefusal } from './routes/refusal.ts';
import { changed, nextNumber, swarmId, type Service, type State } from './state.ts';

const longestName = 63;

/** By its id, its name in any case, or the beginning of its id. */
export function findService(state: State, idOrName: string): Service {
  const all = [...state.services.values()];
  const found =
    state.services.get(idOrName) ??
    all.find(({ spec }) => spec.Name.toLowerCase() === idOrName.toLowerCase()) ??
    all.find(({ id }) => id.startsWith(idOrName));
  if (found === undefined) throw new Refusal(404, `service ${idOrName} not found`);
  return found;
}

export function createService(state: State, body: unknown, auth: string | undefined): Service {
  const spec = read(state, body);
  const isTaken = [...state.services.values()].some(
    (other) => other.spec.Name.toLowerCase() === spec.Name.toLowerCase(),
  );
  if (isTaken) {
    throw swarmRefusal(
      409,
      'AlreadyExists',
      `name conflicts with an existing object: service ${spec.Name} already exists`,
    );
  }
  const service: Service = {
    id: swarmId(),
    spec,
    previous: undefined,
    version: nextNumber(state),
    createdAt: Date.now(),
    auth,
    update: undefined,
    isRemoved: false,
    turn: 0,
  };
  state.services.set(service.id, service);
  follow(state, service);
  changed(state);
  return service;
}

export interface Change {
  version: number;
  body: unknown;
  auth: string | undefined;
  isRollback: boolean;
}

export function changeService(
  state: State,
  service: Service,
  { version, body, auth, isRollback }: Change,
): void {
  if (version !== service.version) throw swarmRefusal(500, 'Unknown', 'update out of sequence');
  if (isRollback) {
    if (service.previous === undefined)
      throw swarmRefusal(400, 'FailedPrecondition', `service ${service.id} does not have a previous spec`);
    rollBack(state, service, service.previous);
    return;
  }
  const spec = read(state, body);
  service.previous = service.spec;
  service.spec = spec;
  // A change without credentials keeps those that were there.
  service.auth = auth ?? service.auth;
  service.update = undefined;
  service.version = nextNumber(state);
  follow(state, service);
  changed(state);
}

export function removeService(state: State, service: Service): void {
  state.services.delete(service.id);
  removeTasks(state, service);
  changed(state);
}

/** Networks by their ids, and everything that the manager checks. */
function read(state: State, body: unknown): ServiceBody {
  const spec = z.parse(serviceBody, structuredClone(body));
  if (!/^[a-zA-Z0-9](?:[-_]*[A-Za-z0-9]+)*$/.test(spec.Name))
    throw swarmRefusal(400, 'InvalidArgument', 'name must be valid as a DNS name component');
  if (spec.Name.length > longestName)
    throw swarmRefusal(400, 'InvalidArgument', 'name must be 63 characters or fewer');
  for (const network of spec.TaskTemplate.Networks)
    if (network.Target !== serverNetwork) network.Target = findNetwork(state, network.Target).id;
  for (const { ConfigID: id, ConfigName: name } of spec.TaskTemplate.ContainerSpec.Configs)
    if (!state.configs.has(id)) throw swarmRefusal(400, 'InvalidArgument', `config ${name} not found`);
  for (const { SecretID: id, SecretName: name } of spec.TaskTemplate.ContainerSpec.Secrets)
    if (!state.secrets.has(id)) throw swarmRefusal(400, 'InvalidArgument', `secret ${name} not found`);
  refuseTakenPorts(state, spec);
  return spec;
}

/** A port of the routing mesh is one service's. */
function refuseTakenPorts(state: State, spec: ServiceBody): void {
  const meshPorts = ({ EndpointSpec: endpoint }: ServiceBody): string[] =>
    (endpoint?.Ports ?? [])
      .filter(({ PublishMode, PublishedPort }) => PublishMode === 'ingress' && PublishedPort !== undefined)
      .map(({ PublishedPort, Protocol }) => `${PublishedPort}/${Protocol}`);
  const wanted = new Set(meshPorts(spec));
  for (const other of state.services.values()) {
    const taken =
      other.spec.Name === spec.Name ? undefined : meshPorts(other.spec).find((port) => wanted.has(port));
    if (taken !== undefined) {
      throw swarmRefusal(
        400,
        'InvalidArgument',
        `port '${taken.split('/')[0]}' is already in use by service '${other.spec.Name}' (${other.id}) ` +
          'as an ingress port',
      );
    }
  }
}
