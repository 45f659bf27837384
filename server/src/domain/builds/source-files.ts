/** A bounded view of a source: the names of its files, and the texts of the few that detection reads. */

export interface SourceFiles {
  /** Paths from the root of the source, without `./`. */
  paths: ReadonlySet<string>;
  /** Texts of files that `isRead` names, cut at `viewLimits.textBytes` and made even (`evened`). */
  texts: ReadonlyMap<string, string>;
}

/** Bounds of a view: a source may hold anything. */
export const viewLimits = { depth: 5, paths: 20_000, textBytes: 256 * 1024, texts: 400 } as const;

/** Longest line, and longest text of a JSON file, that patterns see. */
const longest = { line: 500, text: 2000 };

/**
 * A text whose lines and runs of blanks are short, so that no pattern takes long over it, whatever a source
 * has. JSON stays as it is, since it is parsed.
 */
export function evened(path: string, text: string): string {
  if (/\.json$|\.lock$/.test(path) && text.trimStart().startsWith('{')) return text;
  return text
    .replaceAll(/[^\S\n]{20,}/g, ' ')
    .replaceAll(/\n(?:[^\S\n]*\n)+/g, '\n')
    .split('\n')
    .map((line) => line.slice(0, longest.line))
    .join('\n');
}

/** Folders that hold what a build makes or installs, and what git keeps. */
const skipped = new Set(['.git', 'node_modules', '.venv', 'venv', '__pycache__', '.next', '.nuxt']);

export const isSkipped = (folder: string): boolean => skipped.has(folder);

/** A pattern of paths that end in one of these file names. */
export const fileNamed = (...names: readonly string[]): RegExp =>
  new RegExp(`(?:^|/)(?:${names.join('|')})$`);

/** One folder of a source, which paths count from. */
export interface Folder {
  /** From the root of the source; empty for the root itself. */
  path: string;
  /** Names and paths of the files in it and below. */
  files: readonly string[];
  has(path: string): boolean;
  text(path: string): string | undefined;
  /** The first of these files that is there. */
  first(...paths: readonly string[]): string | undefined;
  /** The files directly in this folder whose name matches. */
  named(pattern: RegExp): string[];
}

export function folderOf({ paths, texts }: SourceFiles, path: string): Folder {
  const prefix = path === '' ? '' : `${path}/`;
  const files = [...paths]
    .filter((file) => file.startsWith(prefix))
    .map((file) => file.slice(prefix.length))
    .toSorted();
  const has = (file: string): boolean => paths.has(prefix + file);
  return {
    path,
    files,
    has,
    text: (file) => texts.get(prefix + file),
    first: (...candidates) => candidates.find(has),
    named: (pattern) => files.filter((file) => !file.includes('/') && pattern.test(file)),
  };
}

/** A file of a folder, from the root of the source. */
export const pathIn = ({ path }: Pick<Folder, 'path'>, file: string): string =>
  path === '' ? file : `${path}/${file}`;

/** A JSON file as an object; undefined when it is absent or not an object. */
export function jsonOf(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  try {
    return objectOf(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch {
    return undefined;
  }
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, longest.text) : undefined;

/** The members of an object that are texts, such as the scripts of a package.json. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectOf(value) ?? {}).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text.slice(0, longest.text)]] : [],
    ),
  );
}
