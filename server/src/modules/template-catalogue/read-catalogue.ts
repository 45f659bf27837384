/** Fetches the repository of a catalogue and reads its templates. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { badField } from '../../domain/errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { randomId, type Clock } from '../../ports/clock.ts';
import type { Git } from '../../ports/git.ts';
import type { WorkFiles } from '../../ports/host/work-files.ts';
import { checkLocalRepository } from '../application/checks.ts';
import type { ImportedTemplate } from '../template/formats/catalogue.ts';
import type { TemplateCatalogueRecord } from './store.ts';

export type CatalogueSource = Pick<
  TemplateCatalogueRecord,
  'organizationId' | 'url' | 'branch' | 'folder' | 'username' | 'password'
>;

export interface ReadCatalogueParts {
  files: Pick<WorkFiles, 'fresh' | 'remove'>;
  git: Git;
  /** Folder of checkouts on Berth's own machine. */
  workRoot: string;
  localRepositoryPaths(organizationId: string): Promise<readonly string[]>;
  clock: Clock;
}

export type ReadCatalogue = (
  source: CatalogueSource,
  signal: AbortSignal,
) => Promise<{ commit: string; found: ImportedTemplate[] }>;

/** A person waits for it. */
const fetchLimitMs = 60_000;

export function createReadCatalogue(parts: ReadCatalogueParts): ReadCatalogue {
  const { files, git, workRoot, clock } = parts;
  return async ({ organizationId, url, branch, folder, username, password }, signal) => {
    checkFolder(folder);
    checkLocalRepository(url, await parts.localRepositoryPaths(organizationId), 'url');
    const work = join(workRoot, `catalogue-${randomId()}`);
    try {
      await files.fresh(work);
      const checkout = join(work, 'source');
      const credentials = username ? { username, password: new Secret(password ?? '') } : undefined;
      const { commit } = await git.checkout(
        { organizationId, url, branch, submodules: false, credentials },
        checkout,
        { signal, limitMs: fetchLimitMs, onLine: () => undefined, onChild: async () => undefined },
      );
      const read = await insideOf(checkout, folder);
      const { importCatalogue } = await import('../template/formats/catalogue.ts');
      return { commit, found: await importCatalogue(read, 'auto', new Date(clock.now())) };
    } finally {
      await files.remove(work);
    }
  };
}

export function checkFolder(folder: string): void {
  if (folder.split('/').some((part, index) => part === '..' || (part === '' && index === 0 && folder !== '')))
    throw badField('folder', 'must be a folder of the repository, such as blueprints, without ".."');
}

/** No part of the path is a link, which may lead out of the repository. */
async function insideOf(checkout: string, folder: string): Promise<string> {
  let path = checkout;
  for (const part of folder.split('/').filter((one) => one !== '' && one !== '.')) {
    path = join(path, part);
    const isFolder = await lstat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) throw badField('folder', `is ${folder}, which the repository does not have`);
  }
  return path;
}
