/** A host's processes, seen from the machine: no program has to be started in the host for a look. */
import { readdir, readFile } from 'node:fs/promises';
import type { BedHost } from '../host/host.ts';

/** Numbers, within the host, of its processes whose words, joined by spaces, match the pattern. */
export async function processesOf(host: BedHost, pattern: RegExp): Promise<string[]> {
  const numbers = (await readdir(host.path('/proc'))).filter((name) => /^\d+$/.test(name));
  const words = await Promise.all(
    numbers.map((number) => readFile(host.path(`/proc/${number}/cmdline`), 'utf8').catch(() => '')),
  );
  return numbers.filter((_, index) =>
    pattern.test((words[index] ?? '').replace(/\0$/, '').replaceAll('\0', ' ')),
  );
}
