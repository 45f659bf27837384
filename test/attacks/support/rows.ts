/** The table of the whole suite: attack → outcome, with the walls and without. */
import { z } from 'zod';

/** What an attacker got; `said` is what was answered instead, or a piece of the loot. */
export interface Outcome {
  succeeded: boolean;
  said: string;
}

const rowShape = z.object({
  title: z.string(),
  attack: z.string(),
  walls: z.enum(['as built', 'left out']),
  succeeded: z.boolean(),
  said: z.string(),
});
export type AttackRow = z.output<typeof rowShape>;

const width = 180;

/** `text` has a row of JSON on each line. */
export function attackLines(text: string): string[] {
  const rows = text
    .split('\n')
    .filter(Boolean)
    .map((line) => rowShape.parse(JSON.parse(line)));
  const keyOf = ({ title, attack }: AttackRow): string => `${title}: ${attack}`;
  const pairs = [...Map.groupBy(rows, keyOf)].toSorted(([one], [other]) => one.localeCompare(other));
  const outcomeOf = (of: readonly AttackRow[], walls: AttackRow['walls']): string => {
    const row = of.findLast((each) => each.walls === walls);
    if (row === undefined) return '-';
    return row.succeeded ? 'succeeded' : 'held';
  };
  const lines = pairs.map(([key, of]) => {
    const said = of.find(({ walls }) => walls === 'as built')?.said ?? '';
    const outcomes = [outcomeOf(of, 'as built'), outcomeOf(of, 'left out')].map((one) => one.padEnd(9));
    return [...outcomes, key, said.replaceAll(/\s+/g, ' ')].join(' | ').slice(0, width);
  });
  const count = (walls: AttackRow['walls'], outcome: string): number =>
    pairs.filter(([, of]) => outcomeOf(of, walls) === outcome).length;
  return [
    'as built  | left out  | attack | what was said as built',
    ...lines,
    `attacks: ${pairs.length}; ${count('as built', 'held')} held as built, ` +
      `${count('as built', 'succeeded')} succeeded; ${count('left out', 'succeeded')} succeeded with the ` +
      `wall left out, ${count('left out', 'held')} did not`,
  ];
}
