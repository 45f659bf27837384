/**
 * Attacks as they were made, and what came of each: with the program as it is built, and composed without
 * the wall that holds it, so that no attack is one that cannot succeed.
 */
import { appendFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inject } from 'vitest';
import { ofThisRun } from '../../run/mode.ts';
import type { AttackRow, Outcome } from './rows.ts';

const attackFiles = readdirSync(join(import.meta.dirname, '..'))
  .filter((name) => name.endsWith('.attack.test.ts'))
  .toSorted();
/** A Berth composed anew, and attacks that succeed, take as long as the walls themselves. */
const leftOutHere = ofThisRun(attackFiles, 6);

/**
 * Whether this run makes the attacks of a file on a Berth that is composed without their wall: with `--long`
 * those of every file, in the ordinary run those of a sixth of the files, by its seed. `url` is the file's
 * `import.meta.url`.
 */
export const leavesOutWall = (url: string): boolean => leftOutHere.includes(basename(url));

export interface AttackTable {
  /** For the table of the whole suite, which is printed at its end. Gives the outcome. */
  note(attack: string, walls: AttackRow['walls'], outcome: Outcome | Promise<Outcome>): Promise<Outcome>;
}

/** `title` says what the attacks of a file are on. */
export function attackTable(title: string): AttackTable {
  const path = inject('attackRows');
  return {
    async note(attack, walls, outcome) {
      const came = await outcome;
      const row: AttackRow = { title, attack, walls, ...came };
      appendFileSync(path, `${JSON.stringify(row)}\n`);
      return came;
    },
  };
}
