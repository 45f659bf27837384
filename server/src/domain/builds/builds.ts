/** Berth's own builder: which Dockerfile a source without one gets. Pure. */
import { node } from './node.ts';
import type { BuildWish, Language, OwnBuild, Refusal } from './own-build.ts';
import { folderOf } from './source-files.ts';
import { parseProcfile } from './start-command.ts';

/** In the order in which they are asked. */
export const languages: readonly Language[] = [node];

/** Whether detection reads the text of this file; of the others it knows the name. */
export const isRead = (path: string): boolean => languages.some(({ reads }) => reads.test(path));

/** Undefined when the source is of no language that Berth builds. */
export function planOwnBuild(wish: BuildWish): OwnBuild | Refusal | undefined {
  const app = folderOf(wish.files, wish.folder);
  const root = folderOf(wish.files, '');
  const source = { ...wish, app, root, procfile: parseProcfile(app.text('Procfile')) };
  for (const { plan } of languages) {
    const found = plan(source);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What detection looks for, for the sentence that says that nothing was found. */
export const lookedFor = (): string =>
  languages.map(({ name, shownBy }) => `${shownBy} (${name})`).join(', ');
