/**
 * Pull requests as previews: an event becomes a durable job, the job makes, updates or removes the preview.
 * Jobs of one application run one after another.
 */
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { z } from 'zod';
import type { ApplicationRecord, JobRecord } from '../../db/tables.ts';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import type { PullRequestEvent } from '../../domain/git/git-event.ts';
import { gitProviderNames, type GitProvider } from '../../domain/git/git-host.ts';
import { isOf } from '../../domain/git/git-repository.ts';
import { previewRef } from '../../domain/names/service-ref.ts';
import { oneLine } from '../../domain/text/words.ts';
import type { GitApi } from '../../ports/git-api.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Queue } from '../../ports/queue.ts';
import type { Applications } from '../application/application.ts';
import type { Accepting, Deployments } from '../deployment/deployment.ts';
import type { PreviewComments } from './preview-comments.ts';
import type { PreviewDeployments, PullRequestFacts } from './preview-deployment.ts';
import type { RemovePreview } from './preview-removal.ts';
import { readPullRequestEvent, type PreviewDeploymentRecord } from './store.ts';
import { whyNoPreview } from './verdict.ts';

export interface PullRequests {
  /**
   * Decides by what the event tells, and queues what is to be done; part of the caller's transaction. What an
   * unsigned event tells is only a reason to ask the host; UNAUTHORIZED where it cannot be asked.
   */
  receive(
    application: ApplicationRecord,
    provider: GitProvider,
    event: PullRequestEvent,
    from: EventOrigin,
  ): Promise<{ queued: true } | { skipped: string }>;
  /** Queues the removal of a preview whose pull request ended; part of the caller's transaction. */
  close(preview: PreviewDeploymentRecord): Promise<void>;
  /** Queues bringing the comment up to date; part of the caller's transaction. */
  comment(preview: PreviewDeploymentRecord): Promise<void>;
  /** Handler of the queue's `pullRequest` jobs. */
  run(job: JobRecord): Promise<void>;
}

/** Who answers for what an event tells: whoever knows the secret, or nobody. */
export type EventSource = 'signed' | 'unsigned';

export interface EventOrigin {
  source: EventSource;
  /** The record of the delivery, which is told why no preview came of it. */
  webhookDeliveryId?: string | undefined;
}

export interface PullRequestNeighbours {
  previews: PreviewDeployments;
  applications: Pick<Applications, 'find'>;
  deployments: Pick<Deployments, 'accept' | 'isWorking'>;
  queue: Queue;
  comments: PreviewComments;
  remove: RemovePreview;
  changeRoutes: ChangeRoutes;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Inside the transaction; CONFLICT when the organization may have no more. */
  withinQuota<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  /** The git host's interface for an application; undefined when it names no git provider. */
  apiOf(application: ApplicationRecord): Promise<GitApi | undefined>;
  /** Tells whoever runs Berth. */
  warn(sentence: string): void;
  /** Writes into the record of a delivery why nothing came of it. */
  noteSkipped(webhookDeliveryId: string, reason: string): Promise<void>;
}

const attemptsLimit = 5;

async function enqueueJob(queue: Queue, applicationId: string, payload: Payload): Promise<void> {
  const serviceKey = `pullRequests:${applicationId}`;
  await queue.enqueue({ kind: pullRequestJob, payload, serviceKey, serverKey: serviceKey });
}

/** Queues bringing the comment of a preview up to date; part of the caller's transaction. */
export function commentLater(queue: Queue): PullRequests['comment'] {
  return (preview) => enqueueJob(queue, preview.applicationId, plain('comment', preview));
}

export function createPullRequests(neighbours: PullRequestNeighbours): PullRequests {
  const { previews, queue } = neighbours;
  const enqueue = (applicationId: string, payload: Payload): Promise<void> =>
    enqueueJob(queue, applicationId, payload);

  return {
    async receive(application, provider, event, { source, webhookDeliveryId }) {
      const { applicationId } = application;
      if (source === 'unsigned' && application.isPreviewDeploymentsActive) requireHost(application);
      const queued = async (action: Payload['action']): Promise<{ queued: true }> => {
        await enqueue(applicationId, {
          action,
          applicationId,
          number: String(event.number),
          provider,
          event: JSON.stringify(event),
          source,
          webhookDeliveryId,
        });
        return { queued: true };
      };
      const why = whyNoPreview(application, provider, event);
      const present = await previews.ofPullRequest(applicationId, event.number);
      const isPresent = present !== undefined && isSameName(present.repository, event.repository);
      if (!isPresent && !isOf(application, event.repository))
        return { skipped: why ?? 'there is no preview of this pull request' };
      // Whoever knows the address can write any time into an unsigned event; the host is asked about those.
      if (source === 'signed' && (await previews.isOutdated(applicationId, event)))
        return { skipped: superseded };
      // Its opening may still be queued, so that a close is queued behind it even when there is no preview
      // yet.
      if (event.action === 'close' && application.isPreviewDeploymentsActive) return queued('close');
      if (event.action === 'open' && why === undefined) return queued('build');
      if (isPresent) return queued('close');
      return { skipped: why ?? 'there is no preview of this pull request' };
    },
    close: (preview) => enqueue(preview.applicationId, plain('close', preview)),
    comment: commentLater(queue),
    async run(job) {
      const payload = payloadShape.parse(job.payload);
      try {
        await carryOut(neighbours, payload);
      } catch (error) {
        const isLast = job.attempts >= attemptsLimit;
        if (!(error instanceof AppError) && !isLast) throw error;
        neighbours.warn(
          `The pull request ${payload.number} of the application ${payload.applicationId} could not be ` +
            `followed (${payload.action}): ${sentenceOf(error)}`,
        );
        // An engine that is away comes back; the lease of the job runs out and it is tried again.
        if (payload.action === 'close' && !isLast) throw error;
      }
    },
  };
}

const superseded = 'a newer event of this pull request was handled before';

export const pullRequestJob = 'pullRequest';

const payloadShape = z.object({
  action: z.enum(['build', 'close', 'comment']),
  applicationId: z.string(),
  number: z.string(),
  provider: z.enum(gitProviderNames),
  event: z.string(),
  /** One that was queued before there was this field has not been looked at. */
  source: z.string().default('unsigned'),
  webhookDeliveryId: z.string().optional(),
});
type Payload = z.output<typeof payloadShape>;

function plain(
  action: 'close' | 'comment',
  { applicationId, pullRequestNumber, provider }: PreviewDeploymentRecord,
): Payload {
  return {
    action,
    applicationId,
    number: String(pullRequestNumber ?? 0),
    provider,
    event: '',
    source: 'signed',
  };
}

async function carryOut(neighbours: PullRequestNeighbours, payload: Payload): Promise<void> {
  const { previews, applications, comments, remove } = neighbours;
  const { applicationId, number, provider, source } = payload;
  const application = await applications.find(applicationId);
  const preview = await previews.ofPullRequest(applicationId, Number(number));
  if (!application) return;
  const given = payload.event === '' ? undefined : readPullRequestEvent(payload.event);
  const isTold = given !== undefined && source !== 'signed';
  const skip = async (reason: string): Promise<void> => {
    if (payload.webhookDeliveryId !== undefined)
      await neighbours.noteSkipped(payload.webhookDeliveryId, reason);
  };
  const event = isTold ? await asHostSays(neighbours, application, given) : given;
  if (isTold && !event)
    return skip('the git host does not have this pull request, and the event is not signed');
  const action = isTold && event ? toldActions[event.action] : payload.action;
  if (action === 'close') {
    if (preview) await remove(application, preview, { write: neighbours.transaction });
    return;
  }
  if (action === 'comment') {
    if (preview) await comments.sync(application, preview);
    return;
  }
  if (event) await build({ ...neighbours, skip }, application, provider, event, preview);
}

/** Names of repositories have no case at any host. */
const isSameName = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

const toldActions = { open: 'build', close: 'close' } as const;

/** Whoever knows the address can write anything into an unsigned event. */
function requireHost({ githubId, name }: ApplicationRecord): void {
  if (githubId === null)
    throw new AppError(
      'UNAUTHORIZED',
      `The webhook is not signed, and ${name} names no git provider whose host could be asked about the ` +
        'pull request. Set webhookSecret of the application and the same secret at the git host, or link a ' +
        'git provider (gitProvider.create) and name it as githubId.',
    );
}

/**
 * Author, commit, branches and whether it comes from a fork, from the host; undefined when it has no such
 * pull request.
 */
async function asHostSays(
  { apiOf, warn }: PullRequestNeighbours,
  application: ApplicationRecord,
  event: PullRequestEvent,
): Promise<PullRequestEvent | undefined> {
  requireHost(application);
  const api = isOf(application, event.repository) ? await apiOf(application) : undefined;
  const told = await api?.pullRequestEvent(event.repository, event.number);
  if (!told)
    warn(
      `An unsigned webhook told of the pull request ${event.number} of ${event.repository}, which the host ` +
        `does not have for ${application.name}, so nothing was done. Set webhookSecret of the application.`,
    );
  return told;
}

/** Makes the preview of a pull request, or brings it to the newest commit. */
async function build(
  neighbours: PullRequestNeighbours & { skip(reason: string): Promise<void> },
  application: ApplicationRecord,
  provider: GitProvider,
  event: PullRequestEvent,
  present: PreviewDeploymentRecord | undefined,
): Promise<void> {
  const { previews, queue, comments, remove, transaction, apiOf, warn } = neighbours;
  // Settings may have changed since it was queued.
  const whyNot = whyNoPreview(application, provider, event);
  if (whyNot !== undefined) {
    if (present) await remove(application, present, { write: transaction });
    return neighbours.skip(whyNot);
  }
  if (await previews.isSuperseded(application.applicationId, event)) return neighbours.skip(superseded);
  const api = await apiOf(application);
  if (application.previewRequireCollaboratorPermissions) {
    const why = await whyNotTrusted(neighbours, api, event);
    if (why !== undefined) {
      warn(
        `The pull request ${event.number} of ${event.repository} gets no preview: ${why} ` +
          '(previewRequireCollaboratorPermissions).',
      );
      return neighbours.skip(`${why} (previewRequireCollaboratorPermissions)`);
    }
  }
  const facts: PullRequestFacts = {
    number: event.number,
    headBranch: event.headBranch,
    commit: await wholeCommit(api, event),
    repository: event.repository,
    provider,
    isTrusted: !event.isFork,
  };
  if (present) await renew(neighbours, present, event, facts);
  else if ((await previews.countOf(application.applicationId)) >= application.previewLimit) {
    await comments.tellLimit(application, event);
    await neighbours.skip(
      `the application has its ${application.previewLimit} previews already (previewLimit)`,
    );
  } else await make(neighbours, application, event, facts);
  queue.wake();
}

/**
 * Whoever may push decides what runs. In the repository itself these are people who may write to it; in a
 * fork anybody whom its owner lets in, now or later, whoever opened the pull request.
 */
async function whyNotTrusted(
  neighbours: PullRequestNeighbours,
  api: GitApi | undefined,
  event: PullRequestEvent,
): Promise<string | undefined> {
  if (event.isFork) return 'it comes from a fork, to which others can push than to the repository';
  return (await mayWrite(neighbours, api, event)) ? undefined : 'its author may not write to the repository';
}

/** False when the host cannot be asked. */
async function mayWrite(
  { warn }: PullRequestNeighbours,
  api: GitApi | undefined,
  event: PullRequestEvent,
): Promise<boolean> {
  if (api === undefined) return false;
  return api.canWrite(event.repository, event.author).catch((error: unknown) => {
    warn(
      `Whether the author of the pull request ${event.number} of ${event.repository} may write to it ` +
        `could not be determined, so it is taken as no: ${sentenceOf(error)}`,
    );
    return false;
  });
}

/** Deploys the preview anew unless it is there, or on its way, with the same commit and trust. */
async function renew(
  { previews, deployments, transaction }: PullRequestNeighbours,
  present: PreviewDeploymentRecord,
  event: PullRequestEvent,
  { commit, headBranch: branch, isTrusted }: PullRequestFacts,
): Promise<void> {
  const ref = previewRef(present.previewDeploymentId);
  const isThere =
    present.commit === commit &&
    present.isTrusted === isTrusted &&
    (present.liveDeploymentId !== null || (await deployments.isWorking(ref)));
  if (isThere) return;
  await transaction(async () => {
    await previews.patch(present.previewDeploymentId, { commit, branch, isTrusted });
    await deployments.accept(ref, deploymentOf(event, commit));
  });
}

async function make(
  { previews, deployments, changeRoutes, transaction, withinQuota }: PullRequestNeighbours,
  application: ApplicationRecord,
  event: PullRequestEvent,
  facts: PullRequestFacts,
): Promise<void> {
  const host = await previews.hostOf(application, facts.number);
  await changeRoutes(
    serverKeyOf(application),
    transaction,
    () =>
      withinQuota(application.organizationId, async () => {
        // A newer event that wants no preview found none to remove.
        if (await previews.isSuperseded(application.applicationId, event)) return;
        const { previewDeploymentId } = await previews.create(application, facts, host);
        await deployments.accept(previewRef(previewDeploymentId), deploymentOf(event, facts.commit));
      }),
    { mayWait: true },
  );
}

function deploymentOf(event: PullRequestEvent, commit: string): Accepting {
  return {
    kind: 'deploy',
    title: oneLine(event.title, 200) || `Pull request ${event.number}`,
    description: `Pull request ${event.number}, commit ${commit}`,
    commit,
    pushedCommit: commit,
    startedBy: { kind: 'webhook', userId: null, apiKeyId: null },
  };
}

/** Bitbucket tells the first digits only. */
async function wholeCommit(
  api: GitApi | undefined,
  { repository, commit }: PullRequestEvent,
): Promise<string> {
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return commit;
  if (api === undefined)
    throw new AppError(
      'PRECONDITION_FAILED',
      'the git host sends only the first digits of commits, and the application names no git provider ' +
        '(githubId) to ask for the rest.',
    );
  return api.fullCommit(repository, commit);
}
