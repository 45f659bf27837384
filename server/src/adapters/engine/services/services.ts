import {
  dataFolderLabel,
  imageLabel,
  incarnationLabel,
  managedLabel,
  specLabel,
} from '../../../domain/names/labels.ts';
import type {
  AppliedService,
  RunningService,
  ServiceSpec,
  ServiceState,
  ServiceWithTasks,
} from '../../../ports/engine/engine.ts';
import { AppError } from '../../../domain/errors.ts';
import { createdAnswer, serviceAnswer, servicesAnswer } from './answers.ts';
import type { ServiceAnswer } from './answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { EngineRefusal, isAbsent, isOutOfSequence } from '../client/engine-error.ts';
import { storeFiles } from '../files.ts';
import { isOwn, requireOwn } from './ownership.ts';
import type { Networks } from '../networks/networks.ts';
import { pinImage } from '../images/pinned-image.ts';
import { generationOf, specDigest, toDockerSpec } from './service-spec.ts';
import { listAllTasks, listTasks } from './tasks.ts';

/**
 * How often a write is tried anew when another one came between: the engine itself writes the service's
 * update status at any moment.
 */
const writeAttempts = 8;

type SpecAnswer = ServiceAnswer['Spec'];

export interface Services {
  apply(spec: ServiceSpec): Promise<AppliedService>;
  one(name: string): Promise<ServiceState | undefined>;
  withTasks(name: string): Promise<ServiceWithTasks>;
  list(): Promise<ServiceState[]>;
  listWithTasks(): Promise<RunningService[]>;
  scale(name: string, replicas: number): Promise<void>;
  restart(name: string): Promise<AppliedService>;
  rollback(name: string): Promise<AppliedService>;
}

export function createServices(
  client: EngineClient,
  networks: Networks,
  isOwnImage: (reference: string) => boolean,
): Services {
  async function withTasks(name: string): Promise<ServiceWithTasks> {
    const [service, tasks] = await Promise.all([findService(client, name), listTasks(client, name)]);
    if (service === undefined) return { service, tasks };
    const running = tasks.filter(
      (task) => task.state === 'running' && task.desiredState === 'running',
    ).length;
    return { service: stateOf(service, running, await networkNames(networks, service)), tasks };
  }
  async function list(): Promise<ServiceState[]> {
    const states: ServiceState[] = [];
    for (const service of await listManaged(client, true)) {
      states.push(
        stateOf(service, service.ServiceStatus?.RunningTasks ?? 0, await networkNames(networks, service)),
      );
    }
    return states;
  }

  return {
    apply: (spec) => again(() => applyOnce(client, spec, isOwnImage)),
    one: async (name) => (await withTasks(name)).service,
    withTasks,

    list,
    async listWithTasks() {
      const [services, tasks] = await Promise.all([list(), listAllTasks(client)]);
      return services.map((service) => ({ service, tasks: tasks.get(service.id) ?? [] }));
    },

    async scale(name, replicas) {
      const doing = `scaling the service ${name} to ${replicas}`;
      await change(client, name, doing, (spec) => ({
        ...spec,
        Mode: { Replicated: { Replicas: replicas } },
      }));
    },

    restart(name) {
      const withNextForce = ({ TaskTemplate: template, ...spec }: SpecAnswer) => ({
        ...spec,
        TaskTemplate: { ...template, ForceUpdate: template.ForceUpdate + 1 },
      });
      return change(client, name, `restarting the service ${name}`, withNextForce);
    },

    async rollback(name) {
      const service = await requireService(client, name);
      if (!service.PreviousSpec)
        throw new AppError(
          'PRECONDITION_FAILED',
          `The service ${name} has no earlier specification to go back to.`,
        );
      return change(client, name, `taking the service ${name} back`, (spec) => spec, {
        rollback: 'previous',
      });
    },
  };
}

/**
 * The service of exactly this name, ours or not: the engine would also answer to another case of the name,
 * and to the beginning of an id.
 */
export async function findService(client: EngineClient, name: string): Promise<ServiceAnswer | undefined> {
  try {
    const service = await client.call(
      { method: 'GET', path: `/services/${segment(name)}`, doing: `reading the service ${name}` },
      serviceAnswer,
    );
    return service.Spec.Name === name ? service : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Every service of ours; `withStatus` adds the count of running tasks. */
export async function listManaged(client: EngineClient, withStatus: boolean): Promise<ServiceAnswer[]> {
  const query = { status: withStatus, filters: { label: [`${managedLabel}=true`] } };
  const request = { method: 'GET', path: '/services', query, doing: 'listing services' } as const;
  return (await client.call(request, servicesAnswer)).filter(({ Spec }) => isOwn(client, Spec.Labels));
}

async function applyOnce(
  client: EngineClient,
  spec: ServiceSpec,
  isOwnImage: (reference: string) => boolean,
): Promise<AppliedService> {
  const pinned = pinImage(client, spec.image, isOwnImage);
  // Of no interest where the service keeps the image that it was given.
  pinned.catch(() => undefined);
  const [configIds, current] = await Promise.all([
    storeFiles(client, spec.files),
    findService(client, spec.name),
  ]);
  const image = keepsTasks(spec, current) ? '' : await pinned;
  if (current === undefined) {
    const body = toDockerSpec(spec, { owner: client, image, configIds, restarts: 0 });
    await client.call(
      {
        method: 'POST',
        path: '/services/create',
        body,
        auth: spec.registryAuth,
        doing: `creating the service ${spec.name}`,
      },
      createdAnswer,
    );
  } else {
    requireOwn(client, current.Spec.Labels, 'service', spec.name);
    const { TaskTemplate: template } = current.Spec;
    const made = toDockerSpec(spec, { owner: client, image, configIds, restarts: template.ForceUpdate });
    const marks = marksOf(current.Spec.Labels);
    const body = {
      ...made,
      Labels: { ...made.Labels, ...marks },
      ...(keepsTasks(spec, current) ? { TaskTemplate: template } : {}),
    };
    const query = { version: current.Version.Index };
    await client.send({
      method: 'POST',
      path: `/services/${segment(current.ID)}/update`,
      query,
      body,
      auth: spec.registryAuth,
      doing: `updating the service ${spec.name}`,
    });
  }
  return applied(await requireService(client, spec.name), current === undefined);
}

/** Labels that a service has by `label` alone. */
function marksOf(labels: Readonly<Record<string, string>>): Record<string, string> {
  const marks = new Set<string>([incarnationLabel, dataFolderLabel]);
  return Object.fromEntries(Object.entries(labels).filter(([name]) => marks.has(name)));
}

/**
 * Whether the tasks were made from an equal specification. The same again must make no new task, whatever
 * became of the image's name, and whatever this version of Berth adds to the tasks that it makes.
 */
function keepsTasks(spec: ServiceSpec, current: ServiceAnswer | undefined): current is ServiceAnswer {
  return current?.Spec.TaskTemplate.ContainerSpec?.Labels[specLabel] === specDigest(spec);
}

/** Writes a changed specification; credentials of the registry stay as they are at the engine. */
export function change(
  client: EngineClient,
  name: string,
  doing: string,
  edit: (spec: SpecAnswer) => Record<string, unknown>,
  { takesForeign = false, ...query }: { rollback?: string; takesForeign?: boolean } = {},
): Promise<AppliedService> {
  return again(async () => {
    const service = await requireService(client, name);
    if (!takesForeign) requireOwn(client, service.Spec.Labels, 'service', name);
    const path = `/services/${segment(service.ID)}/update`;
    await client.send({
      method: 'POST',
      path,
      query: { ...query, version: service.Version.Index },
      body: edit(service.Spec),
      doing,
    });
    return applied(await requireService(client, name), false);
  });
}

/** Reads and writes again when something else wrote, or took a config away, in between. */
async function again<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (attempt >= writeAttempts || !(isOutOfSequence(error) || isLostConfig(error))) throw error;
    }
  }
}

function isLostConfig(error: unknown): boolean {
  return error instanceof EngineRefusal && /config .*not found|no such config/i.test(error.words);
}

async function requireService(client: EngineClient, name: string): Promise<ServiceAnswer> {
  const service = await findService(client, name);
  if (service === undefined)
    throw new AppError('NOT_FOUND', `The engine has no service named ${name}; deploy it first.`);
  return service;
}

function applied(service: ServiceAnswer, created: boolean): AppliedService {
  return { id: service.ID, created, version: service.Version.Index, generation: generation(service) };
}

function generation(service: ServiceAnswer): string {
  const template = service.Spec.TaskTemplate;
  return generationOf(template.ContainerSpec?.Labels ?? {}, template.ForceUpdate);
}

function networkNames(networks: Networks, service: ServiceAnswer): Promise<string[]> {
  return networks.namesOf((service.Spec.TaskTemplate.Networks ?? []).map((network) => network.Target));
}

function stateOf(service: ServiceAnswer, running: number, networks: string[]): ServiceState {
  const { Spec: spec, UpdateStatus: update } = service;
  return {
    id: service.ID,
    name: spec.Name,
    createdAt: service.CreatedAt,
    labels: spec.Labels,
    image: spec.Labels[imageLabel] ?? spec.TaskTemplate.ContainerSpec?.Image ?? '',
    replicas: spec.Mode.Replicated?.Replicas ?? 0,
    running,
    ...(spec.TaskTemplate.RestartPolicy?.Condition === 'on-failure' && { restart: 'on-failure' }),
    version: service.Version.Index,
    specDigest: spec.TaskTemplate.ContainerSpec?.Labels[specLabel] ?? '',
    generation: generation(service),
    networks,
    update:
      update?.State === undefined
        ? undefined
        : { state: update.State, message: update.Message, startedAt: update.StartedAt },
  };
}
