/**
 * Sends what waits, each channel by itself and in its order: a message that is not taken holds up those
 * behind it, and is tried again until it is too old. After a crash an attempt may be made twice, never none.
 */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { noticeOf } from './notice.ts';
import type { Send } from './sending.ts';
import type { DeliveryRecord, NotificationRecord, NotificationStore } from './store.ts';

export interface DispatchPorts {
  store: NotificationStore;
  send: Send;
  clock: Clock;
  /** What nobody expected, and no channel is to blame for. */
  onFault(error: unknown): void;
}

export interface Dispatch {
  /**
   * Begins to send what is due now, each channel by itself: one that takes its time holds up no other. A
   * channel that is still busy goes on as it is.
   */
  begin(): Promise<void>;
  /** The same; resolves when each channel has nothing more or refused. */
  tick(): Promise<void>;
  stop(): Promise<void>;
}

const secondMs = 1000;
const retryMs = [5, 15, 60, 180, 600].map((seconds) => seconds * secondMs);
const longestRetryMs = 15 * 60 * secondMs;
/** What happened so long ago is no news. */
const giveUpAfterMs = 3 * 24 * 3_600_000;
const errorLimit = 1000;
/** Longer than any attempt takes; a process that died holds a channel up for so long. */
const leaseMs = 60_000;

export function createDispatch(ports: DispatchPorts): Dispatch {
  const { store, clock } = ports;
  const busy = new Map<string, Promise<void>>();
  const holder = randomId();
  let isStopped = false;

  /** Of several processes on one database one at a time sends to a channel: its order would be lost. */
  async function drain(notificationId: string): Promise<void> {
    const lease = (until: number): Promise<boolean> =>
      store.lease(notificationId, { holder, now: clock.now(), until });
    if (!(await lease(clock.now() + leaseMs))) return;
    try {
      await sendAll(notificationId, () => lease(clock.now() + leaseMs));
    } finally {
      await lease(0);
    }
  }
  async function sendAll(notificationId: string, prolong: () => Promise<boolean>): Promise<void> {
    while (!isStopped && (await prolong())) {
      const delivery = await store.head(notificationId, clock.now());
      if (!delivery || delivery.nextAt > clock.now()) return;
      const channel = await store.find({ notificationId });
      if (!channel || !(await deliver(ports, channel, delivery))) return;
    }
  }
  async function begin(): Promise<void> {
    if (isStopped) return;
    for (const notificationId of await store.due(clock.now())) {
      if (busy.has(notificationId)) continue;
      const work = drain(notificationId)
        .catch(ports.onFault)
        .finally(() => busy.delete(notificationId));
      busy.set(notificationId, work);
    }
  }
  return {
    begin,
    async tick() {
      await begin();
      await Promise.all(busy.values());
    },
    async stop() {
      isStopped = true;
      await Promise.all(busy.values());
    },
  };
}

/** Gives whether the next one may follow at once. */
async function deliver(
  { store, send, clock, onFault }: DispatchPorts,
  channel: NotificationRecord,
  delivery: DeliveryRecord,
): Promise<boolean> {
  const { notificationId } = channel;
  const { deliveryId, attempts, dueAt } = delivery;
  try {
    await send(channel, noticeOf(delivery.notice, delivery.isSummary));
  } catch (error) {
    if (!(error instanceof AppError)) onFault(error);
    const now = clock.now();
    const isTooOld = now - dueAt >= giveUpAfterMs;
    const nextAt = now + (retryMs[attempts] ?? longestRetryMs);
    await store.transaction(async () => {
      // The channel first, as whoever tells a fact does.
      await store.update({ notificationId }, failure(error, clock));
      await store.deliveries.update(
        { deliveryId, state: 'queued' },
        isTooOld ? { state: 'given up' } : { attempts: attempts + 1, nextAt },
      );
    });
    return isTooOld;
  }
  await store.transaction(async () => {
    await store.update({ notificationId }, success(clock));
    await store.deliveries.update({ deliveryId }, { state: 'sent', attempts: attempts + 1 });
  });
  return true;
}

export function success(clock: Clock): Partial<NotificationRecord> {
  return { lastSentAt: isoTime(clock), lastError: null, lastErrorAt: null };
}

export function failure(error: unknown, clock: Clock): Partial<NotificationRecord> {
  const sentence = error instanceof AppError ? sentenceOf(error) : 'Something went wrong inside Berth.';
  return { lastError: sentence.slice(0, errorLimit), lastErrorAt: isoTime(clock) };
}
