/**
 * Turns facts into messages: each channel of the organization that wants the event gets one, stored in the
 * same transaction as the fact. Within five minutes a group (an event and its subject) sends one message and
 * a channel twenty; whatever else happens then goes into one summary.
 */
import type { StoredNotice } from '../../db/stored-types.ts';
import { groupOf, type Fact, type TellFact } from '../../domain/states/fact.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { createSequence } from '../../ports/sequence.ts';
import type { DeliveryRecord, NotificationRecord, NotificationStore } from './store.ts';

export const quietMs = 5 * 60_000;
/** Number of single messages of a channel within `quietMs`, and of messages that may wait for it. */
export const mostSingle = 20;
export const mostWaiting = 200;
/** How long before it is due a summary takes no more facts, since they could come after it was sent. */
const closingMs = 2000;
/** Number of sentences that a summary quotes. */
const mostSentences = 10;
/** The group of all facts, of any event, that are too many for single messages. */
const everything = '*';

export interface TellingPorts {
  store: NotificationStore;
  clock: Clock;
  /** Called when a fact could not be stored; what happened stays done all the same. */
  onFault(error: unknown): void;
}

export function createTelling(ports: TellingPorts): TellFact {
  const { store, clock, onFault } = ports;
  const nextSequence = createSequence(clock);
  return async (fact) => {
    try {
      await store.attempt(async () => {
        await store.hold(fact.organizationId);
        const wanting = (await store.list({ organizationId: fact.organizationId, enabled: true })).filter(
          ({ events }) => events.includes(fact.event),
        );
        const notice = firstNotice(fact, isoTime(clock));
        for (const channel of wanting)
          await add(store, channel, { fact, notice, now: clock.now(), sequence: nextSequence() });
      });
    } catch (error) {
      onFault(error);
    }
  };
}

interface Told {
  fact: Fact;
  notice: StoredNotice;
  now: number;
  sequence: number;
}

async function add(store: NotificationStore, channel: NotificationRecord, told: Told): Promise<void> {
  const { fact, now } = told;
  const { notificationId } = channel;
  const own = groupOf(fact);
  const former = await store.newestOf(notificationId, own);
  const isQuiet = former !== undefined && former.opensAt + quietMs > now;
  if (isQuiet && former.isSummary && former.opensAt > now + closingMs) return gather(store, former, told);
  const { recent, waiting } = await store.countOf(notificationId, now - quietMs);
  if (recent >= mostSingle || waiting >= mostWaiting) {
    const flood = await store.newestOf(notificationId, everything);
    if (flood && flood.state === 'queued' && flood.attempts === 0 && flood.opensAt > now + closingMs)
      return gather(store, flood, told);
    return insert(store, channel, told, { group: everything, opensAt: now + quietMs, isSummary: true });
  }
  const at = isQuiet
    ? { opensAt: former.opensAt + quietMs, isSummary: true }
    : { opensAt: now, isSummary: false };
  await insert(store, channel, told, { group: own, ...at });
}

async function insert(
  store: NotificationStore,
  { notificationId, organizationId }: NotificationRecord,
  { notice, sequence }: Told,
  { group, opensAt, isSummary }: { group: string; opensAt: number; isSummary: boolean },
): Promise<void> {
  await store.deliveries.insert({
    deliveryId: randomId(),
    notificationId,
    organizationId,
    factGroup: group,
    isSummary,
    notice: isSummary ? { ...notice, id: randomId() } : notice,
    state: 'queued',
    attempts: 0,
    opensAt,
    dueAt: opensAt,
    nextAt: opensAt,
    sequence,
  });
}

async function gather(
  store: NotificationStore,
  summary: DeliveryRecord,
  { fact, notice }: Told,
): Promise<void> {
  const { id, at, subject, sentences, counts } = summary.notice;
  await store.deliveries.update(
    { deliveryId: summary.deliveryId },
    {
      notice: {
        id,
        at,
        subject: subject?.type === fact.subject.type && subject.id === fact.subject.id ? subject : null,
        sentences: [...sentences, ...notice.sentences].slice(-mostSentences),
        counts: { ...counts, [fact.event]: (counts[fact.event] ?? 0) + 1 },
      },
    },
  );
}

const sentenceLimit = 1500;

function firstNotice({ event, subject, sentence }: Fact, at: string): StoredNotice {
  return {
    id: randomId(),
    at,
    subject,
    sentences: [sentence.slice(0, sentenceLimit)],
    counts: { [event]: 1 },
  };
}
