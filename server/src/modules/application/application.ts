/**
 * Applications as records: creating, changing, moving. What runs is the deployment's and the runtime's
 * business.
 */
import { requireRevision, revised } from '../../domain/states/revision.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { keptGitAddress } from '../../domain/git/git-source.ts';
import { changedSecrets } from '../../domain/variables/secret-env.ts';
import { appNameFrom } from '../../domain/names/names.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { BuildServers } from '../server/server.ts';
import type { ServiceNames } from '../service-name/service-name.ts';
import { checkLocalRepository, checkPatch, type Patch } from './checks.ts';
import { newApplication } from './defaults.ts';
import type { ApplicationRecord, TableRecord } from '../../db/tables.ts';
import type { ApplicationStore, Placement, Surroundings } from './store.ts';
import { checkPreviewDatabases } from '../../domain/branch-origin.ts';

/** What was read of an application's surroundings for its page, and need not be read again. */
export interface ReadAround {
  variables: Surroundings['variables'];
  mounts: readonly TableRecord<'mount'>[];
  ports: readonly TableRecord<'port'>[];
}

export interface Applications {
  create(input: {
    organizationId: string;
    environmentId: string;
    name: string;
    appName?: string | undefined;
    description?: string | null | undefined;
    serverId?: string | null | undefined;
  }): Promise<ApplicationRecord>;
  one(applicationId: string, organizationId: string): Promise<ApplicationRecord>;
  /** Without an organization: for jobs and the reconciler, which act for the installation. */
  find(applicationId: string): Promise<ApplicationRecord | undefined>;
  all(): Promise<ApplicationRecord[]>;
  placement(environmentId: string): Promise<Placement>;
  surroundings(environmentId: string): Promise<Surroundings>;
  /** Absent fields stay, null becomes the field's empty value. */
  update(applicationId: string, organizationId: string, input: ApplicationInput): Promise<ApplicationRecord>;
  move(applicationId: string, organizationId: string, environmentId: string): Promise<ApplicationRecord>;
  /** Changes that Berth makes itself (status, live deployment). */
  patch(applicationId: string, patch: Patch): Promise<void>;
  remove(applicationId: string, organizationId: string): Promise<void>;
}

/** Settings as they come in; null where a person clears one. */
export type ApplicationInput = {
  [K in keyof ApplicationRecord]?: ApplicationRecord[K] | null | undefined;
} & {
  /** Names of secret variables to remove; `secretEnv` and `previewSecretEnv` are lines to set. */
  removeSecretEnv?: string[] | undefined;
  removePreviewSecretEnv?: string[] | undefined;
};

export interface ApplicationNeighbours {
  names: ServiceNames;
  localRepositoryPaths(): Promise<string[]>;
  /** Whether the organization has a certificate resolver of that name. */
  hasResolver(organizationId: string, name: string): Promise<boolean>;
  buildServers: Pick<BuildServers, 'require'>;
}

interface Parts extends ApplicationNeighbours {
  store: ApplicationStore;
  clock: Clock;
}

export function createApplications(
  store: ApplicationStore,
  neighbours: ApplicationNeighbours,
  clock: Clock,
): Applications {
  const parts: Parts = { store, ...neighbours, clock };
  return {
    one: (applicationId, organizationId) => one(store, applicationId, organizationId),
    placement: (environmentId) => placement(store, environmentId),
    surroundings: async (environmentId) => foundPlace(await store.surroundings(environmentId)),
    find: (applicationId) => store.find({ applicationId }),
    all: () => store.list({}),
    create: (input) => create(parts, input),
    update: (applicationId, organizationId, input) => update(parts, applicationId, organizationId, input),
    async move(applicationId, organizationId, environmentId) {
      const present = await one(store, applicationId, organizationId);
      await store.update({ applicationId, organizationId }, { environmentId });
      return { ...present, environmentId };
    },
    patch: async (applicationId, patch) => void (await write(parts, { applicationId }, patch)),
    remove: (applicationId, organizationId) =>
      store.transaction(async () => {
        if ((await store.remove({ applicationId, organizationId })) > 0)
          await parts.names.keep(applicationId, []);
      }),
  };
}

async function create(
  { store, names, clock }: Parts,
  {
    organizationId,
    environmentId,
    name,
    appName,
    description,
    serverId,
  }: Parameters<Applications['create']>[0],
): Promise<ApplicationRecord> {
  const created = newApplication({
    applicationId: randomId(),
    organizationId,
    environmentId,
    name,
    appName: appName ?? appNameFrom(name, randomId(6).toLowerCase()),
    description: description ?? '',
    refreshToken: randomId(32),
    createdAt: isoTime(clock),
  });
  const record = { ...created, serverId: serverId || null };
  await store.transaction(async () => {
    await store.insert(record);
    await names.keep(record.applicationId, [record.appName]);
  });
  return record;
}

async function update(
  parts: Parts,
  applicationId: string,
  organizationId: string,
  input: ApplicationInput,
): Promise<ApplicationRecord> {
  const present = await one(parts.store, applicationId, organizationId);
  const { revision: given } = input;
  requireRevision(given ?? undefined, present, 'the application');
  if (input.serverId !== undefined && input.serverId !== present.serverId)
    throw badField('serverId', 'cannot be changed; create the application again on the other server');
  const patch = {
    ...cleaned(input, present),
    ...keptGitAddress(input.customGitUrl, present.customGitUrl),
    ...secretPatch(input, present, isoTime(parts.clock)),
  };
  checkPatch(patch, present);
  await refuseOtherProjects(parts.store, patch.networks ?? [], present);
  if (patch.previewCertificateType !== undefined || patch.previewCustomCertResolver !== undefined)
    await refuseUnknownResolver({ ...present, ...patch }, parts);
  await checkPreviewDatabases(patch.previewDatabases, present, parts.store.database);
  if (patch.buildServerId) await parts.buildServers.require(patch.buildServerId, organizationId);
  if (patch.customGitUrl) checkLocalRepository(patch.customGitUrl, await parts.localRepositoryPaths());
  await revised(given ?? undefined, 'the application', {
    read: () => one(parts.store, applicationId, organizationId),
    change: (where) => write(parts, { applicationId, organizationId, ...where }, patch, true),
  });
  return one(parts.store, applicationId, organizationId);
}

async function one(
  store: ApplicationStore,
  applicationId: string,
  organizationId: string,
): Promise<ApplicationRecord> {
  const record = await store.find({ applicationId, organizationId });
  if (!record) throw new AppError('NOT_FOUND', 'There is no such application. It may have been deleted.');
  return record;
}

async function placement(store: ApplicationStore, environmentId: string): Promise<Placement> {
  return foundPlace(await store.placement(environmentId));
}

function foundPlace<T extends Placement>(found: T | undefined): T {
  if (!found) throw new AppError('NOT_FOUND', 'There is no such environment. It may have been removed.');
  return found;
}

/** A service joins networks of its own project only, whoever may reach others. */
async function refuseOtherProjects(
  store: ApplicationStore,
  networks: readonly string[],
  { environmentId }: ApplicationRecord,
): Promise<void> {
  if (networks.length === 0) return;
  const { projectId } = await placement(store, environmentId);
  for (const joined of networks)
    if ((await placement(store, joined)).projectId !== projectId)
      throw badField(
        'networks',
        'names an environment of another project; a service can join only those of its own',
      );
}

/** Stores a change and gives whether; when a name changes with it, the service holds what is written then. */
async function write(
  { store, names }: Parts,
  where: { applicationId: string; organizationId?: string; revision?: number },
  patch: Patch,
  isSomebodys = false,
): Promise<number> {
  const change = (): Promise<number> =>
    isSomebodys ? store.revise(where, patch) : store.update(where, patch);
  if (patch.appName === undefined && patch.releasedAppName === undefined) return change();
  return store.transaction(async () => {
    const changed = await change();
    const record = changed > 0 ? await store.find({ applicationId: where.applicationId }) : undefined;
    if (record) await names.keep(record.applicationId, [record.appName, record.releasedAppName]);
    return changed;
  });
}

const emptyValues = newApplication({
  applicationId: '',
  organizationId: '',
  environmentId: '',
  name: '',
  appName: '',
  description: '',
  refreshToken: '',
  createdAt: '',
});
const readOnly = new Set<string>([
  'applicationId',
  'revision',
  'organizationId',
  'environmentId',
  'serverId',
  'createdAt',
  'liveDeploymentId',
  'releasedAppName',
  'shownPort',
  'isStopped',
  'uploadPath',
  'refreshToken',
  'customGitUsername',
  'customGitPassword',
]);

/** Only known, writable fields; a cleared one gets the value of a new application. */
function cleaned(input: ApplicationInput, present: ApplicationRecord): Patch {
  const entries = Object.entries(input).filter(
    ([name, value]) => value !== undefined && name in present && !readOnly.has(name),
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === null ? Reflect.get(emptyValues, name) : value]),
  );
}

/** Secret variables as they are stored, where the input changes them. */
function secretPatch(input: ApplicationInput, present: ApplicationRecord, now: string): Patch {
  const patch: Patch = {};
  for (const [field, removed] of [
    ['secretEnv', input.removeSecretEnv],
    ['previewSecretEnv', input.removePreviewSecretEnv],
  ] as const)
    if (input[field] !== undefined || removed !== undefined)
      patch[field] = changedSecrets(present[field], { set: input[field], remove: removed }, { field, now });
  return patch;
}

/** Whatever previews are made later would have no certificate without it. */
async function refuseUnknownResolver(
  { organizationId, previewCertificateType, previewCustomCertResolver: name }: ApplicationRecord,
  { hasResolver }: ApplicationNeighbours,
): Promise<void> {
  if (previewCertificateType === 'custom' && !name)
    throw badField('previewCustomCertResolver', 'is required when previewCertificateType is custom');
  if (name && !(await hasResolver(organizationId, name)))
    throw badField(
      'previewCustomCertResolver',
      'is not a certificate resolver of this organization; certificateResolver.create creates one',
    );
}
