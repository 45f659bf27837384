/** Files beside a compose file of a record: those of mounts, and the .env made from its variables. */
import { badField } from '../../../domain/errors.ts';
import { formatEnv } from '../../../domain/variables/dotenv.ts';
import type { EnvironmentSource } from './environment.ts';
import type { PlannedFile } from './plan.ts';

/** Most bytes that the engine takes for a file. */
const fileLimitBytes = 500_000;

/** A mount of the record; those of type file stand beside the compose file. */
export interface FileMount {
  type: string;
  filePath: string | null;
  content: string | null;
}

/** The text of a mount of type file; undefined where none stands at the path. */
export function textOfMount(mounts: readonly FileMount[], path: string): string | undefined {
  const name = path.replace(/^\.\//, '');
  const mount = mounts.find(({ type, filePath }) => type === 'file' && filePath === name);
  return mount && (mount.content ?? '');
}

/** The text of `.env` where the record asks for that file; undefined for any other path. */
export const envFileBeside = (
  { createEnvFile }: { createEnvFile: boolean },
  variables: Readonly<Record<string, string>>,
  path: string,
): string | undefined => (createEnvFile && /^(\.\/)?\.env$/.test(path) ? formatEnv(variables) : undefined);

export const missingBeside = (path: string): string =>
  `there is no ${path}: a file of the source raw has no other files beside it than .env ` +
  `(createEnvFile) and those added with mount.create (type file, filePath ${path.replace(/^\.\//, '')})`;

/** The content of a config or secret; BAD_REQUEST where it is missing or too large. */
export async function contentOf(
  { source, where }: Pick<PlannedFile, 'source' | 'where'>,
  beside: EnvironmentSource,
): Promise<string> {
  const { field, missing } = beside;
  const content = await sourceOf({ source, where }, beside);
  if (content === undefined)
    throw badField(
      field,
      `${where}: ${source.from === 'file' ? missing(source.path) : 'its variable is not set'}`,
    );
  if (Buffer.byteLength(content) > fileLimitBytes)
    throw badField(field, `${where}: has more than ${fileLimitBytes} bytes, the engine's most`);
  return content;
}

async function sourceOf(
  { source, where }: Pick<PlannedFile, 'source' | 'where'>,
  { field, variables, textOf }: EnvironmentSource,
): Promise<string | undefined> {
  if (source.from === 'content') return source.content;
  if (source.from === 'variable') return variables[source.name];
  if (source.path.startsWith('/'))
    throw badField(
      field,
      `${where}: takes ${source.path.slice(0, 100)} of the server; use a file of the repository, or content`,
    );
  return textOf(source.path, where);
}
