/** What a folder is, by the files at its root: how it will be built. */
import { readFile, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../usage-error.ts';

export const folderKinds = ['dockerfile', 'compose', 'auto', 'static'] as const;
export type FolderKind = (typeof folderKinds)[number];

export interface FolderFacts {
  kind: FolderKind;
  /** What was found, for the sentence that says so. */
  because: string;
  /** Of the Dockerfile's last EXPOSE; the port that the address leads to. */
  port?: number;
  /** Name of the compose file. */
  composeFile?: string;
}

/** In the order of the Compose Specification. */
const composeNames = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];
/** Files by which Berth's own builder knows a language. */
const manifest = new RegExp(
  [
    'package\\.json|requirements\\.txt|pyproject\\.toml|Pipfile|manage\\.py|main\\.py|app\\.py|go\\.mod',
    'Cargo\\.toml|Gemfile|composer\\.json|index\\.php|pom\\.xml|build\\.gradle(?:\\.kts)?',
    '.+\\.(?:csproj|fsproj|sln)',
  ]
    .map((names) => `^(?:${names})$`)
    .join('|'),
);

/**
 * Undefined when nothing in it says how it is built; `as` is a person's own word for it. Throws UsageError
 * where there is no such folder, or not what `as` says.
 */
export async function whatItIs(folder: string, as?: FolderKind): Promise<FolderFacts | undefined> {
  const names = new Set(await namesIn(folder));
  const composeFile = composeNames.find((name) => names.has(name));
  const kind = as ?? kindOf(names, composeFile);
  switch (kind) {
    case 'dockerfile':
      if (!names.has('Dockerfile')) throw new UsageError(`${folder} has no Dockerfile for --as dockerfile.`);
      return { kind, because: 'a Dockerfile', ...(await exposed(join(folder, 'Dockerfile'))) };
    case 'compose':
      if (composeFile === undefined) throw new UsageError(`${folder} has no compose file for --as compose.`);
      return { kind, because: composeFile, composeFile };
    case 'auto':
      return { kind, because: [...names].find((name) => manifest.test(name)) ?? 'no Dockerfile' };
    case 'static':
      return { kind, because: names.has('index.html') ? 'index.html' : 'files alone' };
    case undefined:
      return undefined;
  }
}

/** Whether a folder in it is something that can be built. */
export async function hasParts(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.slice(0, 200))
    if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules') {
      const kind = await whatItIs(join(folder, entry.name)).catch(() => undefined);
      if (kind && kind.kind !== 'compose' && kind.kind !== 'static') return true;
    }
  return false;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') throw new UsageError(`There is no folder ${folder}.`, { cause });
    if (code === 'ENOTDIR') throw new UsageError(`${folder} is a file; name the folder it is in.`, { cause });
    throw cause;
  });
}

function kindOf(names: ReadonlySet<string>, composeFile: string | undefined): FolderKind | undefined {
  if (names.has('Dockerfile')) return 'dockerfile';
  if (composeFile !== undefined) return 'compose';
  if ([...names].some((name) => manifest.test(name))) return 'auto';
  return names.has('index.html') ? 'static' : undefined;
}

async function exposed(path: string): Promise<{ port?: number }> {
  const ports = [...(await readFile(path, 'utf8')).matchAll(/^\s*EXPOSE\s+(\d{1,5})(\/tcp)?\s*$/gim)];
  const port = Number(ports.at(-1)?.[1]);
  return port >= 1 && port <= 65_535 ? { port } : {};
}

/** Letters that no accent makes of those that a name may have. */
const spelled: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', ø: 'o', œ: 'oe', ł: 'l', đ: 'd' };

/** A name that Berth takes, made from the folder's; undefined where that has no letter or digit of one. */
export function nameFromFolder(folder: string): string | undefined {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[ßæøœłđ]/g, (letter) => spelled[letter] ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 50);
  return name === '' ? undefined : name;
}

/** What to do about a folder that nobody knows how to build. */
export function unknownFolder(folder: string, lacks?: string): UsageError {
  return new UsageError(
    `${folder} has ${lacks ?? 'no Dockerfile, compose file, package.json or index.html'}, so nothing says ` +
      'how to run it. Add one, name the folder with --folder, give --as static, ' +
      'or deploy an image with --image.',
  );
}
