import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BedRecord } from './host/host-record.ts';
import { scriptFolder } from './layout.ts';
import { identify, isAlive, type ProcessIdentity } from './machine/process-identity.ts';

/**
 * Starts a small process that waits for the owner's end and then closes what it left: kill -9 leaves nothing
 * either.
 */
export async function startGuard(owner: number): Promise<ProcessIdentity | null> {
  const child = spawn(
    'sh',
    [join(scriptFolder, 'guard.sh'), String(owner), process.execPath, join(scriptFolder, 'main.ts')],
    { detached: true, stdio: 'ignore' },
  );
  await once(child, 'spawn');
  child.unref();
  return identify(child.pid ?? 0);
}

/** Ends a bed's guard with its child, unless it is the guard itself that closes the bed. */
export async function endGuard({ guard }: BedRecord): Promise<void> {
  if (guard === null || guard.pid === process.pid || !(await isAlive(guard))) return;
  try {
    process.kill(-guard.pid, 'SIGKILL');
  } catch (error) {
    // It ended in the meantime.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
