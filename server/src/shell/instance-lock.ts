/** Only one Berth works on a data folder: its pid with start time stands in a file there. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { asProcessIdentity, type ProcessIdentity } from '../domain/states/process-identity.ts';
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

/** Whether a Berth that lives works on the data folder. */
export function isInUse(data: string): boolean {
  const holder = read(join(data, 'berth.pid'));
  return holder !== undefined && holder.pid !== process.pid && isAlive(holder);
}

function read(path: string): ProcessIdentity | undefined {
  try {
    return asProcessIdentity(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Absent, or torn by a crash while it was written: nobody holds the folder.
    return undefined;
  }
}
