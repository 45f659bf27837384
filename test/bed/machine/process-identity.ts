import { readFile } from 'node:fs/promises';
import { growingPause } from './pauses.ts';

/**
 * A process that cannot be confused with a later one of the same number: the kernel's start time is part of
 * it.
 */
export interface ProcessIdentity {
  pid: number;
  /** Field 22 of /proc/<pid>/stat: clock ticks since the machine started. */
  startTime: string;
}

/** The identity of a running process; null when there is none or it is only waiting to be collected. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // The program's name stands in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = fields[19];
  return startTime === undefined || fields[0] === 'Z' ? null : { pid, startTime };
}

export async function isAlive(process: ProcessIdentity): Promise<boolean> {
  return (await identify(process.pid))?.startTime === process.startTime;
}

/**
 * Sends the signal only to exactly this process, and waits until it is gone. Gives false when it is not gone
 * in time.
 */
export async function end(
  target: ProcessIdentity,
  signal: NodeJS.Signals,
  limitMs: number,
): Promise<boolean> {
  if (!(await isAlive(target))) return true;
  try {
    process.kill(target.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
  return waitUntil(async () => !(await isAlive(target)), limitMs);
}

/**
 * Asks until the answer is true, soon and then up to every 200 ms; gives false after the limit
 * (milliseconds).
 */
export async function waitUntil(condition: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  const until = Date.now() + limitMs;
  const pause = growingPause(200, 25);
  while (!(await condition())) {
    if (Date.now() > until) return false;
    await pause();
  }
  return true;
}
