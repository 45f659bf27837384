/**
 * Preview deployments as records: one for each pull request of an application, with its own name and host.
 */
import type { GitProvider } from '../../domain/git/git-host.ts';
import type { PullRequestEvent } from '../../domain/git/git-event.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import { formatEnv, parseEnv } from '../../domain/variables/dotenv.ts';
import { AppError } from '../../domain/errors.ts';
import { previewAppName, previewHost } from '../../domain/names/preview.ts';
import { changedSecrets, mergedSecrets, secretNames } from '../../domain/variables/secret-env.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { Domains } from '../domain/domain.ts';
import type { ServiceNames } from '../service-name/service-name.ts';
import type { PreviewDeploymentRecord, PreviewDeploymentStore } from './store.ts';
import { isOlder } from './verdict.ts';

/** What a pull request brings. */
export interface PullRequestFacts {
  number: number;
  headBranch: string;
  /** Its newest commit, whole. */
  commit: string;
  /** Full name of the repository at its host. */
  repository: string;
  provider: GitProvider;
  /** Its branch stands in the repository itself; a fork is never trusted. */
  isTrusted: boolean;
}

export interface PreviewDeployments {
  /** Newest first. */
  byApplication(applicationId: string, organizationId: string): Promise<PreviewDeploymentRecord[]>;
  one(previewDeploymentId: string, organizationId: string): Promise<PreviewDeploymentRecord>;
  /** Without an organization: for jobs and the reconciler, which act for the installation. */
  find(previewDeploymentId: string): Promise<PreviewDeploymentRecord | undefined>;
  all(): Promise<PreviewDeploymentRecord[]>;
  ofPullRequest(applicationId: string, number: number): Promise<PreviewDeploymentRecord | undefined>;
  countOf(applicationId: string): Promise<number>;
  /**
   * True for an event older than one that was handled, or than the end of its pull request; any other is
   * remembered as the newest. Part of the caller's transaction.
   */
  isOutdated(applicationId: string, event: PullRequestEvent): Promise<boolean>;
  /** True once a newer event of its pull request was handled; remembers nothing. */
  isSuperseded(applicationId: string, event: PullRequestEvent): Promise<boolean>;
  /** Asks the name service where the server's address is a name, so never inside a transaction. */
  hostOf(application: ApplicationRecord, pullRequestNumber: number): Promise<string>;
  /** Makes the record with its host; part of a change of routes. CONFLICT when the host is taken. */
  create(
    application: ApplicationRecord,
    facts: PullRequestFacts,
    host: string,
  ): Promise<PreviewDeploymentRecord>;
  /** Changes that Berth makes itself. */
  patch(previewDeploymentId: string, patch: Partial<PreviewDeploymentRecord>): Promise<void>;
  /** Takes the record and its domains away; part of a change of routes. */
  remove(previewDeploymentId: string, organizationId: string): Promise<PreviewDeploymentRecord>;
}

export interface PreviewNeighbours {
  domains: Pick<Domains, 'create'>;
  names: ServiceNames;
  /** Hosts of previews of an application that names no wildcard. */
  wildcard(application: ApplicationRecord): Promise<string>;
}

interface Parts extends PreviewNeighbours {
  store: PreviewDeploymentStore;
  clock: Clock;
}

export function createPreviewDeployments(
  store: PreviewDeploymentStore,
  neighbours: PreviewNeighbours,
  clock: Clock,
): PreviewDeployments {
  const parts: Parts = { store, ...neighbours, clock };
  return {
    one: (previewDeploymentId, organizationId) => one(store, previewDeploymentId, organizationId),
    find: (previewDeploymentId) => store.find({ previewDeploymentId }),
    all: () => store.list({}),
    countOf: (applicationId) => store.countOf(applicationId),
    isOutdated: (applicationId, event) => isOutdated(store, applicationId, event),
    isSuperseded: (applicationId, event) => isSuperseded(store, applicationId, event),
    ofPullRequest: (applicationId, number) => store.find({ applicationId, pullRequestNumber: number }),
    byApplication: (applicationId, organizationId) =>
      store.list(
        { applicationId, organizationId },
        { by: ['createdAt', 'previewDeploymentId'], direction: 'desc' },
      ),
    hostOf: async (application, number) =>
      previewHost(
        application.previewWildcard ?? (await neighbours.wildcard(application)),
        application.appName,
        number,
      ),
    create: (application, facts, host) => create(parts, application, facts, host),
    patch: async (previewDeploymentId, patch) => void (await store.update({ previewDeploymentId }, patch)),
    remove: (previewDeploymentId, organizationId) =>
      store.transaction(async () => {
        const present = await one(store, previewDeploymentId, organizationId);
        await store.removeDomains(previewDeploymentId, organizationId);
        await store.remove({ previewDeploymentId, organizationId });
        await parts.names.keep(previewDeploymentId, []);
        return present;
      }),
  };
}

async function one(
  store: PreviewDeploymentStore,
  previewDeploymentId: string,
  organizationId: string,
): Promise<PreviewDeploymentRecord> {
  const record = await store.find({ previewDeploymentId, organizationId });
  if (!record)
    throw new AppError(
      'NOT_FOUND',
      'There is no such preview deployment. It may have been removed with its pull request.',
    );
  return record;
}

async function create(
  { store, domains, names, clock }: Parts,
  application: ApplicationRecord,
  facts: PullRequestFacts,
  host: string,
): Promise<PreviewDeploymentRecord> {
  const record = newPreview(application, facts, host, isoTime(clock));
  const { previewDeploymentId } = record;
  await store.insert(record);
  await names.keep(previewDeploymentId, [record.appName]);
  const { domainId } = await domains.create(
    application.organizationId,
    { previewDeploymentId },
    {
      host,
      path: application.previewPath,
      port: application.previewPort,
      https: application.previewHttps,
      certificateType: application.previewCertificateType,
      customCertResolver: application.previewCustomCertResolver,
      domainType: 'preview',
    },
  );
  await store.update({ previewDeploymentId }, { domainId });
  return { ...record, domainId };
}

/** As it is before its domain is there. */
function newPreview(
  { applicationId, organizationId, appName, previewPath: path, previewHttps: https }: ApplicationRecord,
  facts: PullRequestFacts,
  host: string,
  createdAt: string,
): PreviewDeploymentRecord {
  return {
    previewDeploymentId: randomId(),
    organizationId,
    applicationId,
    branch: facts.headBranch,
    pullRequestNumber: facts.number,
    domain: `http${https ? 's' : ''}://${host}${path === '/' ? '' : path}`,
    domainId: null,
    status: 'building',
    createdAt,
    appName: previewAppName(appName, facts.number, randomId(4).toLowerCase()),
    commit: facts.commit,
    repository: facts.repository,
    provider: facts.provider,
    isTrusted: facts.isTrusted,
    liveDeploymentId: null,
    releasedAppName: null,
    isStopped: false,
    commentId: null,
    commentDigest: null,
  };
}

/**
 * The application with the preview's name and settings. Of its own variables only those come along that
 * `previewInherits` names, of its build arguments and secrets none; these and those of previews only to pull
 * requests whose author may write to the repository, so that no stranger's commit can read them.
 */
export function previewApplication(
  application: ApplicationRecord,
  preview: PreviewDeploymentRecord,
): ApplicationRecord {
  const { isTrusted, appName, liveDeploymentId, releasedAppName, domain } = preview;
  return {
    ...application,
    appName,
    liveDeploymentId,
    releasedAppName,
    isStopped: false,
    replicas: 1,
    env: [
      formatEnv({ BERTH_PREVIEW_URL: domain }),
      isTrusted ? inheritedEnv(application) : '',
      isTrusted ? (application.previewEnv ?? '') : '',
    ].join(''),
    secretEnv: isTrusted ? inheritedSecrets(application) : '',
    buildArgs: isTrusted ? application.previewBuildArgs : null,
    buildSecrets: isTrusted ? application.previewBuildSecrets : null,
    // The image stays on this server: it goes with the pull request, and registries keep what they have.
    registryId: null,
    networks: isTrusted ? application.networks : [],
  };
}

/** What a preview takes of its application's own variables, and names in the list that are none. */
export function inheritedNames({
  env,
  secretEnv,
  previewInherits,
}: Pick<ApplicationRecord, 'env' | 'secretEnv' | 'previewInherits'>): { taken: string[]; missing: string[] } {
  const own = new Set([...parseEnv(env), ...secretNames(secretEnv)].map(({ name }) => name));
  const wanted = [...new Set(previewInherits)];
  return { taken: wanted.filter((name) => own.has(name)), missing: wanted.filter((name) => !own.has(name)) };
}

/** With their references as they are written: those give what they give to the preview. */
function inheritedEnv({ env, previewInherits }: ApplicationRecord): string {
  const wanted = new Set(previewInherits);
  return formatEnv(
    Object.fromEntries(
      parseEnv(env)
        .filter(({ name }) => wanted.has(name))
        .map(({ name, value }) => [name, value]),
    ),
  );
}

/** Those of the application that it names, and over them those of previews. */
function inheritedSecrets({ secretEnv, previewSecretEnv, previewInherits }: ApplicationRecord): string {
  const wanted = new Set(previewInherits);
  const others = secretNames(secretEnv).flatMap(({ name }) => (wanted.has(name) ? [] : [name]));
  return mergedSecrets(
    changedSecrets(secretEnv, { remove: others }, { field: 'secretEnv', now: '' }),
    previewSecretEnv,
  );
}

/** Pull requests of an application whose states are remembered. */
const statesKept = 1000;

async function isOutdated(
  store: PreviewDeploymentStore,
  applicationId: string,
  event: PullRequestEvent,
): Promise<boolean> {
  const { number, action, updatedAt } = event;
  if (updatedAt === undefined) return false;
  if (await isSuperseded(store, applicationId, event)) return true;
  const repository = event.repository.toLowerCase();
  await store.putState({ applicationId, repository, number, action, updatedAt }, statesKept);
  return false;
}

async function isSuperseded(
  store: PreviewDeploymentStore,
  applicationId: string,
  { repository, number, action, updatedAt }: PullRequestEvent,
): Promise<boolean> {
  if (updatedAt === undefined) return false;
  const known = await store.stateOf(applicationId, repository.toLowerCase(), number);
  return known !== undefined && isOlder({ action, updatedAt }, known);
}
