/** Environments: a project's parts, each with a network of its own. */
import { requireRevision, revised } from '../../domain/states/revision.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { parseEnv } from '../../domain/variables/dotenv.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { EnvironmentRecord } from '../../db/tables.ts';
import type { NetworkPlace } from '../../domain/network/network-pool.ts';
import type { ListedEnvironment } from './record.ts';
import type { EnvironmentStore } from './store.ts';

export interface Environments {
  createDefault(
    organizationId: string,
    projectId: string,
    like?: Pick<EnvironmentRecord, 'description' | 'env'>,
  ): Promise<EnvironmentRecord>;
  create(input: {
    organizationId: string;
    projectId: string;
    name: string;
    description?: string | null | undefined;
    env?: string;
  }): Promise<EnvironmentRecord>;
  one(environmentId: string, organizationId: string): Promise<EnvironmentRecord>;
  byProject(projectId: string, organizationId: string): Promise<EnvironmentRecord[]>;
  /** Of these projects, in one statement. */
  byProjects(projectIds: readonly string[], organizationId: string): Promise<EnvironmentRecord[]>;
  /** Of the organization, or of these projects, without their variables. */
  listed(organizationId: string, projectIds?: readonly string[]): Promise<ListedEnvironment[]>;
  update(environmentId: string, organizationId: string, patch: EnvironmentPatch): Promise<EnvironmentRecord>;
  remove(environmentId: string, organizationId: string): Promise<EnvironmentRecord>;
  /** Removes every environment of a project that is being removed; refuses while a service stands in one. */
  removeAll(projectId: string, organizationId: string): Promise<void>;
  /**
   * The index of the environment's network in the pool, unique in the installation: given at first need and
   * kept, until a network that is not made yet finds its addresses taken.
   */
  networkIndex(environmentId: string, place: NetworkPlace): Promise<number>;
  /** Of the whole installation. */
  ids(): Promise<string[]>;
}

export interface EnvironmentPatch {
  name?: string | undefined;
  description?: string | null | undefined;
  env?: string | null | undefined;
  projectId?: string | undefined;
  /** The one that was read before the change. */
  revision?: number | undefined;
}

const reservedName = 'production';

export function createEnvironments(store: EnvironmentStore, clock: Clock): Environments {
  return {
    one: (environmentId, organizationId) => one(store, environmentId, organizationId),
    createDefault: (organizationId, projectId, { description, env } = { description: '', env: '' }) =>
      insert(store, clock, {
        organizationId,
        projectId,
        name: reservedName,
        description,
        env,
        isDefault: true,
      }),
    async create({ organizationId, projectId, name, description, env }) {
      refuseReserved(name);
      return insert(store, clock, {
        organizationId,
        projectId,
        name,
        description: description ?? '',
        env: env ?? '',
        isDefault: false,
      });
    },
    byProject: (projectId, organizationId) =>
      store.list({ projectId, organizationId }, { by: ['createdAt', 'environmentId'], direction: 'desc' }),
    byProjects: (projectIds, organizationId) => store.ofProjects(organizationId, projectIds),
    listed: (organizationId, projectIds) => store.listed(organizationId, projectIds),
    update: (environmentId, organizationId, patch) => update(store, environmentId, organizationId, patch),
    remove: (environmentId, organizationId) => remove(store, environmentId, organizationId),
    async removeAll(projectId, organizationId) {
      for (const environment of await store.list({ projectId, organizationId })) {
        await refuseServices(store, environment);
        await store.remove({ environmentId: environment.environmentId, organizationId });
      }
    },
    ids: () => store.ids(),
    networkIndex: (environmentId, place) =>
      store.transaction(() => networkIndex(store, environmentId, place)),
  };
}

async function insert(
  store: EnvironmentStore,
  clock: Clock,
  record: Omit<EnvironmentRecord, 'environmentId' | 'networkIndex' | 'createdAt' | 'revision'>,
): Promise<EnvironmentRecord> {
  const environment = {
    environmentId: randomId(),
    networkIndex: null,
    revision: 0,
    createdAt: isoTime(clock),
    ...record,
  };
  await store.insert(environment);
  return environment;
}

async function update(
  store: EnvironmentStore,
  environmentId: string,
  organizationId: string,
  { name, description, env, projectId, revision }: EnvironmentPatch,
): Promise<EnvironmentRecord> {
  const present = await one(store, environmentId, organizationId);
  requireRevision(revision, present, 'the environment');
  if (projectId !== undefined && projectId !== present.projectId)
    throw badField('projectId', 'cannot be changed; an environment stays in its project');
  if (name !== undefined && name !== present.name) {
    if (present.isDefault)
      throw new AppError('PRECONDITION_FAILED', 'The default environment cannot be renamed.');
    refuseReserved(name);
  }
  if (env) parseEnv(env);
  await revised(revision, 'the environment', {
    read: () => one(store, environmentId, organizationId),
    change: (where) =>
      store.revise(
        { environmentId, organizationId, ...where },
        {
          name,
          description: description === undefined ? undefined : (description ?? ''),
          env: env === undefined ? undefined : (env ?? ''),
        },
      ),
  });
  return one(store, environmentId, organizationId);
}

async function remove(
  store: EnvironmentStore,
  environmentId: string,
  organizationId: string,
): Promise<EnvironmentRecord> {
  const present = await one(store, environmentId, organizationId);
  if (present.isDefault)
    throw new AppError(
      'PRECONDITION_FAILED',
      'The default environment cannot be removed. Remove the whole project instead.',
    );
  await refuseServices(store, present);
  await store.remove({ environmentId, organizationId });
  return present;
}

async function one(
  store: EnvironmentStore,
  environmentId: string,
  organizationId: string,
): Promise<EnvironmentRecord> {
  const record = await store.find({ environmentId, organizationId });
  if (!record) throw absent();
  return record;
}

async function networkIndex(
  store: EnvironmentStore,
  environmentId: string,
  place: NetworkPlace,
): Promise<number> {
  const record = await store.find({ environmentId });
  if (!record) throw absent();
  const { organizationId, networkIndex: present } = record;
  if (present !== null && !place.taken?.has(present)) return present;
  const free = await store.freeNetworkIndex(organizationId, place);
  await store.update({ environmentId }, { networkIndex: free });
  return free;
}

function absent(): AppError {
  return new AppError('NOT_FOUND', 'There is no such environment. It may have been removed.');
}

function refuseReserved(name: string): void {
  if (name.toLowerCase() === reservedName)
    throw badField('name', '"production" is reserved for the default environment; choose another name');
}

async function refuseServices(store: EnvironmentStore, environment: EnvironmentRecord): Promise<void> {
  const count = await store.countServices(environment.environmentId);
  if (count > 0) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `The environment ${environment.name} still has ${count} service${count === 1 ? '' : 's'}. Delete ` +
        `${count === 1 ? 'it' : 'them'} first.`,
    );
  }
}
