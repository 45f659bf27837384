import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type PreviewDeploymentRecord = TableRecord<'preview_deployment'>;

export interface PreviewDeploymentStore extends TableStore<'preview_deployment'> {
  /** Removes the hosts that lead to the preview. */
  removeDomains(previewDeploymentId: string, organizationId: string): Promise<void>;
}

export function createPreviewDeploymentStore(database: Database): PreviewDeploymentStore {
  const domains = tableStore(database, 'domain');
  return {
    ...tableStore(database, 'preview_deployment'),
    removeDomains: async (previewDeploymentId, organizationId) => void (await domains.remove({ previewDeploymentId, organizationId })),
  };
}
