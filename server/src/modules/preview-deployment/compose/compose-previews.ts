/** Previews of compose services: copies of the compose service, one for each pull request or given name. */
import type { ComposeRecord, DomainRecord } from '../../../db/tables.ts';
import { AppError } from '../../../domain/errors.ts';
import { composeRef } from '../../../domain/names/service-ref.ts';
import { previewTag } from '../../../domain/names/preview.ts';
import { serverKeyOf } from '../../../domain/names/server-key.ts';
import { isoTime, randomId, type Clock } from '../../../ports/clock.ts';
import type { ChangeRoutes } from '../../../ports/proxy.ts';
import { keepNames, type Composes } from '../../compose/compose.ts';
import type { Accepting, Deployments } from '../../deployment/deployment.ts';
import type { DomainInput, Domains } from '../../domain/domain.ts';
import type { ServiceNames } from '../../service-name/service-name.ts';
import type { PreviewComments } from '../preview-comments.ts';
import { renewedBy, type PreviewFacts } from '../preview-deployment.ts';
import type { Made, Making, PreviewKind, RemovedBy } from '../previewed.ts';
import { copiedCompose, copiedSettings, previewHosts } from './compose-copy.ts';
import type { ComposePreview, ComposePreviewStore } from '../store.ts';

export interface ComposePreviews extends PreviewKind<ComposeRecord, ComposePreview> {
  /** Newest first. */
  byCompose(composeId: string, organizationId: string): Promise<ComposePreview[]>;
  one(previewDeploymentId: string, organizationId: string): Promise<ComposePreview>;
  find(previewDeploymentId: string): Promise<ComposePreview | undefined>;
  /** Every preview of a compose service, which is being deleted. */
  removeAll(compose: ComposeRecord): Promise<void>;
}

export interface ComposePreviewDeps {
  store: ComposePreviewStore;
  composes: Pick<Composes, 'find' | 'patch'>;
  deployments: Pick<Deployments, 'accept' | 'isWorking'>;
  domains: Pick<Domains, 'create'>;
  names: ServiceNames;
  clock: Clock;
  comments: Pick<PreviewComments, 'tellRemoved'>;
  /** With what runs of it; fit to run again after a crash. */
  deleteCompose(compose: ComposeRecord, by: RemovedBy & { deleteVolumes: boolean }): Promise<unknown>;
  changeRoutes: ChangeRoutes;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Inside the transaction; CONFLICT when the organization may have no more. */
  withinQuota<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  /** Hosts of previews of a compose service that names no wildcard. */
  wildcard(compose: ComposeRecord): Promise<string>;
}

export function createComposePreviews(deps: ComposePreviewDeps): ComposePreviews {
  const { store, composes, deployments } = deps;
  return {
    service: composes.find,
    all: () => store.list({}),
    byCompose: (composeId, organizationId) => store.list({ composeId, organizationId }),
    find: (previewDeploymentId) => store.find({ previewDeploymentId }),
    async one(previewDeploymentId, organizationId) {
      const found = await store.find({ previewDeploymentId, organizationId });
      if (!found)
        throw new AppError(
          'NOT_FOUND',
          'There is no such preview deployment. It may have been removed with its pull request, or have ' +
            'expired.',
        );
      return found;
    },
    ofPullRequest: (composeId, pullRequestNumber) => store.find({ composeId, pullRequestNumber }),
    ofName: (composeId, name) => store.find({ composeId, name }),
    ref: ({ previewDeploymentId }) => composeRef(previewDeploymentId),
    countOf: async (composeId) => (await store.list({ composeId })).length,
    create: (compose, facts, accepting, making) => create(deps, compose, { facts, accepting, ...making }),
    async renew(compose, { previewDeploymentId, domain }, facts, accepting) {
      await composes.patch(previewDeploymentId, copiedSettings(compose, facts, domain));
      await store.update(previewDeploymentId, renewedBy(facts));
      await deployments.accept(composeRef(previewDeploymentId), accepting);
    },
    isThere: async ({ previewDeploymentId, liveDeploymentId }) =>
      liveDeploymentId !== null || deployments.isWorking(composeRef(previewDeploymentId)),
    remove: (compose, preview, by) => remove(deps, compose, preview, by),
    async removeAll(compose) {
      for (const preview of await store.list({ composeId: compose.composeId }))
        await remove(deps, compose, preview, { write: deps.transaction });
    },
  };
}

/** What tells the comment of a preview when its copy has changed. */
export function commentedCopies(
  store: Pick<ComposePreviewStore, 'find'>,
  commented: (preview: ComposePreview) => Promise<void>,
): (previewDeploymentId: string) => Promise<void> {
  return async (previewDeploymentId) => {
    const preview = await store.find({ previewDeploymentId });
    if (preview) await commented(preview);
  };
}

async function remove(
  { composes, comments, deleteCompose }: ComposePreviewDeps,
  compose: ComposeRecord,
  preview: ComposePreview,
  { write, userId }: RemovedBy,
): Promise<void> {
  const copy = await composes.find(preview.previewDeploymentId);
  await comments.tellRemoved(compose, preview);
  if (copy) await deleteCompose(copy, { write, userId, deleteVolumes: true });
}

interface Creating extends Making {
  facts: PreviewFacts;
  accepting: Accepting;
}

async function create(
  deps: ComposePreviewDeps,
  original: ComposeRecord,
  { facts, accepting, isSuperseded, write }: Creating,
): Promise<void> {
  const { store, clock, names, domains, deployments } = deps;
  const { organizationId } = original;
  const serverKey = serverKeyOf(original);
  // Both ask the name service or read only, so never inside the transaction.
  const wildcard = original.previewWildcard ?? (await deps.wildcard(original));
  const present = await store.domains(original.composeId);
  const hosts = previewHosts(original, present, { wildcard, tag: previewTag(facts) });
  const domain = addressOf(present[0], hosts);
  const composeId = randomId();
  const createdAt = isoTime(clock);
  const fresh = { composeId, createdAt, refreshToken: randomId(32), extra: randomId(4).toLowerCase() };
  const copy = copiedCompose(original, facts, { ...fresh, domain });
  const mounts = (await store.mounts(original.composeId))
    .filter(({ type }) => type === 'volume' || (type === 'file' && facts.isTrusted))
    .map((mount) => ({ ...mount, mountId: randomId(), composeId, createdAt }));
  const row = {
    previewDeploymentId: composeId,
    organizationId,
    composeId: original.composeId,
    ...renewedBy(facts),
    pullRequestNumber: facts.number,
    name: facts.name,
    domain,
    createdAt,
    repository: facts.repository,
    provider: facts.provider,
    commentId: null,
    commentDigest: null,
  };
  const make = async (): Promise<Made | undefined> => {
    if (await isSuperseded()) return undefined;
    await store.insert(row, copy, mounts);
    await keepNames({ names }, copy);
    for (const one of present) {
      const host = hosts.get(one.asciiHost);
      if (host !== undefined) await domains.create(organizationId, { composeId }, copiedDomain(one, host));
    }
    await deployments.accept(composeRef(composeId), accepting);
    return { previewDeploymentId: composeId };
  };
  await deps.changeRoutes(serverKey, write, () => deps.withinQuota(organizationId, make), {
    mayWait: true,
  });
}

function copiedDomain(domain: DomainRecord, host: string): DomainInput {
  const { path, ownPort, https, certificateType, customCertResolver, serviceName, internalPath } = domain;
  const { stripPath, hstsMaxAge, requestHeaders, maxBodyBytes, allowedAddresses, deniedAddresses } = domain;
  const { errorPages, responseHeaders, compression, trustedProxies } = domain;
  return {
    host,
    path,
    port: ownPort,
    https,
    certificateType: https ? certificateType : undefined,
    customCertResolver,
    serviceName,
    domainType: 'compose',
    internalPath,
    stripPath,
    hstsMaxAge,
    requestHeaders,
    maxBodyBytes,
    allowedAddresses,
    deniedAddresses,
    errorPages,
    responseHeaders,
    compression,
    trustedProxies,
  };
}

function addressOf(first: DomainRecord | undefined, hosts: ReadonlyMap<string, string>): string {
  const host = first && hosts.get(first.asciiHost);
  if (!first || host === undefined) return '';
  return `http${first.https ? 's' : ''}://${host}${first.path === '/' ? '' : first.path}`;
}
