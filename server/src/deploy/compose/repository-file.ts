/** Reads the compose file from a repository as it is now, while a person waits. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComposeRecord } from '../../db/tables.ts';
import type { RepositoryFile } from '../../modules/compose/compose.ts';
import { AppError } from '../../domain/errors.ts';
import { randomId } from '../../ports/clock.ts';
import type { Git } from '../../ports/git.ts';
import type { WorkFiles } from '../../ports/host/work-files.ts';
import { linkOf, repositoryAccess, requireRepository } from '../stages/fetch-repository.ts';
import type { ComposePorts } from './compose-context.ts';

const fileLimitBytes = 65_536;
/** Short, because a person waits for it. */
const fetchLimitMs = 30_000;

export interface RepositoryFileParts {
  files: Pick<WorkFiles, 'fresh' | 'readInside'>;
  git: Git;
  /** Folder of checkouts on Berth's own machine. */
  workRoot: string;
  localRepositoryPaths(organizationId: string): Promise<readonly string[]>;
  records: ComposePorts['records'];
}

/** With the files that it names; throws PRECONDITION_FAILED when the repository has no such file. */
export function createRepositoryFile({
  files,
  git,
  workRoot,
  localRepositoryPaths,
  records,
}: RepositoryFileParts): (compose: ComposeRecord, signal: AbortSignal) => Promise<RepositoryFile> {
  return async (compose, signal) => {
    const link = await linkOf(compose, records);
    const source = requireRepository(compose, await localRepositoryPaths(compose.organizationId), link);
    const folder = join(workRoot, `read-${randomId()}`);
    try {
      await files.fresh(folder);
      const checkout = join(folder, 'source');
      await git.checkout(
        {
          ...source,
          ...(await repositoryAccess(compose, records, link)),
          organizationId: compose.organizationId,
          submodules: false,
        },
        checkout,
        { signal, limitMs: fetchLimitMs, onLine: () => undefined, onChild: async () => undefined },
      );
      const read = (path: string): Promise<string | undefined> =>
        files.readInside(checkout, path, { field: 'composePath', maxBytes: fileLimitBytes });
      const text = await read(compose.composePath);
      if (text === undefined)
        throw new AppError(
          'PRECONDITION_FAILED',
          `There is no file ${compose.composePath} in the repository. Set composePath with compose.update.`,
        );
      const { folderOf, readLinkedFiles } = await import(
        '../../modules/compose/translation/whole/linked-files.ts'
      );
      const base = folderOf(compose.composePath);
      const linked = await readLinkedFiles(text, { field: 'composePath', folder: base, read });
      return { text, folder: base, files: linked };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}
