/**
 * Two organizations on a running Berth: no procedure makes the second one yet, so its rows go in through the
 * product's own stores, on a second connection to the host's database file.
 */
import { join, relative } from 'node:path';
import { createCipher, openKeyFile } from '../../server/src/db/cipher.ts';
import type { Database } from '../../server/src/db/database.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';
import type { Bed } from '../bed/bed.ts';
import { loadHost } from '../bed/host-record.ts';
import { diskTargets } from '../bed/host-process.ts';
import { createPeople, type People } from '../http/people.ts';
import { data, type BerthHost } from './berth-host.ts';

export type PeopleOnHost = People & AsyncDisposable;

/**
 * Berth goes on running: SQLite lets several connections write, and Berth keeps no account in memory. The
 * first of these organizations is older than the one of the user who signed up, so it counts as the
 * installation's first.
 */
export async function peopleOnHost(bed: Bed, berth: Pick<BerthHost, 'host'>): Promise<PeopleOnHost> {
  const database = await databaseOnHost(bed, berth);
  return {
    ...(await createPeople(database)),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** A connection of the test's own to the data of the Berth that runs there. */
export async function databaseOnHost(bed: Bed, { host }: Pick<BerthHost, 'host'>): Promise<Database> {
  const folder = await onMachine(bed, host.name);
  const cipher = createCipher(openKeyFile(join(folder, 'berth.key'), false));
  return openSqlite({ path: join(folder, 'berth.sqlite'), synchronous: 'NORMAL', cipher });
}

/** Berth's data folder on this machine's own disk; SQLite follows no path through /proc. */
async function onMachine(bed: Bed, hostName: string): Promise<string> {
  const [disk] = diskTargets(await loadHost(bed.name, hostName));
  if (!disk) throw new Error(`The host ${hostName} has no disk.`);
  return join(disk.source, relative(disk.target, data));
}
