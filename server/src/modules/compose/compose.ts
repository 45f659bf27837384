/**
 * Compose services as records (decisions 8). What runs of them is runtime.ts, their deployments are
 * deploy/compose.
 */
import { requireRevision, revised } from '../../domain/states/revision.ts';
import { parseEnv } from '../../domain/variables/dotenv.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { keptGitAddress } from '../../domain/git/git-source.ts';
import { appNameFrom } from '../../domain/names/names.ts';
import { changedSecrets } from '../../domain/variables/secret-env.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { Hosts } from '../../ports/host/host.ts';
import { checkLocalRepository } from '../application/checks.ts';
import type { ServiceNames } from '../service-name/service-name.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import type { NetworkPlace } from '../../domain/network/network-pool.ts';
import { heldNames } from './held-names.ts';
import type { ComposeStore } from './store.ts';
import { checkPreviewDatabases } from '../../domain/branch-origin.ts';

/** Settings as they come in; null where a person clears one. */
export type ComposeInput = { [K in keyof ComposeRecord]?: ComposeRecord[K] | null | undefined } & {
  /** Names of secret variables to remove; `secretEnv` and `previewSecretEnv` are lines to set. */
  removeSecretEnv?: string[] | undefined;
  removePreviewSecretEnv?: string[] | undefined;
};

export interface NewCompose
  extends Pick<ComposeRecord, 'environmentId' | 'name' | 'composeType' | 'sourceType'> {
  appName?: string | undefined;
  description?: string | null | undefined;
  serverId?: string | null | undefined;
  composeFile?: string | null | undefined;
}

/** Who changes a compose service. */
export interface ComposeActor {
  organizationId: string;
}

export interface Composes {
  /** CONFLICT when the name is taken. */
  create(actor: ComposeActor, input: NewCompose): Promise<ComposeRecord>;
  one(composeId: string, organizationId: string): Promise<ComposeRecord>;
  /** Absent fields stay, null becomes the field's empty value; refuses as `create`. */
  update(composeId: string, actor: ComposeActor, input: ComposeInput): Promise<ComposeRecord>;
  refreshToken(composeId: string, organizationId: string): Promise<ComposeRecord>;
  move(composeId: string, organizationId: string, environmentId: string): Promise<ComposeRecord>;
  remove(composeId: string, organizationId: string): Promise<ComposeRecord>;
  /** Of whatever organization; undefined when it is gone. */
  find(composeId: string): Promise<ComposeRecord | undefined>;
  all(): Promise<ComposeRecord[]>;
  /** What deployments and the engine's state change; no rule is asked. */
  patch(composeId: string, patch: Partial<ComposeRecord>): Promise<void>;
  /**
   * Holds the names that services of these names will have at the next release; CONFLICT when one is
   * another's.
   */
  reserve(composeId: string, services: readonly string[]): Promise<void>;
  /**
   * The index of its network in the pool, unique in the installation: given at first need and kept, until
   * a network that is not made yet finds its addresses taken.
   */
  networkIndex(composeId: string, place: NetworkPlace): Promise<number>;
}

export interface ComposeNeighbours {
  names: ServiceNames;
  localRepositoryPaths(): Promise<string[]>;
}

interface Parts extends ComposeNeighbours {
  store: ComposeStore;
  clock: Clock;
}

export function createComposes(store: ComposeStore, neighbours: ComposeNeighbours, clock: Clock): Composes {
  const parts: Parts = { store, ...neighbours, clock };
  return {
    one: (composeId, organizationId) => one(store, composeId, organizationId),
    create: (actor, input) => store.transaction(() => create(parts, actor, input)),
    update: (composeId, actor, input) => store.transaction(() => update(parts, composeId, actor, input)),
    refreshToken: (composeId, organizationId) =>
      change(store, composeId, organizationId, { refreshToken: randomId(32) }),
    move: (composeId, organizationId, environmentId) =>
      change(store, composeId, organizationId, { environmentId }),
    remove: (composeId, organizationId) =>
      store.transaction(async () => {
        const present = await one(store, composeId, organizationId);
        await store.removeDomains(composeId);
        await store.remove({ composeId, organizationId });
        await parts.names.keep(composeId, []);
        return present;
      }),
    find: (composeId) => store.find({ composeId }),
    all: () => store.list({}),
    patch: (composeId, patch) =>
      store.transaction(async () => {
        await store.update({ composeId }, patch);
        if (patch.releasedAppName !== undefined) await keepNames(parts, await store.find({ composeId }));
      }),
    reserve: (composeId, services) =>
      store.transaction(async () => keepNames(parts, await store.find({ composeId }), services)),
    networkIndex: (composeId, place) => store.transaction(() => networkIndex(store, composeId, place)),
  };
}

async function create(
  { store, names, clock }: Parts,
  actor: ComposeActor,
  input: NewCompose,
): Promise<ComposeRecord> {
  const record = newCompose(actor.organizationId, input, isoTime(clock));
  await checkFile(record);
  await store.insert(record);
  await keepNames({ names }, record);
  return record;
}

/** Holds its names and those of its services; `found` are those that a deployment found in a repository. */
export async function keepNames(
  { names }: Pick<Parts, 'names'>,
  record: ComposeRecord | undefined,
  found: readonly string[] = [],
): Promise<void> {
  if (record === undefined) return;
  const held = await heldNames(record, found);
  await names.keep(record.composeId, held.names, held.stems);
}

async function update(
  { store, names, localRepositoryPaths, clock }: Parts,
  composeId: string,
  actor: ComposeActor,
  given: ComposeInput,
): Promise<ComposeRecord> {
  const { removeSecretEnv, secretEnv, removePreviewSecretEnv, previewSecretEnv, revision, ...input } = given;
  const read = revision ?? undefined;
  const { organizationId } = actor;
  const present = await one(store, composeId, organizationId);
  requireRevision(read, present, 'the compose service');
  const patch: Partial<ComposeRecord> = {
    ...cleaned(input),
    ...keptGitAddress(input.customGitUrl, present.customGitUrl),
  };
  if (patch.env) parseEnv(patch.env);
  if (patch.previewEnv) parseEnv(patch.previewEnv, 'previewEnv');
  const secrets = [
    { field: 'secretEnv', set: secretEnv, remove: removeSecretEnv },
    { field: 'previewSecretEnv', set: previewSecretEnv, remove: removePreviewSecretEnv },
  ] as const;
  for (const { field, set, remove } of secrets)
    if (set !== undefined || remove !== undefined)
      patch[field] = changedSecrets(present[field], { set, remove }, { field, now: isoTime(clock) });
  await checkPreviewDatabases(patch.previewDatabases, present, store.database);
  if (patch.customGitUrl) checkLocalRepository(patch.customGitUrl, await localRepositoryPaths());
  // A suffix that nobody chose is made once, and kept: volumes are named by it.
  if (patch.randomize && (patch.suffix ?? present.suffix) === '') patch.suffix = randomId(6).toLowerCase();
  if (patch.composeFile !== undefined) await checkFile({ ...present, ...patch });
  await revised(read, 'the compose service', {
    read: () => one(store, composeId, organizationId),
    change: (where) => store.revise({ composeId, organizationId, ...where }, patch),
  });
  const changed = await one(store, composeId, organizationId);
  if (namingFields.some((field) => patch[field] !== undefined)) await keepNames({ names }, changed);
  return changed;
}

/** What the names of its services depend on. */
const namingFields = ['appName', 'composeFile', 'sourceType', 'randomize', 'suffix'] as const;

async function one(store: ComposeStore, composeId: string, organizationId: string): Promise<ComposeRecord> {
  const record = await store.find({ composeId, organizationId });
  if (!record) throw absent();
  return record;
}

async function change(
  store: ComposeStore,
  composeId: string,
  organizationId: string,
  patch: Partial<ComposeRecord>,
): Promise<ComposeRecord> {
  await store.update({ composeId, organizationId }, patch);
  return one(store, composeId, organizationId);
}

async function networkIndex(store: ComposeStore, composeId: string, place: NetworkPlace): Promise<number> {
  const record = await store.find({ composeId });
  if (!record) throw absent();
  const { organizationId, networkIndex: present } = record;
  if (present !== null && !place.taken?.has(present)) return present;
  const free = await store.freeNetworkIndex(organizationId, place);
  await store.update({ composeId }, { networkIndex: free });
  return free;
}

function absent(): AppError {
  return new AppError('NOT_FOUND', 'There is no such compose service. It may have been deleted.');
}

function newCompose(
  organizationId: string,
  { name, appName, description, serverId, composeFile, ...input }: NewCompose,
  createdAt: string,
): ComposeRecord {
  return {
    ...emptied,
    composeId: randomId(),
    revision: 0,
    organizationId,
    environmentId: input.environmentId,
    name,
    appName: appName ?? appNameFrom(name, randomId(6)),
    description: description ?? '',
    serverId: serverId ?? null,
    composeType: input.composeType,
    sourceType: input.sourceType,
    composeFile: composeFile ?? '',
    composePath: 'docker-compose.yml',
    createEnvFile: false,
    composeStatus: 'idle',
    refreshToken: randomId(32),
    autoDeploy: true,
    randomize: false,
    suffix: '',
    triggerType: 'push',
    enableSubmodules: true,
    releasedAppName: null,
    isStopped: false,
    restoredVolumes: {},
    liveDeploymentId: null,
    releasedSuffix: '',
    releasedServices: null,
    networkIndex: null,
    approval: null,
    awaitsApproval: null,
    secretEnv: '',
    madeFrom: null,
    ...previewDefaults,
    createdAt,
  };
}

/** As those of applications. */
const previewDefaults = {
  previewWildcard: null,
  previewLimit: 3,
  previewLabels: [],
  previewEnv: null,
  previewSecretEnv: '',
  previewInherits: [],
  previewDatabases: [],
  isPreviewDeploymentsActive: false,
  previewRequireCollaboratorPermissions: true,
  previewOf: null,
} satisfies Partial<ComposeRecord>;

/** What a cleared field becomes, and a field of a new service that nobody has set. */
const emptied = {
  description: '',
  composeFile: '',
  env: '',
  watchPaths: [],
  previewLabels: [],
  previewInherits: [],
  previewDatabases: [],
  repository: null,
  owner: null,
  branch: null,
  gitHost: null,
  githubId: null,
  customGitUrl: null,
  customGitBranch: null,
  customGitSSHKeyId: null,
  customGitUsername: null,
  customGitPassword: null,
  webhookSecret: null,
} satisfies Partial<ComposeRecord>;

function cleaned(input: ComposeInput): Partial<ComposeRecord> {
  const changes = Object.entries(input).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    changes.map(([name, value]) => [name, value ?? Reflect.get(emptied, name) ?? null]),
  );
}

/** Refuses a file that no deployment could take, whatever its variables are. */
async function checkFile({
  composeFile,
  env,
  sourceType,
}: Pick<ComposeRecord, 'composeFile' | 'env' | 'sourceType'>): Promise<void> {
  if (composeFile === '' || sourceType !== 'raw') return;
  // The parser is loaded where a file is read: it costs 6 MB.
  const { requireSavable } = await import('./judgement/saved-file.ts');
  requireSavable(composeFile, env);
}

/** The source must be complete before a deployment is accepted. */
export function requireSource({
  name,
  sourceType,
  composeFile,
  customGitUrl,
  customGitBranch,
  repository,
  owner,
  branch,
}: ComposeRecord): void {
  const [isThere, needed] =
    sourceType === 'raw'
      ? [composeFile !== '', 'composeFile']
      : sourceType === 'git'
        ? [customGitUrl && customGitBranch, 'customGitUrl and customGitBranch']
        : [repository && owner && branch, 'owner, repository and branch'];
  if (!isThere) throw badField('composeId', `${name} has no source yet: set ${needed} with compose.update`);
}

/** The record can be deployed: a whole source, on a server that is connected. */
export async function checkDeployable(compose: ComposeRecord, hosts: Hosts): Promise<void> {
  requireSource(compose);
  await hosts.of(serverKeyOf(compose));
}

/** A compose file with the other files of its repository that it names, by their paths. */
export interface RepositoryFile {
  text: string;
  /** Its folder, below the root. */
  folder: string;
  files: ReadonlyMap<string, string>;
}

/** Names of the services in a file, then of those that it includes; PRECONDITION_FAILED without one. */
export async function servicesOf(
  { name }: Pick<ComposeRecord, 'name'>,
  { text, folder, files }: RepositoryFile,
  field = 'composeFile',
): Promise<string[]> {
  if (text === '')
    throw new AppError(
      'PRECONDITION_FAILED',
      `${name} has no compose file yet. Set composeFile with compose.update.`,
    );
  const { parseComposeFile } = await import('./compose-file.ts');
  const { serviceNames } = await import('./translation/whole/including.ts');
  const file = parseComposeFile(text, field);
  return files.size === 0 ? [...file.services.keys()] : serviceNames({ file, folder }, { field, files });
}
