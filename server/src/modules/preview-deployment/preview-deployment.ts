/**
 * Preview deployments as records: one for each pull request of an application, with its own name and host.
 */
import type { GitProvider } from '../../domain/git/git-host.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import { AppError } from '../../domain/errors.ts';
import { previewAppName, previewHost } from '../../domain/names/preview.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { Domains } from '../domain/domain.ts';
import type { ServiceNames } from '../service-name/service-name.ts';
import { inheritedNames, previewVariables } from './preview-variables.ts';
import type { PreviewDeploymentRecord, PreviewDeploymentStore } from './store.ts';

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
 * The application with the preview's name, variables and settings. Of its build arguments and secrets none
 * come along, and those of previews only to pull requests whose author may write to the repository.
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
    ...previewVariables(application, { isTrusted, domain }),
    buildArgs: isTrusted ? application.previewBuildArgs : null,
    buildSecrets: isTrusted ? application.previewBuildSecrets : null,
    // The image stays on this server: it goes with the pull request, and registries keep what they have.
    registryId: null,
    networks: isTrusted ? application.networks : [],
  };
}

/** The names, not the values, of variables that the code of a pull request can read. */
export function inheritedSentences(application: ApplicationRecord): string[] {
  const { taken, missing } = inheritedNames(application);
  return [
    ...(taken.length > 0
      ? [`This preview gets these variables of the application (previewInherits): ${taken.join(', ')}.`]
      : []),
    ...(missing.length > 0
      ? [`previewInherits names variables that the application does not have: ${missing.join(', ')}.`]
      : []),
  ];
}
