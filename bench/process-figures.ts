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
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
