/** A fresh installation with one organization, filled without going through the interface. */
import { createAccounts } from '../server/src/composition/installation/accounts.ts';
import { openStorage } from '../server/src/db/storage.ts';
import { createStores, type Stores } from '../server/src/composition/stores.ts';
import { readConfig } from '../server/src/config.ts';
import { isoTime, randomId, systemClock } from '../server/src/ports/clock.ts';

export interface Filled<T> {
  organizationId: string;
  /** The owner's. */
  apiKey: string;
  /** What the owner signs in with. */
  email: string;
  password: string;
  made: T;
}

/**
 * `insert` runs in one transaction. With SQLite all of it is in the one file afterwards, so that a copy of
 * the file is a copy of the installation; `databaseUrl` names a PostgreSQL database in its place.
 */
export async function fill<T>(
  data: string,
  insert: (stores: Stores, organizationId: string) => Promise<T>,
  databaseUrl?: string,
): Promise<Filled<T>> {
  const config = readConfig({ BERTH_DATA: data, DATABASE_URL: databaseUrl });
  const { database } = await openStorage(config, () => isoTime(systemClock));
  const stores = createStores(database);
  try {
    const { door, users } = createAccounts(stores, database, systemClock);
    const account = { email: 'ann@example.com', password: randomId() };
    const { user, organizationId } = await door.signUp(
      { name: 'Ann', ...account },
      { ip: '127.0.0.1', userAgent: 'bench', isLocal: true },
    );
    const { key } = await users.createApiKey(user.id, { name: 'bench', metadata: { organizationId } });
    const made = await database.transaction(() => insert(stores, organizationId));
    if (database.dialect === 'sqlite') await database.script('PRAGMA wal_checkpoint(TRUNCATE)');
    return { organizationId, apiKey: key, ...account, made };
  } finally {
    await database.close();
  }
}
