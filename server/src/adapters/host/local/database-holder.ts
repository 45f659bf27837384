/** Who holds the database that Berth works with, told apart from a copy of the data folder elsewhere. */
import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';

/** This process; `place` is the same for each Berth of the data folder until the machine starts anew. */
export function databaseHolder(
  data: string,
  holderId: string,
): { holderId: string; place: string; host: string; data: string } {
  const { dev, ino } = statSync(data, { bigint: true });
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return { holderId, place: hash('sha256', `${boot} ${dev} ${ino}`, 'hex'), host: hostname(), data };
}
