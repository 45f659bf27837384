/** Names of the servers in a database that no Berth has open, for set-up. */
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

const rows = z.array(z.object({ name: z.string(), ipAddress: z.string() }));

/**
 * Servers that Berth reaches over SSH, from the file of the embedded database. Throws when it cannot be read,
 * for instance because it is of another version.
 */
export function serverNames(database: string): z.infer<typeof rows> {
  const opened = new DatabaseSync(database, { readOnly: true });
  try {
    return rows.parse(opened.prepare('SELECT "name", "ipAddress" FROM "server" ORDER BY "name"').all());
  } finally {
    opened.close();
  }
}
