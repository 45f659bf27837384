import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type PortRecord = TableRecord<'port'>;

/** Who has a published port; it is one per protocol in the whole installation. */
export interface PortHolder {
  portId: string;
  organizationId: string;
  applicationName: string;
}

export interface PortStore extends TableStore<'port'> {
  holder(publishedPort: number, protocol: string): Promise<PortHolder | undefined>;
}

export function createPortStore(database: Database): PortStore {
  const holderQuery = database.builder.selectFrom('port').innerJoin('application', 'application.applicationId', 'port.applicationId')
    .select(['port.portId', 'port.organizationId', 'application.name as applicationName'])
    .where('port.publishedPort', '=', 0).where('port.protocol', '=', 'tcp').compile();
  return {
    ...tableStore(database, 'port'),
    holder: async (publishedPort, protocol) => (await database.run(holderQuery, [publishedPort, protocol]))[0],
  };
}
