/** A folder as the server sees it once it is sent. */
import { open } from 'node:fs/promises';
import { viewOfFiles } from '../../server/src/domain/builds/builds.ts';
import type { SourceFiles } from '../../server/src/domain/builds/source-files.ts';
import { filesToSend } from './walk.ts';

export async function viewOf(folder: string): Promise<SourceFiles> {
  const files = await filesToSend(folder);
  return viewOfFiles(new Map(files.map(({ path, from }) => [path, from])), beginningOf);
}

async function beginningOf(path: string, mostBytes: number): Promise<Uint8Array> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(mostBytes) });
  return buffer.subarray(0, bytesRead);
}
