/**
 * Pull requests as previews: an event becomes a durable job, the job makes, updates or removes the preview.
 * Jobs of one service run one after another.
 */
import { z } from 'zod';
import type { JobRecord } from '../../../db/tables.ts';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import type { PullRequestEvent } from '../../../domain/git/git-event.ts';
import { gitProviderNames, type GitProvider } from '../../../domain/git/git-host.ts';
import { isOf } from '../../../domain/git/git-repository.ts';
import type { ServiceRef } from '../../../domain/names/service-ref.ts';
import { oneLine } from '../../../domain/text/words.ts';
import type { Queue } from '../../../ports/queue.ts';
import type { Accepting } from '../../deployment/deployment.ts';
import type { HeldPullRequests } from '../approval/held.ts';
import type { PreviewComments } from '../preview-comments.ts';
import type { PreviewFacts } from '../preview-deployment.ts';
import { isExpired, previewedRef, type AnyPreview, type Previewed, type PreviewKinds } from '../previewed.ts';
import type { PullRequestStates } from './pull-request-state.ts';
import { readPullRequestEvent } from '../store.ts';
import { admit, type AdmissionDeps } from './admission.ts';
import { whyNoPreview } from './verdict.ts';

export interface PullRequests {
  /**
   * Decides by what the event tells, and queues what is to be done; part of the caller's transaction. What an
   * unsigned event tells is only a reason to ask the host; UNAUTHORIZED where it cannot be asked.
   */
  receive(
    service: Previewed,
    provider: GitProvider,
    event: PullRequestEvent,
    from: EventOrigin,
  ): Promise<{ queued: true } | { skipped: string }>;
  /** Queues the removal of a preview whose pull request or time ended; part of the caller's transaction. */
  close(preview: AnyPreview): Promise<void>;
  /** Queues bringing the comment up to date; part of the caller's transaction. */
  comment(preview: AnyPreview): Promise<void>;
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

export interface PullRequestNeighbours extends AdmissionDeps {
  kinds: PreviewKinds;
  states: PullRequestStates;
  held: Pick<HeldPullRequests, 'approvalOf' | 'hold' | 'forget'>;
  queue: Queue;
  comments: PreviewComments;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** ISO 8601. */
  now(): string;
  /** Writes into the record of a delivery why nothing came of it. */
  noteSkipped(webhookDeliveryId: string, reason: string): Promise<void>;
}

const attemptsLimit = 5;

async function enqueueJob(queue: Queue, { serviceId }: ServiceRef, payload: Payload): Promise<void> {
  const serviceKey = `pullRequests:${serviceId}`;
  await queue.enqueue({ kind: pullRequestJob, payload, serviceKey, serverKey: serviceKey });
}

/** Queues bringing the comment of a preview up to date; part of the caller's transaction. */
export function commentLater(queue: Queue): PullRequests['comment'] {
  return async (preview) => {
    if (preview.pullRequestNumber !== null)
      await enqueueJob(queue, previewedRef(preview), plain('comment', preview));
  };
}

export function createPullRequests(neighbours: PullRequestNeighbours): PullRequests {
  const { kinds, states, queue } = neighbours;
  const enqueue = (service: ServiceRef, payload: Payload): Promise<void> =>
    enqueueJob(queue, service, payload);

  return {
    async receive(service, provider, event, { source, webhookDeliveryId }) {
      const ref = previewedRef(service);
      if (source === 'unsigned' && service.isPreviewDeploymentsActive) requireHost(service);
      const queued = async (action: Payload['action']): Promise<{ queued: true }> => {
        await enqueue(ref, {
          action,
          ...idOf(ref),
          number: String(event.number),
          provider,
          event: JSON.stringify(event),
          source,
          webhookDeliveryId,
        });
        return { queued: true };
      };
      const why = whyNoPreview(service, provider, event);
      const present = await kinds[ref.kind].ofPullRequest(ref.serviceId, event.number);
      const isPresent = present !== undefined && isSameName(present.repository, event.repository);
      if (!isPresent && !isOf(service, event.repository))
        return { skipped: why ?? 'there is no preview of this pull request' };
      // Whoever knows the address can write any time into an unsigned event; the host is asked about those.
      if (source === 'signed' && (await states.isOutdated(ref, event))) return { skipped: superseded };
      // Its opening may still be queued, so that a close is queued behind it even when there is no preview
      // yet.
      if (event.action === 'close' && service.isPreviewDeploymentsActive) return queued('close');
      if (event.action === 'open' && why === undefined) return queued('build');
      if (isPresent) return queued('close');
      return { skipped: why ?? 'there is no preview of this pull request' };
    },
    close: (preview) => enqueue(previewedRef(preview), plain('close', preview)),
    comment: commentLater(queue),
    async run(job) {
      const payload = payloadShape.parse(job.payload);
      try {
        await carryOut(neighbours, payload);
      } catch (error) {
        const isLast = job.attempts >= attemptsLimit;
        if (!(error instanceof AppError) && !isLast) throw error;
        neighbours.warn(
          `The pull request ${payload.number} of the service ${refOf(payload).serviceId} could not be ` +
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
  /** The service: an application, or else a compose service. */
  applicationId: z.string().optional(),
  composeId: z.string().optional(),
  number: z.string(),
  /** Of a preview that was made by hand. */
  name: z.string().optional(),
  /** Undefined where nobody needs to know. */
  provider: z.enum(gitProviderNames).optional(),
  event: z.string(),
  /** One that was queued before there was this field has not been looked at. */
  source: z.string().default('unsigned'),
  webhookDeliveryId: z.string().optional(),
});
type Payload = z.output<typeof payloadShape>;

const idOf = ({ kind, serviceId }: ServiceRef): Pick<Payload, 'applicationId' | 'composeId'> =>
  kind === 'compose' ? { composeId: serviceId } : { applicationId: serviceId };

const refOf = ({ applicationId, composeId }: Payload): ReturnType<typeof previewedRef> =>
  previewedRef(composeId === undefined ? { applicationId: applicationId ?? '' } : { composeId });

function plain(action: 'close' | 'comment', preview: AnyPreview): Payload {
  const { pullRequestNumber, name, provider } = preview;
  return {
    action,
    ...idOf(previewedRef(preview)),
    number: String(pullRequestNumber ?? 0),
    name: name ?? undefined,
    provider: provider === 'none' ? undefined : provider,
    event: '',
    source: 'signed',
  };
}

async function carryOut(neighbours: PullRequestNeighbours, payload: Payload): Promise<void> {
  const { kinds, comments } = neighbours;
  const { number, provider, source } = payload;
  const { kind, serviceId } = refOf(payload);
  const service = await kinds[kind].service(serviceId);
  if (!service) return;
  if (payload.name !== undefined) return removeExpired(neighbours, service, payload.name);
  const preview = await kinds[kind].ofPullRequest(serviceId, Number(number));
  const given = payload.event === '' ? undefined : readPullRequestEvent(payload.event);
  const isTold = given !== undefined && source !== 'signed';
  const skip = async (reason: string): Promise<void> => {
    if (payload.webhookDeliveryId !== undefined)
      await neighbours.noteSkipped(payload.webhookDeliveryId, reason);
  };
  const event = isTold ? await asHostSays(neighbours, service, given) : given;
  if (isTold && !event)
    return skip('the git host does not have this pull request, and the event is not signed');
  const action = isTold && event ? toldActions[event.action] : payload.action;
  if (action === 'close') {
    await neighbours.held.forget({ kind, serviceId }, Number(number));
    if (preview) await kinds[kind].remove(service, preview, { write: neighbours.transaction });
    return;
  }
  if (action === 'comment') {
    if (preview) await comments.sync(service, preview);
    return;
  }
  if (event && provider) await build({ ...neighbours, skip }, service, provider, event, preview);
}

/** One that was asked for again meanwhile has another end. */
async function removeExpired(
  { kinds, transaction, now }: PullRequestNeighbours,
  service: Previewed,
  name: string,
): Promise<void> {
  const { kind, serviceId } = previewedRef(service);
  const preview = await kinds[kind].ofName(serviceId, name);
  if (preview && isExpired(preview, now()))
    await kinds[kind].remove(service, preview, { write: transaction });
}

/** Names of repositories have no case at any host. */
const isSameName = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

const toldActions = { open: 'build', close: 'close' } as const;

/** Whoever knows the address can write anything into an unsigned event. */
function requireHost({ githubId, name }: Previewed): void {
  if (githubId === null)
    throw new AppError(
      'UNAUTHORIZED',
      `The webhook is not signed, and ${name} names no git provider whose host could be asked about the ` +
        'pull request. Set webhookSecret of the service and the same secret at the git host, or link a ' +
        'git provider (gitProvider.create) and name it as githubId.',
    );
}

/**
 * Author, commit, branches and whether it comes from a fork, from the host; undefined when it has no such
 * pull request.
 */
async function asHostSays(
  { apiOf, warn }: PullRequestNeighbours,
  service: Previewed,
  event: PullRequestEvent,
): Promise<PullRequestEvent | undefined> {
  requireHost(service);
  const api = isOf(service, event.repository) ? await apiOf(service) : undefined;
  const told = await api?.pullRequestEvent(event.repository, event.number);
  if (!told)
    warn(
      `An unsigned webhook told of the pull request ${event.number} of ${event.repository}, which the host ` +
        `does not have for ${service.name}, so nothing was done. Set its webhookSecret.`,
    );
  return told;
}

/** Makes the preview of a pull request, or brings it to the newest commit. */
async function build(
  neighbours: PullRequestNeighbours & { skip(reason: string): Promise<void> },
  service: Previewed,
  provider: GitProvider,
  event: PullRequestEvent,
  present: AnyPreview | undefined,
): Promise<void> {
  const { kinds, queue, comments, transaction, held } = neighbours;
  const { kind, serviceId } = previewedRef(service);
  const previews = kinds[kind];
  // Settings may have changed since it was queued.
  const whyNot = whyNoPreview(service, provider, event);
  if (whyNot !== undefined) {
    await held.forget({ kind, serviceId }, event.number);
    if (present) await previews.remove(service, present, { write: transaction });
    return neighbours.skip(whyNot);
  }
  const isSuperseded = (): Promise<boolean> => neighbours.states.isSuperseded({ kind, serviceId }, event);
  if (await isSuperseded()) return neighbours.skip(superseded);
  const admission = await admit(neighbours, service, { provider, event, present });
  if (admission.why !== undefined) return neighbours.skip(admission.why);
  const { commit, isTrusted } = admission;
  const facts = factsOf(provider, event, { commit, isTrusted });
  const accepting = deploymentOf(event, commit);
  if (present) {
    // It is there, or on its way, with the same commit and trust.
    const isSame = present.commit === facts.commit && present.isTrusted === facts.isTrusted;
    if (!isSame || !(await previews.isThere(present)))
      await transaction(() => previews.renew(service, present, facts, accepting));
  } else if ((await previews.countOf(serviceId)) >= service.previewLimit) {
    await comments.tellLimit(service, event);
    await neighbours.skip(`the service has its ${service.previewLimit} previews already (previewLimit)`);
  } else await previews.create(service, facts, accepting, { write: transaction, isSuperseded });
  queue.wake();
}

/** What a preview is made of, by an event of its pull request. */
export function factsOf(
  provider: GitProvider,
  { number, headBranch, repository, isFork }: PullRequestEvent,
  { commit, isTrusted }: { commit: string; isTrusted: boolean },
): PreviewFacts {
  return {
    number,
    name: null,
    image: null,
    expiresAt: null,
    headBranch,
    commit,
    repository,
    provider,
    isFork,
    isTrusted,
  };
}

/** The deployment that a commit of a pull request asks for. */
export function deploymentOf(event: PullRequestEvent, commit: string): Accepting {
  return {
    kind: 'deploy',
    title: oneLine(event.title, 200) || `Pull request ${event.number}`,
    description: `Pull request ${event.number}, commit ${commit}`,
    commit,
    pushedCommit: commit,
    startedBy: { kind: 'webhook', userId: null, apiKeyId: null },
  };
}
