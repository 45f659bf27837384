/**
 * Knowing a process again, and ending exactly it: a pid alone may have been given to another process since.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { bootId, markOf, pids, readStat } from './proc.ts';
import type { ProcessStat } from './proc.ts';
import type { ProcessIdentity } from '../domain/states/process-identity.ts';

/**
 * The identity of a running process; undefined when there is none of that pid. `mark` is the run's mark where
 * the caller knows it.
 */
export function identityOf(pid: number, mark = markOf(pid)): ProcessIdentity | undefined {
  const stat = readStat(pid);
  return stat === undefined ? undefined : { pid, startTime: `${stat.startTime}/${bootId()}/${mark}` };
}

/**
 * Whether this very process still runs; one that has ended and was not yet collected by its parent does not.
 */
export function isAlive(identity: ProcessIdentity): boolean {
  const stat = readStat(identity.pid);
  return stat !== undefined && !stat.ended && isSame(identity, stat);
}

/**
 * Ends the process group of this process and whatever bears its mark: TERM, and KILL after `graceMs` (default
 * 5,000). Answers whether all of it is gone, at the latest 5 s after the KILL. A process that merely has the
 * same pid or group number is never signalled.
 */
export async function endProcessGroup(
  identity: ProcessIdentity,
  options: { graceMs?: number } = {},
): Promise<boolean> {
  const run = trackRun(identity);
  const grace = options.graceMs ?? 5000;
  if (grace > 0 && (await signalUntilGone(run, 'SIGTERM', grace))) return true;
  return signalUntilGone(run, 'SIGKILL', 5000);
}

/** The live processes of the run: its group, and those that bear its mark in another group. */
export function membersOf(identity: ProcessIdentity): number[] {
  return trackRun(identity).members();
}

interface Run {
  members(): number[];
}

/**
 * Looks at the run again and again; a process once seen as a part of it stays one, also when the group's
 * leader is gone.
 */
function trackRun(identity: ProcessIdentity): Run {
  const { startTime, boot, mark } = partsOf(identity);
  const known = new Map<number, string>();
  const isKnown = (pid: number, stat = readStat(pid)) =>
    stat !== undefined && known.get(pid) === stat.startTime;
  const members = () => {
    if (boot !== bootId()) return [];
    const leader = readStat(identity.pid);
    // While the leader can be recognised the group number belongs to nobody else; afterwards only the mark
    // and what was seen before tell.
    const groupIsOurs = leader !== undefined && isSame(identity, leader);
    const isMember = (pid: number, stat: ProcessStat) =>
      (groupIsOurs && stat.group === identity.pid) ||
      isKnown(pid, stat) ||
      isKnown(stat.parent) ||
      (mark !== '' && markOf(pid) === mark);
    const found: number[] = [];
    for (const pid of pids()) {
      const stat = readStat(pid);
      // A part of the run is never older than its leader.
      if (
        stat === undefined ||
        stat.ended ||
        pid === process.pid ||
        BigInt(stat.startTime) < BigInt(startTime)
      )
        continue;
      if (isMember(pid, stat)) found.push(pid);
    }
    known.clear();
    for (const pid of found) {
      const stat = readStat(pid);
      if (stat !== undefined) known.set(pid, stat.startTime);
    }
    return found;
  };
  return { members };
}

/** Signals each member once, those too that are forked while we look. */
async function signalUntilGone(run: Run, name: 'SIGTERM' | 'SIGKILL', limitMs: number): Promise<boolean> {
  const signalled = new Set<number>();
  for (let waited = 0; ; waited += 50) {
    const members = run.members();
    if (members.length === 0) return true;
    if (waited >= limitMs) return false;
    for (const pid of members) if (!signalled.has(pid)) signal(pid, name);
    for (const pid of members) signalled.add(pid);
    await sleep(50);
  }
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It ended between the look and the signal.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function isSame(identity: ProcessIdentity, stat: ProcessStat): boolean {
  const { startTime, boot } = partsOf(identity);
  return startTime === stat.startTime && boot === bootId();
}

function partsOf(identity: ProcessIdentity): { startTime: string; boot: string; mark: string } {
  const [startTime = '', boot = '', mark = ''] = identity.startTime.split('/');
  return { startTime: /^[0-9]+$/.test(startTime) ? startTime : '0', boot, mark };
}
