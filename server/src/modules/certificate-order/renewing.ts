/** Certificates asked for when they are due: each order by itself, one process at a time, across restarts. */
import { isFirstAttempt } from '../../domain/certificates/by-dns.ts';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import type { TellFact } from '../../domain/states/fact.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { IssuedPair } from './issue.ts';
import type { OrderRecord, OrderStore } from './store.ts';

export interface RenewingDeps {
  store: OrderStore;
  clock: Clock;
  issue(order: OrderRecord, signal: AbortSignal): Promise<IssuedPair>;
  /** Stores the certificate in the place of the former one and gives it to the proxy, with `within`. */
  keep(
    order: OrderRecord,
    pair: IssuedPair,
    within: (stored: StoredCertificate) => Promise<void>,
  ): Promise<void>;
  /** End of the certificate that is there (epoch ms); undefined without one. */
  endOf(order: OrderRecord): Promise<number | undefined>;
  /** Whether an automatic order has something left that it is for. */
  isNeeded(order: OrderRecord): Promise<boolean>;
  /** Called after a first attempt failed: hosts that waited for it ask authorities themselves. */
  firstFailed(order: OrderRecord): Promise<void>;
  /** Orders certificates that base domains lack. */
  lookAtBases(): Promise<unknown>;
  /** Tells whoever looks at the order. */
  changed(order: OrderRecord): Promise<void>;
  tell: TellFact;
  /** Removes TXT records that an attempt left behind. */
  sweep(): Promise<void>;
  /** What nobody expected, and neither provider nor authority is to blame for. */
  onFault(error: unknown): void;
}

/** A certificate as it was stored; dates in ISO 8601. */
export interface StoredCertificate {
  certificateId: string;
  notBefore: string;
  expirationDate: string;
}

export interface Renewing {
  /** Begins what is due; an order that takes its time holds up no other. */
  tick(): Promise<void>;
  stop(): Promise<void>;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Pauses after failures, of which authorities allow few (Let's Encrypt: five an hour for a name). */
const retryMs = [10, 30, 60, 180, 360, 720, 1440].map((minutes) => minutes * minuteMs);
const longestPauseMs = 7 * dayMs;
const renewalMs = 30 * dayMs;
/** A process that died holds an order up for so long; one that lives prolongs it. */
const leaseMs = 90_000;
const prolongMs = 30_000;
const mostAtOnce = 4;

export function createRenewing(deps: RenewingDeps): Renewing {
  const { store, clock } = deps;
  const holder = randomId();
  const busy = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  async function attempt(certificateOrderId: string): Promise<void> {
    const lease = (until: number): Promise<boolean> =>
      store.lease(certificateOrderId, { holder, now: clock.now(), until });
    if (!(await lease(clock.now() + leaseMs))) return;
    const prolonging = setInterval(() => void lease(clock.now() + leaseMs).catch(deps.onFault), prolongMs);
    try {
      const order = await store.find({ certificateOrderId });
      if (order && order.nextAt <= clock.now()) await askFor(deps, order, stopping.signal);
    } finally {
      clearInterval(prolonging);
      await lease(0);
    }
  }
  return {
    async tick() {
      if (stopping.signal.aborted) return;
      await deps.sweep();
      await deps.lookAtBases();
      for (const { certificateOrderId } of await store.due(clock.now())) {
        if (busy.size >= mostAtOnce) return;
        if (busy.has(certificateOrderId)) continue;
        const work = attempt(certificateOrderId)
          .catch(deps.onFault)
          .finally(() => busy.delete(certificateOrderId));
        busy.set(certificateOrderId, work);
      }
    },
    async stop() {
      stopping.abort(new AppError('SERVICE_UNAVAILABLE', 'Berth is being stopped.'));
      await Promise.all(busy.values());
    },
  };
}

async function askFor(deps: RenewingDeps, order: OrderRecord, signal: AbortSignal): Promise<void> {
  if (order.isAutomatic && !(await deps.isNeeded(order))) {
    await deps.store.remove({ certificateOrderId: order.certificateOrderId });
    return deps.changed(order);
  }
  await tellLate(deps, order);
  try {
    const pair = await deps.issue(order, signal);
    await deps.keep(order, pair, (stored) => noteIssued(deps, order, stored));
  } catch (error) {
    // The next start takes it up where it stands.
    if (signal.aborted) return;
    if (!(error instanceof AppError)) deps.onFault(error);
    await noteFailed(deps, order, error);
    if (isFirstAttempt(order)) await deps.firstFailed(order);
  }
  await deps.changed(order);
}

async function noteIssued(
  { store, clock }: RenewingDeps,
  { certificateOrderId }: OrderRecord,
  { certificateId, notBefore, expirationDate }: StoredCertificate,
): Promise<void> {
  await store.update(
    { certificateOrderId },
    {
      certificateId,
      status: 'issued',
      error: null,
      attempts: 0,
      issuedAt: isoTime(clock),
      nextAt: renewalAt(Date.parse(notBefore), Date.parse(expirationDate)),
    },
  );
}

/** 30 days before the end; of one that lives less than 90 days when a third of its life is left. */
export function renewalAt(notBefore: number, expiresAt: number): number {
  return Math.floor(expiresAt - Math.min(renewalMs, (expiresAt - notBefore) / 3));
}

/**
 * Milliseconds until an order is tried again. A provider or an authority may ask for a longer pause, but not
 * for one without end.
 */
export function pauseAfter(attempts: number, asked = 0): number {
  return Math.max(retryMs[attempts] ?? dayMs, Math.min(asked, longestPauseMs));
}

async function noteFailed(
  { store, clock, tell }: RenewingDeps,
  order: OrderRecord,
  error: unknown,
): Promise<void> {
  const { certificateOrderId, attempts } = order;
  const sentence =
    error instanceof AppError
      ? sentenceOf(error)
      : 'Something went wrong inside Berth; its log has the reason.';
  const pause = pauseAfter(attempts, error instanceof AppError ? error.retryAfterMs : undefined);
  await store.update(
    { certificateOrderId },
    { status: 'failed', error: sentence, attempts: attempts + 1, nextAt: clock.now() + pause },
  );
  if (attempts === 0 || order.error !== sentence)
    await tell({ ...subjectOf(order), event: 'certificateFailed', sentence });
}

/** Berth was away while the certificate should have been renewed, or renewals failed until its end. */
async function tellLate({ endOf, clock, tell }: RenewingDeps, order: OrderRecord): Promise<void> {
  const end = await endOf(order);
  if (end === undefined || end > clock.now() || order.attempts > 0) return;
  await tell({
    ...subjectOf(order),
    event: 'certificateExpiring',
    sentence:
      `The certificate ${order.name} ended at ${new Date(end).toISOString()} while Berth was away, and is ` +
      'asked for now. Browsers warn of its hosts until it is there.',
  });
}

function subjectOf({ organizationId, certificateOrderId: id, name }: OrderRecord) {
  return { organizationId, subject: { type: 'certificateOrder', id, name } };
}
