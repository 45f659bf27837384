/** What came of each delivery is written down, so that a person sees why nothing was deployed. */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import type { HookEvent } from '../../domain/git/git-event.ts';
import type { GitProvider } from '../../domain/git/git-host.ts';
import { oneLine } from '../../domain/text/words.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import { createSequence } from '../../ports/sequence.ts';
import type { Hooked } from './hooked.ts';
import type { HookAnswer } from './answer.ts';
import type { ReceiptRecord, ReceiptStore } from './store.ts';

/** A delivery that is known to be for a service. */
export interface Receipt {
  webhookDeliveryId: string;
  hooked: Hooked;
  provider: GitProvider | undefined;
  hostDeliveryId: string | undefined;
  /** Undefined where it was refused before it was read; such a one is never replayed. */
  events: readonly HookEvent[] | undefined;
  source: 'signed' | 'unsigned';
  replayOf?: string | undefined;
}

export interface Receipts {
  /** Part of the transaction of what it tells of. */
  note(receipt: Receipt, answer: HookAnswer): Promise<ReceiptRecord | undefined>;
  refused(receipt: Receipt, error: unknown): Promise<ReceiptRecord | undefined>;
  /** Outside of transactions: two of them would wait for each other. */
  prune(hooked: Hooked): Promise<void>;
}

const kept = 100;
const summaryLimit = 300;
const reasonLimit = 1000;
/** Of events that are kept to be replayed, as JSON. */
const eventsLimit = 64 * 1024;

export function createReceipts(store: ReceiptStore, clock: Clock): Receipts {
  const nextSequence = createSequence(clock);
  async function add(
    { webhookDeliveryId, hooked, provider, hostDeliveryId, events, source, replayOf }: Receipt,
    end: Pick<ReceiptRecord, 'outcome' | 'reason' | 'deploymentId'>,
  ): Promise<ReceiptRecord> {
    const record: ReceiptRecord = {
      webhookDeliveryId,
      organizationId: hooked.organizationId,
      ...ownerOf(hooked),
      provider: provider ?? null,
      hostDeliveryId: hostDeliveryId ?? null,
      summary: oneLine(summaryOf(events), summaryLimit),
      ...end,
      events: events !== undefined && JSON.stringify(events).length <= eventsLimit ? [...events] : null,
      source,
      replayOf: replayOf ?? null,
      receivedAt: isoTime(clock),
      sequence: nextSequence(),
    };
    await store.insert(record);
    return record;
  }
  return {
    async note(receipt, answer) {
      if ('ping' in answer) return undefined;
      if ('queued' in answer)
        return add(receipt, { outcome: 'queued', reason: null, deploymentId: answer.deploymentId ?? null });
      if ('skipped' in answer)
        return add(receipt, { outcome: 'skipped', reason: answer.skipped, deploymentId: null });
      const reason = 'The git host had sent this delivery before.';
      return add(receipt, { outcome: 'duplicate', reason, deploymentId: null });
    },
    async refused(receipt, error) {
      if (!(error instanceof AppError)) return undefined;
      const reason = sentenceOf(error).slice(0, reasonLimit);
      return add(receipt, { outcome: 'refused', reason, deploymentId: null });
    },
    prune: (hooked) => store.prune(ownerOf(hooked), kept),
  };
}

export function ownerOf({ ref }: Hooked): Pick<ReceiptRecord, 'applicationId' | 'composeId'> {
  return ref.kind === 'application'
    ? { applicationId: ref.serviceId, composeId: null }
    : { applicationId: null, composeId: ref.serviceId };
}

function summaryOf(events: readonly HookEvent[] | undefined): string {
  if (events === undefined) return 'not read';
  const words = events.map((event) => {
    switch (event.kind) {
      case 'push':
        return `push to the ${event.refKind} ${event.ref}${event.message === '' ? '' : `: ${event.message}`}`;
      case 'pullRequest':
        return `pull request ${event.number} (${event.action}): ${event.title}`;
      case 'ping':
        return 'ping';
      case 'other':
        return event.name;
    }
  });
  return words.length === 0 ? 'a call without an event' : words.join('; ');
}
