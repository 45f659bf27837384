/** Where the source begins in an upload. */
import { join } from 'node:path';
import type { ApplicationRecord } from '../../db/tables.ts';
import { parseSourcePath } from '../../domain/git/git-source.ts';
import type { WorkFiles } from '../../ports/host/work-files.ts';

const pathFields = ['buildPath', 'dockerfile', 'containerContextPath', 'publishDirectory'] as const;

export interface UploadContext {
  application: Pick<ApplicationRecord, (typeof pathFields)[number]>;
  fileSystem: Pick<WorkFiles, 'names'>;
  log: { line(text: string): void };
}

/** Left by archive programs of other systems. */
const strayNames: ReadonlySet<string> = new Set(['__MACOSX', '.DS_Store']);

/**
 * Git hosts and desktops pack a project as one folder. That folder is the source, unless the settings name
 * paths that begin with it.
 */
export async function rootOfUpload(
  { application, fileSystem, log }: UploadContext,
  path: string,
): Promise<string> {
  const [only, ...others] = (await fileSystem.names(path)).filter((name) => !strayNames.has(name));
  if (only === undefined || others.length > 0) return path;
  const isNamed = pathFields.some(
    (field) => parseSourcePath(application[field] ?? '', field).split('/')[0] === only,
  );
  if (isNamed || (await fileSystem.names(join(path, only))).length === 0) return path;
  log.line(`The upload has a single folder, ${only}, which is used as the source.`);
  return join(path, only);
}
