/**
 * A process that changes records and tells of each change, until it is killed: started by the test of events
 * with what it needs as one JSON argument. A change is a setting named for it, so that what was committed can
 * be read afterwards.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { createAccounts } from '../../server/src/composition/installation/accounts.ts';
import { createStores } from '../../server/src/composition/stores.ts';
import { createCipher } from '../../server/src/db/values/cipher.ts';
import { openPostgres } from '../../server/src/db/postgres.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import { createRandom } from '../fuzz/random.ts';

const place = z.object({
  organizationId: z.string(),
  projectId: z.string(),
  environmentId: z.string(),
  applicationId: z.string(),
});
const order = z.object({
  dialect: z.enum(['sqlite', 'postgres']),
  location: z.string(),
  name: z.string(),
  seed: z.number(),
  places: z.tuple([place], place),
});

export type WriterOrder = z.infer<typeof order>;

const writers = 3;

async function main(): Promise<void> {
  const { dialect, location, name, seed, places } = order.parse(JSON.parse(process.argv[2] ?? ''));
  const cipher = createCipher(randomBytes(32));
  const database =
    dialect === 'sqlite'
      ? openSqlite({ path: location, synchronous: 'NORMAL', cipher })
      : openPostgres({ url: location, cipher, maxConnections: writers });
  const stores = createStores(database);
  const { events } = createAccounts(stores, database, systemClock);
  const random = createRandom(seed);
  const one = async (writer: number): Promise<never> => {
    for (let count = 0; ; count += 1) {
      const at = random.pick(places);
      const resourceId = `${name} ${writer}-${count}`;
      await database.transaction(async () => {
        await stores.settings.put(resourceId, at.applicationId);
        const { organizationId, projectId, environmentId, applicationId } = at;
        await events.tellChange({
          kind: 'application',
          what: 'updated',
          resourceId,
          organizationId,
          scope: { organizationId, projectId, environmentId, serviceId: applicationId },
          former: undefined,
          userId: null,
        });
        // A kill between the two halves and before the commit.
        await pause(random.below(3));
      });
      // One byte for each that is committed, so that whoever kills can count them.
      process.stdout.write('.');
      await pause(random.below(3));
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => one(writer)));
}

await main();
