/**
 * Databases whose preview is gone, however it went: by a way that does not know of them, or with Berth ended
 * in the middle of a removal. Records alone tell it, so that nothing is removed that a restored installation
 * does not know; what stands of them on an engine is found by its label.
 */
import type { DatabaseRecord } from '../../../db/tables.ts';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import type { RemovePreviewDatabases } from './removal.ts';

export interface LeftDatabasesDeps {
  stores: { databases: { leftByPreviews(): Promise<DatabaseRecord[]> } };
  removeDatabases: RemovePreviewDatabases;
  log: Record<'info' | 'warn', (message: string, details: Record<string, unknown>) => void>;
}

/** To be called each minute. One that cannot be removed keeps no other from it; the next turn tries again. */
export function createEndLeftDatabases(deps: LeftDatabasesDeps): () => Promise<void> {
  const { stores, removeDatabases, log } = deps;
  return async () => {
    const left = await stores.databases.leftByPreviews();
    for (const [previewDeploymentId, databases] of Map.groupBy(left, previewOf)) {
      const names = databases.map(({ name }) => name);
      try {
        await removeDatabases(previewDeploymentId);
        log.info('Removed the databases of a preview that is gone', { previewDeploymentId, names });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const why = sentenceOf(error);
        log.warn('The databases of a preview that is gone could not be removed', { names, why });
      }
    }
  };
}

const previewOf = ({ previewDeploymentId }: DatabaseRecord): string => previewDeploymentId ?? '';
