/** The import graph of every TypeScript file of the tree. */
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { sourceFiles } from '../source-files.ts';
import { importsOf, type Import } from './imports.ts';

export interface Edge extends Import {
  from: string;
  /** File of ours that is imported, by path from the root; undefined for packages. */
  to: string | undefined;
}

export interface Graph {
  files: readonly string[];
  edges: readonly Edge[];
}

export async function readGraph(root: string): Promise<Graph> {
  const files = (await sourceFiles(root)).filter(
    (path) => /\.tsx?$/.test(path) && !path.startsWith('example/'),
  );
  const edges = await Promise.all(
    files.map(async (from) => {
      const imports = importsOf(from, await readFile(join(root, from), 'utf8'));
      return imports.map((found): Edge => ({ ...found, from, to: target(from, found.specifier) }));
    }),
  );
  return { files, edges: edges.flat() };
}

/** A file, without what a bundler is told of it (`?url`); undefined for a package. */
function target(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') && !specifier.endsWith('.json')
    ? posix.normalize(posix.join(posix.dirname(from), specifier.replace(/\?.*$/, '')))
    : undefined;
}
