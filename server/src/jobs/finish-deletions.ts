/** Tries deletions again that did not end everything, by the procedure that was asked for. */
import { AppError } from '../domain/errors.ts';
import type {
  UnfinishedDeletion,
  UnfinishedDeletions,
} from '../modules/unfinished-deletion/unfinished-deletion.ts';
import { callAsOwner, removalOf, type Call, type OwnerCalls } from './call-as-owner.ts';

export interface FinishingDeps extends OwnerCalls {
  unfinished: Pick<UnfinishedDeletions, 'turn'>;
}

/** To be called each minute. */
export function finishDeletions({ unfinished, stores, ...calls }: FinishingDeps): Promise<void> {
  return unfinished.turn(async (deletion) => callAsOwner(calls, deletion, await callOf(deletion, stores)));
}

async function callOf(
  { kind, serviceId, deleteVolumes }: UnfinishedDeletion,
  { databases }: FinishingDeps['stores'],
): Promise<Call> {
  if (kind !== 'database')
    return { path: `${kind}.delete`, input: { [`${kind}Id`]: serviceId, deleteVolumes } };
  const database = await databases.find({ databaseId: serviceId });
  if (!database) throw new AppError('NOT_FOUND', 'The database is gone.');
  return removalOf(database);
}
