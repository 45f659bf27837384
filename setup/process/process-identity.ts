/**
 * Which process a pid means. A pid is used again after its process ended, so a process is known by pid, start
 * time (ticks since the machine started, proc(5) field 22) and the machine's boot; only a full match is ever
 * signalled.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { z } from 'zod';

export const processIdentitySchema = z.object({
  pid: z.number().int().positive(),
  startTicks: z.string(),
  boot: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** The identity of a live process; undefined when there is none, or only its unreaped remains. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  const boot = readProc('/proc/sys/kernel/random/boot_id')?.trim();
  if (stat === undefined || boot === undefined) return undefined;
  const fields = parseStat(stat);
  if (fields === undefined || fields.state === 'Z' || fields.state === 'X') return undefined;
  return { pid, startTicks: fields.startTicks, boot };
}

/** Whether that very process still lives. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identify(identity.pid);
  return now !== undefined && now.startTicks === identity.startTicks && now.boot === identity.boot;
}

/** Sends the signal to that very process; false when it is gone (the pid may belong to another by now). */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** State and start time out of /proc/<pid>/stat; the name in brackets may itself hold spaces and brackets. */
export function parseStat(stat: string): { state: string; startTicks: string } | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  return state === undefined || startTicks === undefined ? undefined : { state, startTicks };
}

/**
 * Live processes whose program name (the kernel's, at most 15 characters) is this one, in this process's own
 * network: what runs inside containers is also listed in /proc, but is no concern of the machine.
 */
export function processesNamed(name: string): ProcessIdentity[] {
  const ownNetwork = networkOf('self');
  return readdirSync('/proc')
    .filter(
      (entry) =>
        /^\d+$/.test(entry) &&
        readProc(`/proc/${entry}/comm`)?.trim() === name &&
        networkOf(entry) === ownNetwork,
    )
    .map((entry) => identify(Number(entry)))
    .filter((identity) => identity !== undefined);
}

/** The variables a process was started with; undefined when it is gone. */
export function environmentOf(pid: number): Record<string, string> | undefined {
  const text = readProc(`/proc/${pid}/environ`);
  if (text === undefined) return undefined;
  const pairs = text.split('\0').filter((entry) => entry.includes('='));
  return Object.fromEntries(
    pairs.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

/** Name of a process's network namespace (namespaces(7)); undefined when the process is gone. */
function networkOf(entry: string): string | undefined {
  try {
    return readlinkSync(`/proc/${entry}/ns/net`);
  } catch {
    return undefined;
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process ended between the listing and the reading: there is nothing to tell of it.
    return undefined;
  }
}
