/** The files of a checkout that are pointers of Git LFS. */
import { open, stat } from 'node:fs/promises';
import { AppError } from '../../domain/errors.ts';
import { longestPointer, readLfsPointer, type LfsPointer } from '../../domain/git/lfs-pointer.ts';
import { CheckoutPath } from '../files/checkout-path.ts';
import type { Call } from './call.ts';

export interface LfsFile extends LfsPointer {
  /** As people name it: from the source. */
  name: string;
  path: CheckoutPath;
}

/** Longest output of a quick call (`captureStdout`). */
const longestList = 1024 * 1024;
const longestAttributes = 256 * 1024;

/**
 * Pointers that stand where the attributes of a repository promise files of LFS. `folder` is that of the
 * repository or of a submodule, from `directory`; the empty text is `directory` itself.
 */
export async function lfsFiles(directory: string, folder: string, call: Call): Promise<LfsFile[]> {
  const list = async (pathspec: string): Promise<string[]> => {
    const { stdout } = await call(['-C', folder || '.', 'ls-files', '-z', '--', pathspec], { quick: true });
    if (stdout.length >= longestList)
      throw new AppError(
        'PRECONDITION_FAILED',
        'The repository keeps so many files with Git LFS that their list is longer than 1 MiB; fetch them ' +
          'in a workflow of your git host and deploy an image.',
      );
    return stdout.split('\0').filter((name) => name !== '');
  };
  const found = async (name: string): Promise<CheckoutPath | undefined> =>
    CheckoutPath.resolve(directory, `${folder}/${name}`, { field: 'source' });
  if (!(await usesLfs(await list(':(glob)**/.gitattributes'), found))) return [];
  const files: LfsFile[] = [];
  for (const name of await list(':(attr:filter=lfs)')) {
    const path = await found(name);
    const text = path && (await beginningOf(path, longestPointer));
    const pointer = text === undefined ? undefined : readLfsPointer(text);
    if (path && pointer) files.push({ ...pointer, name: path.shown, path });
  }
  return files;
}

async function usesLfs(
  names: readonly string[],
  found: (name: string) => Promise<CheckoutPath | undefined>,
): Promise<boolean> {
  for (const name of names) {
    const path = await found(name);
    if (path && (await beginningOf(path, longestAttributes)).includes('filter=lfs')) return true;
  }
  return false;
}

async function beginningOf({ path }: CheckoutPath, bytes: number): Promise<string> {
  // Not opened before it is known to be a file: a named pipe would hold the reader up.
  if (!(await stat(path)).isFile()) return '';
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.toString('utf8', 0, bytesRead);
}
