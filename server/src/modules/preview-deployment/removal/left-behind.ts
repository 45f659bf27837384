/**
 * What a preview left behind: copies of compose services and databases whose preview is gone, however it
 * went: by a way that does not know of them, or with Berth ended in the middle of a removal. Records alone
 * tell it, so that nothing is removed that a restored installation does not know; what stands of them on an
 * engine is found by its label.
 */
import type { ComposeRecord, DatabaseRecord } from '../../../db/tables.ts';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import type { RemovePreviewDatabases } from '../databases/removal.ts';

export interface LeftBehindDeps {
  stores: {
    databases: { leftByPreviews(): Promise<DatabaseRecord[]> };
    composes: { leftByPreviews(): Promise<ComposeRecord[]> };
  };
  removeDatabases: RemovePreviewDatabases;
  /** With what runs of it, its volumes and its databases. */
  removeCopy(copy: ComposeRecord): Promise<unknown>;
  log: Record<'info' | 'warn', (message: string, details: Record<string, unknown>) => void>;
}

/** To be called each minute. One that cannot be removed keeps no other from it; the next turn tries again. */
export function createEndLeftBehind(deps: LeftBehindDeps): () => Promise<void> {
  const { stores, removeDatabases, removeCopy, log } = deps;
  const end = async (what: string, names: string[], act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
      log.info(`Removed the ${what} of a preview that is gone`, { names });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const why = sentenceOf(error);
      log.warn(`The ${what} of a preview that is gone could not be removed`, { names, why });
    }
  };
  return async () => {
    for (const copy of await stores.composes.leftByPreviews())
      await end('services', [copy.name], () => removeCopy(copy));
    const left = await stores.databases.leftByPreviews();
    for (const [previewDeploymentId, databases] of Map.groupBy(left, previewOf)) {
      const names = databases.map(({ name }) => name);
      await end('databases', names, () => removeDatabases(previewDeploymentId));
    }
  };
}

const previewOf = ({ previewDeploymentId }: DatabaseRecord): string => previewDeploymentId ?? '';
