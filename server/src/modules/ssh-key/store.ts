import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type SshKeyRecord = TableRecord<'ssh_key'>;

export interface SshKeyStore extends TableStore<'ssh_key'> {
  /** How many applications use the key. */
  countUses(sshKeyId: string): Promise<number>;
}

export function createSshKeyStore(database: Database): SshKeyStore {
  const uses = database.builder.selectFrom('application').select((e) => e.fn.countAll<number>().as('count')).where('customGitSSHKeyId', '=', '').compile();
  return {
    ...tableStore(database, 'ssh_key'),
    countUses: async (sshKeyId) => Number((await database.run(uses, [sshKeyId]))[0]?.count ?? 0),
  };
}
