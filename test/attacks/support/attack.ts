/**
 * Attacks as they were made, and what came of each: with the program as it is built, and composed without
 * the wall that holds it, so that no attack is one that cannot succeed.
 */
import { appendFileSync } from 'node:fs';
import { inject } from 'vitest';
import type { AttackRow, Outcome } from './rows.ts';

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
