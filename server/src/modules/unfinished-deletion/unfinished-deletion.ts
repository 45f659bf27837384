/**
 * Deletions that removed a service and did not see the end of its containers: the service keeps its record,
 * and its deletion is tried again until nothing of it is left.
 */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { UnfinishedDeletionStore } from './store.ts';

export type UnfinishedDeletion = TableRecord<'unfinished_deletion'>;

/** A deletion as its caller asked for it. */
export type AskedDeletion = Pick<
  UnfinishedDeletion,
  'kind' | 'serviceId' | 'organizationId' | 'serverKey' | 'name' | 'deleteVolumes' | 'userId'
>;

/** The deletion of a service by its record, for the person who asks for it. */
export function askedDeletion(
  kind: AskedDeletion['kind'],
  record: { organizationId: string; name: string; serverId: string | null },
  asked: Pick<AskedDeletion, 'serviceId' | 'userId' | 'deleteVolumes'>,
): AskedDeletion {
  const { organizationId, name } = record;
  return { kind, organizationId, name, serverKey: serverKeyOf(record), ...asked };
}

export interface UnfinishedDeletions {
  /** Writes down that it goes on, and why. */
  keep(deletion: AskedDeletion, reason: string): Promise<void>;
  /** Of one organization, or of all; the oldest first. */
  all(organizationId?: string): Promise<UnfinishedDeletion[]>;
  /** Tries each once more; forgets those that are done, and those whose service somebody started since. */
  turn(again: (deletion: UnfinishedDeletion) => Promise<unknown>): Promise<void>;
}

export function createUnfinishedDeletions(store: UnfinishedDeletionStore, clock: Clock): UnfinishedDeletions {
  const now = (): string => isoTime(clock);
  return {
    keep: (deletion, reason) =>
      store.transaction(async () => {
        const { serviceId } = deletion;
        const present = await store.find({ serviceId });
        await store.remove({ serviceId });
        const since = present?.since ?? now();
        await store.insert({ ...deletion, since, reason, triedAt: now(), tries: (present?.tries ?? 0) + 1 });
      }),
    all: (organizationId) =>
      store.list(organizationId === undefined ? {} : { organizationId }, {
        by: ['since', 'serviceId'],
        direction: 'asc',
      }),
    async turn(again) {
      for (const deletion of await store.list({})) await tryAgain(store, deletion, again);
    },
  };
}

async function tryAgain(
  store: UnfinishedDeletionStore,
  deletion: UnfinishedDeletion,
  again: (deletion: UnfinishedDeletion) => Promise<unknown>,
): Promise<void> {
  const { serviceId } = deletion;
  const isDone =
    (await store.isStillMeant(deletion)) !== true ||
    (await again(deletion).then(
      () => true,
      async (error: unknown) => {
        if (error instanceof AppError && error.code === 'NOT_FOUND') return true;
        await store.update({ serviceId }, { reason: sentenceOf(error) });
        return false;
      },
    ));
  if (isDone) await store.remove({ serviceId });
}
