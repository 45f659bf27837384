/** Calls of procedures that Berth makes itself, for somebody who was allowed to ask for them. */
import type { DatabaseRecord } from '../db/tables.ts';
import type { TableStore } from '../db/table-store.ts';
import { noGrants } from '../domain/access/permissions.ts';
import { AppError } from '../domain/errors.ts';
import type { Actor } from '../procedure/context.ts';
import type { Guard } from '../procedure/guard.ts';
import type { Registry } from '../procedure/registry.ts';

export interface OwnerCalls {
  guard: Pick<Guard, 'call'>;
  registry: Registry;
  stores: { databases: Pick<TableStore<'database'>, 'find'> };
}

export interface Call {
  path: string;
  input: Record<string, unknown>;
}

/** The removal of a database with its data. */
export const removalOf = ({ kind, databaseId }: Pick<DatabaseRecord, 'kind' | 'databaseId'>): Call => ({
  path: `${kind}.remove`,
  input: { [`${kind}Id`]: databaseId },
});

/** What was allowed once is done, whatever its caller may do by now. */
export async function callAsOwner(
  { guard, registry }: Pick<OwnerCalls, 'guard' | 'registry'>,
  { userId, organizationId }: Pick<Actor, 'userId' | 'organizationId'>,
  { path, input }: Call,
): Promise<void> {
  const target = registry.get(path);
  if (!target) throw new AppError('INTERNAL_SERVER_ERROR', `There is no procedure ${path}.`);
  const actor: Actor = {
    userId,
    organizationId,
    role: 'owner',
    grants: noGrants,
    apiKeyId: undefined,
    sessionId: undefined,
    permissions: undefined,
  };
  const caller = { authenticate: async () => actor, ip: '', signal: new AbortController().signal };
  await guard.call(target, caller, input);
}
