import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type SshKeyRecord = TableRecord<'ssh_key'>;

export interface SshKeyStore extends TableStore<'ssh_key'> {
  /** How many of each kind of thing use the key. */
  uses(sshKeyId: string): Promise<Record<string, number>>;
}

export function createSshKeyStore(database: Database): SshKeyStore {
  const { builder } = database;
  const count = (table: 'application' | 'compose' | 'server', column: string) =>
    builder
      .selectFrom(table)
      .select((e) => e.fn.countAll<number>().as('count'))
      .where(builder.dynamic.ref(column), '=', '')
      .compile();
  const uses = {
    application: count('application', 'customGitSSHKeyId'),
    'compose service': count('compose', 'customGitSSHKeyId'),
    server: count('server', 'sshKeyId'),
  };
  return {
    ...tableStore(database, 'ssh_key'),
    async uses(sshKeyId) {
      const counts: Record<string, number> = {};
      for (const [noun, query] of Object.entries(uses))
        counts[noun] = Number((await database.run(query, [sshKeyId]))[0]?.count ?? 0);
      return counts;
    },
  };
}
