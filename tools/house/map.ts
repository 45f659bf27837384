/** Holds the list of folders in ARCHITECTURE.md against the folders on disk, both ways. */
import { dirname } from 'node:path';

const begin = '<!-- map: begin -->';
const end = '<!-- map: end -->';
/** A line of the list: the folder in backticks with its slash; `*` stands for one folder name. */
const line = /^\s*[-|]?\s*`([a-z0-9_*./-]+)\/`/;

/** One sentence per folder that is listed and not there, or there and not listed. */
export function mapFaults(architecture: string, paths: readonly string[]): string[] {
  const listed = listedFolders(architecture);
  if (listed.length === 0) return [`ARCHITECTURE.md has no list of folders between ${begin} and ${end}.`];
  const folders = foldersOf(paths);
  const patterns = listed.map((folder) => ({
    folder,
    pattern: new RegExp(`^${folder.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}$`),
  }));
  return [
    ...folders
      .filter((folder) => !patterns.some(({ pattern }) => pattern.test(folder)))
      .map((folder) => `ARCHITECTURE.md does not list ${folder}/. Add a line that says what it holds.`),
    ...patterns
      .filter(({ pattern }) => !folders.some((folder) => pattern.test(folder)))
      .map(
        ({ folder }) => `ARCHITECTURE.md lists ${folder}/, which is not there or empty. Take the line out.`,
      ),
  ];
}

function listedFolders(architecture: string): string[] {
  const [, rest = ''] = architecture.split(begin);
  return (rest.split(end)[0] ?? '').split('\n').flatMap((text) => line.exec(text)?.[1] ?? []);
}

/** Folders that hold a file themselves, without the root and hidden ones. */
function foldersOf(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => dirname(path)))]
    .filter((folder) => folder !== '.' && !folder.startsWith('.'))
    .toSorted();
}
