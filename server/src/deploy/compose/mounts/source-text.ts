/** Files beside a compose file: those of its repository, of mounts, and the .env made from the variables. */
import { envFileBeside, missingBeside, textOfMount } from '../../../modules/compose/translation/beside.ts';
import { inFolder } from '../../../modules/compose/translation/paths.ts';
import { sourceDirectory } from '../../work-directory.ts';
import { fieldOf, folderOf, type ComposeContext } from '../compose-context.ts';

const fileLimitBytes = 500_000;

/** The text of a file: of a mount of type file, or in the repository; `.env` is made from the variables. */
export async function sourceText(
  context: ComposeContext,
  path: string,
  where: string,
): Promise<string | undefined> {
  const { compose, fileSystem, records, variables } = context;
  const beside = textOfMount(await records.mounts(compose.composeId), path);
  if (beside !== undefined) return beside;
  const folder = folderOf(compose);
  if (folder === undefined) return envFileBeside(compose, variables, path);
  return fileSystem.readInside(
    sourceDirectory(context),
    inFolder(folder, path, { field: fieldOf(compose), where }),
    { field: `${fieldOf(compose)}: ${where}`, maxBytes: fileLimitBytes },
  );
}

export function missing({ compose }: ComposeContext, path: string): string {
  return compose.sourceType === 'raw' ? missingBeside(path) : `there is no file ${path} in the repository`;
}
