/** Load without wrk: a process of its own that writes requests on plain sockets. */
import { mustRun } from '../../images/command.ts';
import { join } from 'node:path';
import type { Load, LoadResult } from './load.ts';

export async function ownLoad(load: Load): Promise<LoadResult> {
  const text = await mustRun([process.execPath, join(import.meta.dirname, 'own-process.ts')], {
    limitMs: load.seconds * 1000 + 30_000,
    input: JSON.stringify(load),
  });
  // Written by the process beside this file.
  return JSON.parse(text) as LoadResult;
}
