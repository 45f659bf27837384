/** Folders that programs read while they run, which a compiled program does not hold. */
import type { Folder } from './source-files.ts';

const usual = ['assets', 'config', 'locales', 'migrations', 'public', 'static', 'templates', 'views', 'web'];

export const runtimeFolders = (app: Folder): string[] =>
  usual.filter((folder) => app.files.some((path) => path.startsWith(`${folder}/`)));
