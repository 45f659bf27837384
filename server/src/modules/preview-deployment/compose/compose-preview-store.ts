import type { Database } from '../../../db/database.ts';
import { tableStore } from '../../../db/table-store.ts';
import type { ComposeRecord, DomainRecord, TableRecord } from '../../../db/tables.ts';
import type { ApplicationStatus } from '../../../domain/states/lifecycle.ts';
import type { MountRecord } from '../../../deploy/release/release-inputs.ts';
import type { PreviewDeploymentRecord } from '../store.ts';

export type ComposePreviewRow = TableRecord<'compose_preview'>;

/** With what its compose service tells of it. */
export interface ComposePreview extends ComposePreviewRow {
  status: PreviewDeploymentRecord['status'];
  liveDeploymentId: string | null;
}

export interface ComposePreviewStore {
  /** Newest first. */
  list(where: Partial<ComposePreviewRow>): Promise<ComposePreview[]>;
  find(where: Partial<ComposePreviewRow>): Promise<ComposePreview | undefined>;
  insert(row: ComposePreviewRow, copy: ComposeRecord, mounts: readonly MountRecord[]): Promise<void>;
  update(previewDeploymentId: string, patch: Partial<ComposePreviewRow>): Promise<void>;
  domains(composeId: string): Promise<DomainRecord[]>;
  mounts(composeId: string): Promise<MountRecord[]>;
}

const statuses: Record<ApplicationStatus, ComposePreview['status']> = {
  idle: 'building',
  running: 'building',
  done: 'running',
  error: 'error',
};

export function createComposePreviewStore(database: Database): ComposePreviewStore {
  const rows = tableStore(database, 'compose_preview');
  const composes = tableStore(database, 'compose');
  const domains = tableStore(database, 'domain');
  const mounts = tableStore(database, 'mount');
  const whole = async (row: ComposePreviewRow): Promise<ComposePreview> => {
    const copy = await composes.find({ composeId: row.previewDeploymentId });
    return {
      ...row,
      status: copy?.isStopped === true ? 'stopped' : statuses[copy?.composeStatus ?? 'idle'],
      liveDeploymentId: copy?.liveDeploymentId ?? null,
    };
  };
  return {
    list: async (where) =>
      Promise.all(
        (await rows.list(where, { by: ['createdAt', 'previewDeploymentId'], direction: 'desc' })).map(whole),
      ),
    async find(where) {
      const row = await rows.find(where);
      return row && whole(row);
    },
    async insert(row, copy, added) {
      await composes.insert(copy);
      for (const mount of added) await mounts.insert(mount);
      await rows.insert(row);
    },
    update: async (previewDeploymentId, patch) => void (await rows.update({ previewDeploymentId }, patch)),
    domains: (composeId) => domains.list({ composeId }, { by: ['createdAt', 'domainId'], direction: 'asc' }),
    mounts: (composeId) => mounts.list({ composeId }),
  };
}
