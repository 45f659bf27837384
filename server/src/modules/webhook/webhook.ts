/**
 * Webhooks of git hosts: whom a delivery is for, whether it is genuine, and what comes of it (decisions 11).
 */
import { AppError } from '../../domain/errors.ts';
import type { HookEvent } from '../../domain/git-event.ts';
import type { GitProvider } from '../../domain/git-host.ts';
import { isOf } from '../../domain/git-repository.ts';
import type { Clock } from '../../ports/clock.ts';
import { deliveryIdOf, payloadOf, targetOf, type Delivery } from './delivery.ts';
import {
  autoDeployOff,
  findHooked,
  hookedApplication,
  requireAutoDeploy,
  type HookedKind,
} from './hooked.ts';
import { createOutcomes, type HookAnswer, type OutcomeNeighbours, type Outcomes } from './outcomes.ts';
import { providerOfDelivery, providers } from './providers.ts';
import { signedByHmac } from './signature.ts';
import type { WebhookStore } from './store.ts';

export interface Webhooks {
  /**
   * NOT_FOUND for an unknown token, UNAUTHORIZED without the right signature, BAD_REQUEST when autoDeploy is
   * off. Without a provider it is found by the delivery's headers.
   */
  toService(kind: HookedKind, token: string, delivery: Delivery, provider?: GitProvider): Promise<HookAnswer>;
  /** For every application whose link is this App; UNAUTHORIZED unless one of the links signed it. */
  toGithubApp(delivery: Delivery): Promise<HookAnswer>;
}

const plainSignature = signedByHmac(['x-hub-signature-256']);
const appIdHeader = 'x-github-hook-installation-target-id';

export function createWebhooks(store: WebhookStore, neighbours: OutcomeNeighbours, clock: Clock): Webhooks {
  const outcomes = createOutcomes(store, neighbours, clock);
  return {
    toService: (kind, token, delivery, provider) =>
      toService(store, outcomes, { kind, token, delivery, provider }),
    toGithubApp: (delivery) => toGithubApp(store, outcomes, delivery),
  };
}

async function toService(
  store: WebhookStore,
  { once, carryOut, deploy }: Outcomes,
  {
    kind,
    token,
    delivery,
    provider: given,
  }: { kind: HookedKind; token: string; delivery: Delivery; provider: GitProvider | undefined },
): Promise<HookAnswer> {
  const hooked = await findHooked(store, kind, token);
  if (!hooked)
    throw new AppError(
      'NOT_FOUND',
      'There is no service with this webhook address. Its token may have been changed; ' +
        'application.one shows the present one as refreshToken.',
    );
  const provider = given ?? providerOfDelivery(delivery);
  const row = provider && providers[provider];
  if (hooked.webhookSecret !== null && !(row?.isSigned ?? plainSignature)(delivery, hooked.webhookSecret))
    throw unsigned('the webhookSecret of this service');
  if (!row) {
    requireAutoDeploy(hooked);
    return once(undefined, () =>
      deploy(hooked, {
        provider,
        ip: delivery.ip,
        title: 'Webhook deployment',
        description: '',
        commit: undefined,
      }),
    );
  }
  const events = row.read(delivery.headers[row.eventHeader] ?? '', payloadOf(delivery));
  if (isPing(events)) return { ping: true };
  // What is refused is no delivery that was seen.
  if (events.some((event) => event.kind === 'push')) requireAutoDeploy(hooked);
  const id = deliveryIdOf(delivery, row);
  const source = hooked.webhookSecret === null ? 'unsigned' : 'signed';
  return once(id && `${hooked.ref.serviceId}:${provider}:${id}`, () =>
    firstQueued(events, (event) => carryOut(hooked, provider, event, { ip: delivery.ip, source })),
  );
}

async function toGithubApp(
  store: WebhookStore,
  { once, carryOut }: Outcomes,
  delivery: Delivery,
): Promise<HookAnswer> {
  const row = providers.github;
  const links = await store.githubApps(delivery.headers[appIdHeader] ?? '');
  const signers = links.filter(
    ({ webhookSecret }) => webhookSecret !== null && row.isSigned(delivery, webhookSecret),
  );
  if (signers.length === 0)
    throw unsigned('the webhookSecret of a GitHub App that is linked here (gitProvider.create)');
  const payload = payloadOf(delivery);
  const events = row.read(delivery.headers[row.eventHeader] ?? '', payload);
  if (isPing(events)) return { ping: true };
  const { installationId, repository } = targetOf(payload);
  const named = await Promise.all(
    signers
      .filter((link) => link.installationId === installationId)
      .map((link) => store.applicationsOf(link.gitProviderId, link.organizationId)),
  );
  const targets = named
    .flat()
    .filter((application) => isOf(application, repository))
    .map(hookedApplication);
  const takers = targets.filter(
    (hooked) => hooked.autoDeploy || events.some((event) => event.kind !== 'push'),
  );
  if (targets.length > 0 && takers.length === 0)
    throw autoDeployOff(targets.map(({ name }) => name).join(', '));
  const id = deliveryIdOf(delivery, row);
  return firstQueued(takers, (hooked) =>
    once(id && `${hooked.ref.serviceId}:github-app:${id}`, () =>
      firstQueued(events, (event) =>
        carryOut(hooked, 'github', event, { ip: delivery.ip, source: 'signed' }),
      ),
    ),
  );
}

const isPing = (events: readonly HookEvent[]): boolean =>
  events.length > 0 && events.every(({ kind }) => kind === 'ping');

/** All of them, one after another; one that was queued speaks for all, else the last. */
async function firstQueued<T>(
  items: readonly T[],
  work: (item: T) => Promise<HookAnswer>,
): Promise<HookAnswer> {
  let answer: HookAnswer = { skipped: 'no application here deploys this repository' };
  for (const item of items) {
    const next = await work(item);
    if (!('queued' in answer)) answer = next;
  }
  return answer;
}

function unsigned(secret: string): AppError {
  return new AppError(
    'UNAUTHORIZED',
    `The webhook is not signed with ${secret}. Set the same secret at the git host.`,
  );
}
