/**
 * Webhooks of git hosts: whom a delivery is for, whether it is genuine, and what comes of it (decisions 11).
 */
import { AppError } from '../../domain/errors.ts';
import type { HookEvent } from '../../domain/git/git-event.ts';
import type { GitProvider } from '../../domain/git/git-host.ts';
import { isOf } from '../../domain/git/git-repository.ts';
import { randomId, type Clock } from '../../ports/clock.ts';
import { deliveryIdOf, payloadOf, targetOf, type Delivery } from './delivery.ts';
import {
  autoDeployOff,
  composeHooked,
  findHooked,
  hookedApplication,
  requireAutoDeploy,
  type Hooked,
  type HookedKind,
} from './hooked.ts';
import { createOutcomes, firstQueued, type OutcomeNeighbours, type Outcomes } from './outcomes.ts';
import type { HookAnswer } from './answer.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { providerOfDelivery, providers } from './providers/providers.ts';
import { refuseUnsupported } from './providers/unsupported.ts';
import { createReceipts, type Receipt, type Receipts } from './receipts.ts';
import { signedByHmac } from './providers/signature.ts';
import type { ReceiptStore, WebhookStore } from './store.ts';

export interface Webhooks {
  /**
   * NOT_FOUND for an unknown token, UNAUTHORIZED without the right signature, BAD_REQUEST when autoDeploy is
   * off. Without a provider it is found by the delivery's headers.
   */
  toService(kind: HookedKind, token: string, delivery: Delivery, provider?: GitProvider): Promise<HookAnswer>;
  /** For every service whose link is this App; UNAUTHORIZED unless one of the links signed it. */
  toGithubApp(delivery: Delivery): Promise<HookAnswer>;
  /** Throws what `toService` throws for an unknown token. */
  expectsService(kind: HookedKind, token: string): Promise<void>;
  /** Throws what `toGithubApp` throws where no link is the App that the headers name. */
  expectsGithubApp(headers: Delivery['headers']): Promise<void>;
  /** What came of them, for people. */
  deliveries: Deliveries;
}

const plainSignature = signedByHmac(['x-hub-signature-256']);
const appIdHeader = 'x-github-hook-installation-target-id';

export function createWebhooks(
  store: WebhookStore,
  receiptStore: ReceiptStore,
  neighbours: OutcomeNeighbours,
  clock: Clock,
): Webhooks {
  const receipts = createReceipts(receiptStore, clock);
  const outcomes = createOutcomes(store, neighbours, receipts, clock);
  const parts: Parts = { store, outcomes, receipts };
  return {
    toService: (kind, token, delivery, provider) => toService(parts, { kind, token, delivery, provider }),
    toGithubApp: (delivery) => toGithubApp(parts, delivery),
    expectsService: async (kind, token) => void (await hookedBy(store, kind, token)),
    async expectsGithubApp(headers) {
      const links = await store.githubApps(headers[appIdHeader] ?? '');
      if (links.every(({ webhookSecret }) => webhookSecret === null)) throw noSigner();
    },
    deliveries: createDeliveries(receiptStore, outcomes, receipts),
  };
}

interface Parts {
  store: WebhookStore;
  outcomes: Outcomes;
  receipts: Receipts;
}

interface Call {
  kind: HookedKind;
  token: string;
  delivery: Delivery;
  provider: GitProvider | undefined;
}

async function toService(
  parts: Parts,
  { kind, token, delivery, provider: given }: Call,
): Promise<HookAnswer> {
  const hooked = await hookedBy(parts.store, kind, token);
  const provider = given ?? providerOfDelivery(delivery);
  const row = provider && providers[provider];
  const receipt: Receipt = {
    webhookDeliveryId: randomId(),
    hooked,
    provider,
    hostDeliveryId: row && deliveryIdOf(delivery, row),
    events: undefined,
    source: hooked.webhookSecret === null ? 'unsigned' : 'signed',
  };
  return receipted(parts.receipts, receipt, () => taken(parts.outcomes, receipt, delivery));
}

async function hookedBy(store: WebhookStore, kind: HookedKind, token: string): Promise<Hooked> {
  const hooked = await findHooked(store, kind, token);
  if (hooked) return hooked;
  throw new AppError(
    'NOT_FOUND',
    'There is no service with this webhook address. Its token may have been changed; ' +
      'application.one shows the present one as refreshToken.',
  );
}

/** The receipt gets what was read, so that it is there whatever comes of it. */
async function taken({ once, carryOut, deploy }: Outcomes, receipt: Receipt, delivery: Delivery) {
  const { hooked, provider, hostDeliveryId: id, source } = receipt;
  const row = provider && providers[provider];
  refuseUnsupported(delivery);
  if (hooked.webhookSecret !== null && !(row?.isSigned ?? plainSignature)(delivery, hooked.webhookSecret))
    throw unsigned('the webhookSecret of this service');
  if (!row) {
    requireAutoDeploy(hooked);
    const { ip } = delivery;
    const words = { title: 'Webhook deployment', description: '' };
    return once({ key: undefined, receipt }, () => deploy(hooked, { provider, ip, ...words }));
  }
  const events = row.read(delivery.headers[row.eventHeader] ?? '', payloadOf(delivery));
  if (isPing(events)) return { ping: true } as const;
  receipt.events = events;
  // What is refused is no delivery that was seen.
  if (events.some((event) => event.kind === 'push')) requireAutoDeploy(hooked);
  const key = id && `${hooked.ref.serviceId}:${provider}:${id}`;
  return once({ key, receipt }, () =>
    firstQueued(events, (event) =>
      carryOut(hooked, provider, event, {
        ip: delivery.ip,
        source,
        webhookDeliveryId: receipt.webhookDeliveryId,
      }),
    ),
  );
}

/** What is refused is written down by itself: nothing else came of it. */
async function receipted(
  receipts: Receipts,
  receipt: Receipt,
  work: () => Promise<HookAnswer>,
): Promise<HookAnswer> {
  try {
    return await work();
  } catch (error) {
    await receipts.refused(receipt, error);
    throw error;
  } finally {
    await receipts.prune(receipt.hooked);
  }
}

async function toGithubApp({ store, outcomes, receipts }: Parts, delivery: Delivery): Promise<HookAnswer> {
  const row = providers.github;
  const links = await store.githubApps(delivery.headers[appIdHeader] ?? '');
  const signers = links.filter(
    ({ webhookSecret }) => webhookSecret !== null && row.isSigned(delivery, webhookSecret),
  );
  if (signers.length === 0) throw noSigner();
  const payload = payloadOf(delivery);
  const events = row.read(delivery.headers[row.eventHeader] ?? '', payload);
  if (isPing(events)) return { ping: true };
  const targets = await targetsOf(store, signers, targetOf(payload));
  const takers = targets.filter(
    (hooked) => hooked.autoDeploy || events.some((event) => event.kind !== 'push'),
  );
  const id = deliveryIdOf(delivery, row);
  const receiptOf = (hooked: Hooked): Receipt => ({
    webhookDeliveryId: randomId(),
    hooked,
    provider: 'github',
    hostDeliveryId: id,
    events,
    source: 'signed',
  });
  const from = { ip: delivery.ip, source: 'signed' as const };
  const answer = await firstQueued(targets, (hooked) => {
    const receipt = receiptOf(hooked);
    const { webhookDeliveryId } = receipt;
    return receipted(receipts, receipt, () =>
      outcomes.once(
        {
          // What its settings refuse is no delivery that was seen.
          key: id && takers.includes(hooked) ? `${hooked.ref.serviceId}:github-app:${id}` : undefined,
          receipt,
        },
        async () =>
          takers.includes(hooked)
            ? firstQueued(events, (event) =>
                outcomes.carryOut(hooked, 'github', event, { ...from, webhookDeliveryId }),
              )
            : { skipped: autoDeployOff(hooked.name).message },
      ),
    );
  });
  if (targets.length > 0 && takers.length === 0)
    throw autoDeployOff(targets.map(({ name }) => name).join(', '));
  return answer;
}

async function targetsOf(
  store: WebhookStore,
  signers: Awaited<ReturnType<WebhookStore['githubApps']>>,
  { installationId, repository }: ReturnType<typeof targetOf>,
): Promise<Hooked[]> {
  const links = signers.filter((link) => link.installationId === installationId);
  const named = await Promise.all(
    links.map(async ({ gitProviderId, organizationId }) => [
      ...(await store.applicationsOf(gitProviderId, organizationId)).map(hookedApplication),
      ...(await store.composesOf(gitProviderId, organizationId)).map(composeHooked),
    ]),
  );
  return named.flat().filter(({ source }) => isOf(source, repository));
}

const isPing = (events: readonly HookEvent[]): boolean =>
  events.length > 0 && events.every(({ kind }) => kind === 'ping');

function unsigned(secret: string): AppError {
  return new AppError(
    'UNAUTHORIZED',
    `The webhook is not signed with ${secret}. Set the same secret at the git host.`,
  );
}

const noSigner = (): AppError =>
  unsigned('the webhookSecret of a GitHub App that is linked here (gitProvider.create)');
