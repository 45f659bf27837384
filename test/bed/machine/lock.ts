import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * The longest that another run may hold a lock: 12 minutes in seconds, more than any of its uses can take.
 */
const limitSeconds = 12 * 60;

/**
 * Runs the action while no other process holds the lock of that file. The kernel keeps it through a child
 * that ends with this process, so a lock cannot outlive its holder.
 */
export async function withLock<Result>(file: string, action: () => Promise<Result>): Promise<Result> {
  const holder = spawn(
    'flock',
    ['--exclusive', '--timeout', String(limitSeconds), file, 'sh', '-c', 'echo held; exec cat'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(holder, 'exit');
  const held = await Promise.race([once(holder.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!held) throw new Error(`${file} is held by another run for more than ${limitSeconds / 60} minutes.`);
  try {
    return await action();
  } finally {
    holder.stdin.end();
    await ended;
  }
}
