/** The databases that previews have of their own, as their deployments and their ends use them. */
import type { BeginDatabases } from '../../deploy/stages/preview-databases.ts';
import { quotasOf } from '../../deploy/quotas.ts';
import type { BackupDesk } from '../../modules/backup/handlers.ts';
import { createPreviewDatabases } from '../../modules/preview-deployment/databases/preview-databases.ts';
import {
  createDiscardDatabase,
  type DiscardDatabase,
} from '../../modules/preview-deployment/databases/removal.ts';
import { beginPreviewDatabases } from '../../modules/preview-deployment/databases/subject.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';
import type { Product } from '../product.ts';
import type { Releasing } from './releasing.ts';

export function createPreviewDatabaseParts(
  { database, stores, adapters }: Ground,
  { databases, turns }: Product,
  { deployments }: Machines,
  { running }: Releasing,
  { branches, runs }: Pick<BackupDesk, 'branches' | 'runs'>,
): { begin: BeginDatabases; discard: DiscardDatabase } {
  const transaction = <T>(work: () => Promise<T>): Promise<T> => database.transaction(work);
  const discard = createDiscardDatabase({
    databases,
    deployments,
    runtime: running.runtime,
    turns,
    logs: adapters.logs,
    transaction,
  });
  const own = createPreviewDatabases({
    branches,
    runs,
    databases: stores.databases,
    branchOf: (databaseId) => stores.branches.find({ databaseId }),
    removeMounts: (databaseId) => stores.mounts.remove({ databaseId }),
    discard,
    transaction,
    withinQuota: quotasOf(stores).within,
  });
  return { discard, begin: beginPreviewDatabases(stores, own) };
}
