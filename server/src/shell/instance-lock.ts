/** Only one Berth works on a data folder: its pid with start time stands in a file there. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { identityOf, isAlive } from './process-identity.ts';

/** Throws PRECONDITION_FAILED while another Berth lives on the folder; gives the function that frees it. */
export function lockInstance(data: string): () => void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  // Also a folder that somebody else made: it holds keys, logs and sources.
  chmodSync(data, 0o700);
  const path = join(data, 'berth.pid');
  const holder = read(path);
  if (holder && holder.pid !== process.pid && isAlive(holder)) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `Another Berth (process ${holder.pid}) is using ${data}. Stop it first, or give this one a data ` +
        'folder of its own (BERTH_DATA).',
    );
  }
  writeFileSync(path, JSON.stringify(identityOf(process.pid)), { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

function read(path: string): { pid: number; startTime: string } | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const pid: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'pid') : undefined;
    const startTime: unknown =
      typeof value === 'object' && value !== null ? Reflect.get(value, 'startTime') : undefined;
    return typeof pid === 'number' && typeof startTime === 'string' ? { pid, startTime } : undefined;
  } catch {
    // Absent, or torn by a crash while it was written: nobody holds the folder.
    return undefined;
  }
}
