/**
 * Gives networks of environments and compose services their index in the address pool: the lowest that
 * neither a record nor the engine has. An organization other than the installation's own gets another one
 * only while more are left to everybody than it has itself, so that none takes the whole pool.
 */
import { sql } from 'kysely';
import { usedUp, type NetworkPlace } from '../../domain/network/network-pool.ts';
import { AppError } from '../../domain/errors.ts';
import type { Database } from '../database.ts';

/**
 * Throws PRECONDITION_FAILED when the pool is used up, or the organization has its share of it.
 */
export type FreeNetworkIndex = (organizationId: string, place: NetworkPlace) => Promise<number>;

export function freeNetworkIndex(database: Database): FreeNetworkIndex {
  const { builder } = database;
  const used = sql<{ organizationId: string; networkIndex: unknown }>`
    select "organizationId", "networkIndex" from "environment" where "networkIndex" is not null
    union all select "organizationId", "networkIndex" from "compose"
      where "networkIndex" is not null`.compile(builder);
  const own = sql<{ organizationId: string }>`
    select "organizationId" from "organization" order by "createdAt", "organizationId" limit 1`.compile(
    builder,
  );
  return async (organizationId, { room, taken = new Set() }) => {
    const records = await database.run(used);
    const held = new Set([...taken, ...records.map(({ networkIndex }) => Number(networkIndex)), 0]);
    let free: number | undefined;
    let left = 0;
    for (let index = 1; index < room; index += 1) {
      if (held.has(index)) continue;
      free ??= index;
      left += 1;
    }
    if (free === undefined) throw usedUp(room);
    const theirs = records.filter((record) => record.organizationId === organizationId).length;
    if (theirs >= left && (await database.run(own))[0]?.organizationId !== organizationId)
      throw shareTaken({ theirs, left, room });
    return free;
  };
}

function shareTaken({ theirs, left, room }: { theirs: number; left: number; room: number }): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `This organization has ${theirs} of the installation's ${room} networks, and ${left} are left to ` +
      'everybody; one organization takes no more than it leaves. Remove environments or compose services ' +
      "that are not needed, or ask the installation's Owner for a larger networkPool.",
  );
}
