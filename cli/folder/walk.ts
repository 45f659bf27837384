/** What of a folder is sent: files below it in a fixed order, without what its ignore files leave out. */
import { lstatSync, type Stats } from 'node:fs';
import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { dockerRules, gitRules, type IgnoreRules } from './ignore-rules.ts';

export interface SentFile {
  /** In the archive, with `/` between its parts. */
  path: string;
  /** On this machine. */
  from: string;
  bytes: number;
  isExecutable: boolean;
}

/** What systems and editors put everywhere, and git's own folder. */
const never = new Set(['.git', '.hg', '.svn', '.DS_Store', 'Thumbs.db', 'desktop.ini', '.berth']);
const neverBegins = '._';

/**
 * Files below the folder, links resolved: Berth takes no links in an upload, so what a link within the folder
 * leads to is sent in its place. Throws UsageError for a link that leads out of the folder or nowhere, and
 * for one that leads to a folder that it stands in.
 */
export async function filesToSend(folder: string): Promise<SentFile[]> {
  const root = await realpath(folder);
  const files: SentFile[] = [];
  const docker = dockerRules(await textOf(join(root, '.dockerignore')));
  await walk({ root, docker, files }, { path: '', from: root, rules: [], above: [root] });
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

interface Walk {
  root: string;
  docker: IgnoreRules;
  files: SentFile[];
}

interface Folder {
  path: string;
  from: string;
  /** Of the `.gitignore` files down to here. */
  rules: readonly IgnoreRules[];
  /** Real paths of the folders that it stands in, itself included. */
  above: readonly string[];
}

async function walk(state: Walk, folder: Folder): Promise<void> {
  const own = gitRules(await textOf(join(folder.from, '.gitignore')), folder.path);
  const rules = [...folder.rules, own];
  for (const name of (await readdir(folder.from)).toSorted()) {
    if (never.has(name) || name.startsWith(neverBegins)) continue;
    const entry = { path: archivePath(folder.path, name), from: join(folder.from, name), name };
    // A call that waits: of many files it takes a fifth of the time.
    const own = lstatSync(entry.from);
    // A link to a folder is no folder to git.
    if (isLeftOut(state, rules, entry.path, own.isDirectory())) continue;
    if (own.isFile()) takeFile(state, entry, own);
    else await takeOther(state, { ...folder, rules }, entry, own.isSymbolicLink());
  }
}

interface Entry {
  path: string;
  from: string;
  name: string;
}

function takeFile({ files }: Walk, { path, from, name }: Entry, { size, mode }: Stats): void {
  files.push({ path, from, bytes: size, isExecutable: isExecutable(mode, name) });
}

/** A folder, or what a link leads to. */
async function takeOther(state: Walk, folder: Folder, entry: Entry, isLink: boolean): Promise<void> {
  const { path } = entry;
  const from = isLink ? await linkTarget(state.root, path, entry.from) : entry.from;
  const what = await stat(from);
  if (what.isFile()) takeFile(state, { ...entry, from }, what);
  if (!what.isDirectory()) return;
  const here = await realpath(from);
  if (folder.above.includes(here))
    throw new UsageError(`${path} is a link to a folder that contains it. Remove it, or ignore it.`);
  await walk(state, { path, from, rules: folder.rules, above: [...folder.above, here] });
}

function isLeftOut(state: Walk, git: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  // The nearest file that says something decides.
  const verdicts = git.map((rules) => rules.ignores(path, isFolder));
  if (verdicts.findLast((verdict) => verdict !== undefined) === true) return true;
  // The builder reads these two itself.
  if (path === 'Dockerfile' || path === '.dockerignore') return false;
  return state.docker.ignores(path, isFolder) === true && !(isFolder && state.docker.mayBringBack);
}

async function linkTarget(root: string, path: string, from: string): Promise<string> {
  const real = await realpath(from).catch((cause: unknown) => {
    throw new UsageError(`${path} is a broken link. Remove it, or ignore it.`, { cause });
  });
  if (real !== root && !real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
    throw new UsageError(
      `${path} is a link out of the folder, to ${relative(root, real)}; its target is not sent. Put the ` +
        'file itself there, or ignore the link.',
    );
  return real;
}

/** Letters with their marks in one form: macOS gives them apart, and the same name must be the same bytes. */
export function archivePath(folder: string, name: string): string {
  const part = name.normalize('NFC');
  return folder === '' ? part : `${folder}/${part}`;
}

/** Windows has no such bits; what is a script by its name is one there. */
export function isExecutable(mode: number, name: string, platform: string = process.platform): boolean {
  return platform === 'win32' ? /\.sh$|^(gradlew|mvnw)$/.test(name) : (mode & 0o111) !== 0;
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
}
