/** Two organizations on a running Berth: no procedure makes the second one yet, so its rows go in through the product's own stores, on a second connection to the host's database file. */
import { join, relative } from 'node:path';
import { createCipher, openKeyFile } from '../../server/src/db/cipher.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';
import type { Bed } from '../bed/bed.ts';
import { loadHost } from '../bed/host-record.ts';
import { diskTargets } from '../bed/host-process.ts';
import { hashToken, newToken } from '../../server/src/ports/token.ts';
import { createUserStore } from '../../server/src/modules/user/store.ts';
import { isoTime, randomId, systemClock } from '../../server/src/ports/clock.ts';
import { sessionCookie } from '../../server/src/transport/request.ts';
import { createPeople, type People, type Person } from '../http/people.ts';
import { data, type BerthHost } from './berth-host.ts';

export interface PeopleOnHost extends People, AsyncDisposable {
  /** Headers of a new session of the person, as a browser on Berth's own pages sends them. */
  session(person: Person, url: string): Promise<Record<string, string>>;
}

/**
 * Berth goes on running: SQLite lets several connections write, and Berth keeps no account in memory. The first of these organizations is older than the one of the
 * user who signed up, so it counts as the installation's first.
 */
export async function peopleOnHost(bed: Bed, { host }: Pick<BerthHost, 'host'>): Promise<PeopleOnHost> {
  const folder = await onMachine(bed, host.name);
  const cipher = createCipher(openKeyFile(join(folder, 'berth.key'), false));
  const database = openSqlite({ path: join(folder, 'berth.sqlite'), synchronous: 'NORMAL', cipher });
  const { sessions } = createUserStore(database);
  return {
    ...(await createPeople(database)),
    async session({ userId, organizationId }, url) {
      const token = newToken();
      await sessions.insert({ sessionId: randomId(), tokenHash: hashToken(token), userId, organizationId, createdAt: isoTime(systemClock), expiresAt: systemClock.now() + 3_600_000, ip: '', userAgent: '' });
      return { cookie: `${sessionCookie}=${token}`, origin: url };
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** Berth's data folder on this machine's own disk; SQLite follows no path through /proc. */
async function onMachine(bed: Bed, hostName: string): Promise<string> {
  const [disk] = diskTargets(await loadHost(bed.name, hostName));
  if (!disk) throw new Error(`The host ${hostName} has no disk.`);
  return join(disk.source, relative(disk.target, data));
}
