/** Tries deletions again that did not end everything, by the procedure that was asked for. */
import { noGrants } from '../domain/access/permissions.ts';
import { AppError } from '../domain/errors.ts';
import type {
  UnfinishedDeletion,
  UnfinishedDeletions,
} from '../modules/unfinished-deletion/unfinished-deletion.ts';
import type { Actor } from '../procedure/context.ts';
import type { Guard } from '../procedure/guard.ts';
import type { Registry } from '../procedure/registry.ts';
import type { TableStore } from '../db/table-store.ts';

export interface FinishingDeps {
  unfinished: Pick<UnfinishedDeletions, 'turn'>;
  guard: Pick<Guard, 'call'>;
  registry: Registry;
  stores: { databases: Pick<TableStore<'database'>, 'find'> };
}

/** To be called each minute. */
export function finishDeletions({ unfinished, guard, registry, stores }: FinishingDeps): Promise<void> {
  return unfinished.turn(async (deletion) => {
    const { path, input } = await callOf(deletion, stores);
    const target = registry.get(path);
    if (!target) throw new AppError('INTERNAL_SERVER_ERROR', `There is no procedure ${path}.`);
    const caller = {
      authenticate: async () => actorOf(deletion),
      ip: '',
      signal: new AbortController().signal,
    };
    await guard.call(target, caller, input);
  });
}

async function callOf(
  { kind, serviceId, deleteVolumes }: UnfinishedDeletion,
  { databases }: FinishingDeps['stores'],
): Promise<{ path: string; input: Record<string, unknown> }> {
  if (kind !== 'database')
    return { path: `${kind}.delete`, input: { [`${kind}Id`]: serviceId, deleteVolumes } };
  const database = await databases.find({ databaseId: serviceId });
  if (!database) throw new AppError('NOT_FOUND', 'The database is gone.');
  return { path: `${database.kind}.remove`, input: { [`${database.kind}Id`]: serviceId } };
}

/** What was allowed once is finished, whatever its caller may do by now. */
function actorOf({ userId, organizationId }: UnfinishedDeletion): Actor {
  return {
    userId,
    organizationId,
    role: 'owner',
    grants: noGrants,
    apiKeyId: undefined,
    sessionId: undefined,
    permissions: undefined,
  };
}
