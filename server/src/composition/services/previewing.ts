/**
 * Previews of pull requests: the parts that make, update, watch and remove them, and the webhooks that tell
 * of them.
 */
import { previewRef } from '../../domain/names/service-ref.ts';
import type { Database } from '../../db/database.ts';
import type { PreviewParts } from '../../deploy/preview-deployer.ts';
import { gitHosts, isGitProvider } from '../../domain/git/git-host.ts';
import type { Applications } from '../../modules/application/application.ts';
import { deployedApplications } from '../../modules/application/deployed.ts';
import type { Composes } from '../../modules/compose/compose.ts';
import { createDeleteCompose, type ComposeDeletionDeps } from '../../modules/compose/deletion.ts';
import type { ComposeRuntime } from '../../modules/compose/runtime.ts';
import { deployedComposes } from '../../modules/compose/deployed.ts';
import type { Databases } from '../../modules/database/database.ts';
import { requireFilled } from '../../modules/backup/branch/branches.ts';
import { deployedDatabases } from '../../modules/database/deployed.ts';
import {
  createDeployments,
  type DeployedServices,
  type Deployments,
} from '../../modules/deployment/deployment.ts';
import type { Interruption } from '../../modules/interruption/interruption.ts';
import type { Domains } from '../../modules/domain/domain.ts';
import { commitStatusLater } from '../../modules/git-provider/commit-status.ts';
import type { GitProviders } from '../../modules/git-provider/git-provider.ts';
import { deployedPreviews } from '../../modules/preview-deployment/deployed.ts';
import {
  createApprovePreview,
  type ApprovePreview,
} from '../../modules/preview-deployment/approval/approve.ts';
import {
  createHeldPullRequests,
  type HeldPullRequests,
} from '../../modules/preview-deployment/approval/held.ts';
import { createPreviewByHand, type PreviewByHand } from '../../modules/preview-deployment/by-hand/by-hand.ts';
import type { RemovePreviewDatabases } from '../../modules/preview-deployment/databases/removal.ts';
import { createApplicationPreviews } from '../../modules/preview-deployment/application-previews.ts';
import {
  commentedCopies,
  createComposePreviews,
  type ComposePreviews,
} from '../../modules/preview-deployment/compose/compose-previews.ts';
import { createPreviewComments, noteCommentIn } from '../../modules/preview-deployment/preview-comments.ts';
import type { Previewed } from '../../modules/preview-deployment/previewed.ts';
import { createPullRequestStates } from '../../modules/preview-deployment/pull-request/pull-request-state.ts';
import {
  createPreviewDeployments,
  type PreviewDeployments,
} from '../../modules/preview-deployment/preview-deployment.ts';
import {
  createRemovePreview,
  createRemovePreviews,
  type RemovePreview,
} from '../../modules/preview-deployment/removal/preview-removal.ts';
import { createPreviewWatch } from '../../modules/preview-deployment/pull-request/preview-watch.ts';
import type { PullRequests } from '../../modules/preview-deployment/pull-request/pull-request.ts';
import type { ServiceNames } from '../../modules/service-name/service-name.ts';
import type { PreviewedPlace } from '../../modules/server/server-address.ts';
import { createWebhooks, type Webhooks } from '../../modules/webhook/webhook.ts';
import type { ApplicationRecord, ComposeRecord } from '../../db/tables.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { GitApi } from '../../ports/git-api.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Queue } from '../../ports/queue.ts';
import type { Hosts } from '../../ports/host/host.ts';
import type { Accounts } from '../installation/accounts.ts';
import type { Adapters } from '../adapters.ts';
import type { Log } from '../installation/log.ts';
import type { Walls } from '../hosts/walls.ts';
import type { Notifying } from '../upkeep/notifying.ts';
import { linkedSource } from '../../modules/git-provider/linked-source.ts';
import { quotasOf } from '../../deploy/quotas.ts';
import type { Stores } from '../stores.ts';

export interface Previewing {
  pullRequests: PullRequests;
  remove: RemovePreview;
  /** Every preview of an application, which is being deleted. */
  removeAll(application: ApplicationRecord): Promise<void>;
  composePreviews: ComposePreviews;
  /** Every preview of a compose service, which is being deleted. */
  removeAllOfCompose(compose: ComposeRecord): Promise<void>;
  /** A copy of a compose service whose record as a preview is gone. */
  removeCopy(copy: ComposeRecord): Promise<unknown>;
  byHand: PreviewByHand;
  approve: ApprovePreview;
  held: HeldPullRequests;
  watch(): Promise<void>;
  webhooks: Webhooks;
}

export interface PreviewingParts {
  database: Database;
  stores: Stores;
  adapters: Pick<Adapters, 'logs'>;
  hosts: Hosts;
  clock: Clock;
  log: Log;
  accounts: Pick<Accounts, 'audit'>;
  applications: Applications;
  previews: PreviewDeployments;
  deployments: Deployments;
  gitProviders: GitProviders;
  queue: Queue;
  interruption: Pick<Interruption, 'endThen'>;
  changeRoutes: ChangeRoutes;
  createPullRequests: Walls['pullRequests'];
  names: ServiceNames;
  domains: Domains;
  composes: Composes;
  composeRuntime: Pick<ComposeRuntime, 'remove'>;
  removeDatabases: RemovePreviewDatabases;
  /** What ends the schedules of a compose service once its record is gone. */
  leaveSchedules: ComposeDeletionDeps['leaveSchedules'];
  /** Hosts of previews, where their service names none. */
  previewWildcard(place: PreviewedPlace): Promise<string>;
}

export function createPreviewing(parts: PreviewingParts): Previewing {
  const { database, stores, adapters, clock, log, accounts, previews, deployments, gitProviders, queue } =
    parts;
  const shared = {
    ...parts,
    logs: adapters.logs,
    withinQuota: quotasOf(stores).within,
    transaction: <T>(work: () => Promise<T>): Promise<T> => database.transaction(work),
    warn: (sentence: string): void => log.warn(sentence),
    now: () => isoTime(clock),
    noteSkipped: stores.webhookReceipts.noteSkipped,
    apiOf: async ({ githubId, organizationId }: Previewed): Promise<GitApi | undefined> =>
      githubId === null ? undefined : gitProviders.api(githubId, organizationId),
  };
  const comments = createPreviewComments({ ...shared, noteComment: noteCommentIn(stores) });
  const remove = createRemovePreview({ ...shared, comments });
  const deleteCompose = createDeleteCompose({
    ...shared,
    runtime: parts.composeRuntime,
    domains: parts.domains.byCompose,
  });
  const composePreviews = createComposePreviews({
    ...shared,
    store: stores.composePreviews,
    comments,
    deleteCompose,
    wildcard: parts.previewWildcard,
  });
  const kinds = {
    application: createApplicationPreviews({ ...shared, remove }),
    compose: composePreviews,
  };
  const states = createPullRequestStates(stores.pullRequestStates);
  const held = createHeldPullRequests(stores.heldPullRequests, shared.now);
  const pullRequests = parts.createPullRequests({ ...shared, kinds, comments, states, held });
  return {
    pullRequests,
    remove,
    removeAll: createRemovePreviews(previews, remove, shared.transaction),
    composePreviews,
    removeAllOfCompose: composePreviews.removeAll,
    removeCopy: (copy) => deleteCompose(copy, { write: shared.transaction, deleteVolumes: true }),
    byHand: createPreviewByHand({ ...shared, kinds }),
    approve: createApprovePreview({ ...shared, kinds, held, states }),
    held,
    watch: createPreviewWatch({ ...shared, kinds, pullRequests, comments }),
    webhooks: createWebhooks(
      stores.webhooks,
      stores.webhookReceipts,
      {
        deployments,
        wake: queue.wake,
        recordAudit: accounts.audit.record,
        pullRequest: pullRequests.receive,
      },
      clock,
    ),
  };
}

export interface DeployedParts {
  stores: Stores;
  adapters: Pick<Adapters, 'logs'>;
  clock: Clock;
  hosts: Hosts;
  /** Hosts of previews, where their application names none. */
  wildcard(place: PreviewedPlace): Promise<string>;
  names: ServiceNames;
  domains: Domains;
  applications: Applications;
  databases: Databases;
  composes: Composes;
  queue: Queue;
  notifying: Pick<Notifying, 'tell'>;
  /** The comment of a preview is to follow it. */
  commented: PullRequests['comment'];
}

export interface Deployed {
  previews: PreviewDeployments;
  deployments: Deployments;
  /** Previews as deployments see them. */
  deployedPreviews: DeployedServices;
  /** Hosts of previews, where their service names none. */
  previewWildcard(place: PreviewedPlace): Promise<string>;
}

/** Everything that can be deployed, previews too, with its deployments. */
export function createDeployed({
  stores,
  adapters,
  clock,
  hosts,
  wildcard,
  names,
  domains,
  applications,
  databases,
  composes,
  queue,
  notifying,
  commented,
}: DeployedParts): Deployed {
  const previews = createPreviewDeployments(stores.previewDeployments, { domains, names, wildcard }, clock);
  const services = {
    application: deployedApplications(applications, hosts),
    database: deployedDatabases(databases, hosts, (databaseId) => requireFilled(stores.branches, databaseId)),
    compose: deployedComposes(composes, hosts, commentedCopies(stores.composePreviews, commented)),
    previewDeployment: deployedPreviews(previews, applications, hosts, commented),
  };
  return {
    previews,
    deployedPreviews: services.previewDeployment,
    previewWildcard: wildcard,
    deployments: createDeployments(
      stores.deployments,
      {
        services,
        queue,
        logs: adapters.logs,
        requireRoom: quotasOf(stores).requireRecorded,
        tell: notifying.tell,
        tellHost: commitStatusLater(queue, linkedSource(stores)),
      },
      clock,
    ),
  };
}

/** What deployments of previews read. */
export function previewParts(
  { domains }: Pick<Stores, 'domains'>,
  deployments: Pick<Deployments, 'succeeded'>,
  applications: Applications,
  previews: PreviewDeployments,
): PreviewParts {
  return {
    applications,
    previews,
    domains: (previewDeploymentId) =>
      domains.list({ previewDeploymentId }, { by: ['domainId'], direction: 'asc' }),
    succeeded: (previewDeploymentId) => deployments.succeeded(previewRef(previewDeploymentId)),
    pullRefs: (provider, number) =>
      isGitProvider(provider) ? (gitHosts[provider].pullRefs(number) ?? undefined) : undefined,
  };
}
