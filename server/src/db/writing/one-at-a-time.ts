/** What is looked at and then taken in one transaction, so that two at once never take the same. */
import { sql } from 'kysely';
import type { Database } from '../database.ts';

/**
 * Makes the other transactions that ask for the same wait until this one ends; what they read after it they
 * find as this one left it. SQLite has one writer anyway; on PostgreSQL each would find the thing free.
 */
export async function oneAtATime(
  { dialect, run, builder, transaction }: Database,
  what: string,
): Promise<void> {
  if (dialect !== 'postgres') return;
  const lock = sql<object>`select pg_advisory_xact_lock(hashtext(${`berth ${what}`}))`.compile(builder);
  // Outside of one it is a transaction: the connection for reads must not wait.
  await transaction(() => run(lock));
}

/**
 * Hosts, base domains and published ports: what organizations may take from one another. They share one turn,
 * so that two transactions that take several of them never wait for each other.
 */
export const sharedByOrganizations = 'hosts and ports';
