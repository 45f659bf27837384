/**
 * Preview deployments as records: one for each pull request of an application, and one for each name that
 * somebody gave; each with its own name and host.
 */
import type { ApplicationRecord } from '../../db/tables.ts';
import { AppError } from '../../domain/errors.ts';
import { previewAppName, previewHost, previewTag } from '../../domain/names/preview.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { registriesOf } from '../application/checks.ts';
import type { Domains } from '../domain/domain.ts';
import type { ServiceNames } from '../service-name/service-name.ts';
import { inheritedNames, previewVariables } from './preview-variables.ts';
import type { PreviewDeploymentRecord, PreviewDeploymentStore } from './store.ts';

/** What a preview is made of: what a pull request brings, or what somebody asked for. */
export interface PreviewFacts {
  /** Of the pull request; null for one made by hand. */
  number: number | null;
  /** Of one made by hand. */
  name: string | null;
  headBranch: string;
  /** Its newest commit, whole; null until the newest of a branch was fetched, and for an image. */
  commit: string | null;
  /** Runs in place of what is built. */
  image: string | null;
  /** ISO 8601. */
  expiresAt: string | null;
  /** Full name of the repository at its host; empty where no host tells of it. */
  repository: string;
  provider: PreviewDeploymentRecord['provider'];
  /** Its commits come from another repository. */
  isFork: boolean;
  /** What runs comes from people who may write to the repository; a fork is never trusted. */
  isTrusted: boolean;
}

/** What follows its facts whenever it is deployed anew. */
export function renewedBy({
  commit,
  headBranch: branch,
  isTrusted,
  isFork,
  expiresAt,
}: PreviewFacts): Pick<PreviewDeploymentRecord, 'commit' | 'branch' | 'isTrusted' | 'isFork' | 'expiresAt'> {
  return { commit, branch, isTrusted, isFork, expiresAt };
}

export interface PreviewDeployments {
  /** Newest first. */
  byApplication(applicationId: string, organizationId: string): Promise<PreviewDeploymentRecord[]>;
  one(previewDeploymentId: string, organizationId: string): Promise<PreviewDeploymentRecord>;
  /** Without an organization: for jobs and the reconciler, which act for the installation. */
  find(previewDeploymentId: string): Promise<PreviewDeploymentRecord | undefined>;
  all(): Promise<PreviewDeploymentRecord[]>;
  ofPullRequest(applicationId: string, number: number): Promise<PreviewDeploymentRecord | undefined>;
  ofName(applicationId: string, name: string): Promise<PreviewDeploymentRecord | undefined>;
  countOf(applicationId: string): Promise<number>;
  /** Asks the name service where the server's address is a name, so never inside a transaction. */
  hostOf(application: ApplicationRecord, facts: PreviewFacts): Promise<string>;
  /** Makes the record with its host; part of a change of routes. CONFLICT when the host is taken. */
  create(application: ApplicationRecord, facts: PreviewFacts, host: string): Promise<PreviewDeploymentRecord>;
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
    ofName: (applicationId, name) => store.find({ applicationId, name }),
    byApplication: (applicationId, organizationId) =>
      store.list(
        { applicationId, organizationId },
        { by: ['createdAt', 'previewDeploymentId'], direction: 'desc' },
      ),
    hostOf: async (application, facts) =>
      previewHost(
        application.previewWildcard ?? (await neighbours.wildcard(application)),
        application.appName,
        previewTag(facts),
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
      'There is no such preview deployment. It may have been removed with its pull request, or have expired.',
    );
  return record;
}

async function create(
  { store, domains, names, clock }: Parts,
  application: ApplicationRecord,
  facts: PreviewFacts,
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
  facts: PreviewFacts,
  host: string,
  createdAt: string,
): PreviewDeploymentRecord {
  return {
    previewDeploymentId: randomId(),
    organizationId,
    applicationId,
    ...renewedBy(facts),
    pullRequestNumber: facts.number,
    name: facts.name,
    image: facts.image,
    domain: `http${https ? 's' : ''}://${host}${path === '/' ? '' : path}`,
    domainId: null,
    status: 'building',
    createdAt,
    appName: previewAppName(appName, previewTag(facts), randomId(4).toLowerCase()),
    repository: facts.repository,
    provider: facts.provider,
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
    ...sourceOf(application, preview),
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

/**
 * A pull request names its commit. One made by hand names a branch of the same repository, or an image in
 * place of the source; a stored password goes to the registry alone that it was given for.
 */
function sourceOf(
  application: ApplicationRecord,
  { pullRequestNumber, branch, image }: PreviewDeploymentRecord,
): Partial<ApplicationRecord> {
  if (image !== null) {
    const isSameRegistry =
      application.sourceType === 'container' &&
      registriesOf(application) === registriesOf({ ...application, containerImage: image });
    return {
      sourceType: 'container',
      containerImage: image,
      ...(isSameRegistry ? {} : { registryUrl: null, username: null, password: null }),
    };
  }
  return pullRequestNumber === null && branch !== '' ? { branch, customGitBranch: branch } : {};
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
