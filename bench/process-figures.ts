/** What the kernel says of a process (proc(5)). */
import { readFileSync } from 'node:fs';

/** The kernel counts CPU time in ticks of 10 ms on every Linux we run on. */
const tickMicroseconds = 10_000;

/** CPU time used so far by all threads, in microseconds. */
export function cpuMicroseconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything; the fields begin after it, with the state as field 3.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMicroseconds;
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  return statusBytes(pid, 'VmRSS');
}

/** The most that resident memory has been since it was last reset (5 into clear_refs), in bytes. */
export function peakBytes(pid: number): number {
  return statusBytes(pid, 'VmHWM');
}

function statusBytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
}
