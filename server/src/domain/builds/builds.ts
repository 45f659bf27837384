/** Berth's own builder: which Dockerfile a source without one gets. Pure. */
import { dotnet } from './dotnet.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { node } from './node/node.ts';
import type { BuildWish, Language, OwnBuild, Refusal } from './own-build.ts';
import { php } from './php.ts';
import { python } from './python/python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';
import { evened, folderOf, viewLimits, type SourceFiles } from './source-files.ts';
import { parseProcfile } from './start-command.ts';

/** In the order in which they are asked: Node.js last, since others have a package.json for their pages. */
export const languages: readonly Language[] = [php, ruby, python, go, rust, java, dotnet, node];

/** Files that every language reads. */
const common = /(?:^|\/)(?:Procfile|\.dockerignore|\.tool-versions|\.?mise\.toml)$/;

/** Whether detection reads the text of this file; of the others it knows the name. */
export const isRead = (path: string): boolean =>
  common.test(path) || languages.some(({ reads }) => reads.test(path));

/**
 * The view of a source with these files, the most important first: path → where `beginning` reads at most so
 * many bytes of it.
 */
export async function viewOfFiles(
  files: ReadonlyMap<string, string>,
  beginning: (from: string, mostBytes: number) => Promise<Uint8Array>,
): Promise<SourceFiles> {
  const seen = [...files].slice(0, viewLimits.paths);
  const texts = new Map<string, string>();
  for (const [path, from] of seen.filter(([name]) => isRead(name)).slice(0, viewLimits.texts)) {
    const bytes = await beginning(from, viewLimits.textBytes);
    texts.set(path, evened(path, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)));
  }
  return { paths: new Set(seen.map(([path]) => path)), texts };
}

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
