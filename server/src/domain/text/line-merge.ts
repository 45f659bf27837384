/** Two versions of a text compared by lines, and two changes of the same text put together. Pure. */

/** Pairs of equal lines, in order. */
type Matches = readonly (readonly [number, number])[];

/** Cells of the table of a comparison: 8 MB. Larger middles are one difference as a whole. */
const mostCells = 4_000_000;

/** Lines of `left` and `right` that are the same, as many as can be without crossing. */
function matchesOf(left: readonly string[], right: readonly string[]): Matches {
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head += 1;
  let tail = 0;
  const room = Math.min(left.length, right.length) - head;
  while (tail < room && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;
  const middle = longestCommon(
    left.slice(head, left.length - tail),
    right.slice(head, right.length - tail),
  ).map(([one, other]) => [one + head, other + head] as const);
  return [
    ...Array.from({ length: head }, (_, at) => [at, at] as const),
    ...middle,
    ...Array.from({ length: tail }, (_, at) => {
      const back = tail - at;
      return [left.length - back, right.length - back] as const;
    }),
  ];
}

function longestCommon(left: readonly string[], right: readonly string[]): Matches {
  const width = right.length + 1;
  if (left.length === 0 || right.length === 0 || (left.length + 1) * width > mostCells) return [];
  const lengths = new Uint16Array((left.length + 1) * width);
  const cell = (one: number, other: number): number => lengths[one * width + other] ?? 0;
  for (let one = left.length - 1; one >= 0; one -= 1)
    for (let other = right.length - 1; other >= 0; other -= 1)
      lengths[one * width + other] =
        left[one] === right[other]
          ? cell(one + 1, other + 1) + 1
          : Math.max(cell(one + 1, other), cell(one, other + 1));
  const found: [number, number][] = [];
  for (let one = 0, other = 0; one < left.length && other < right.length; ) {
    if (left[one] === right[other]) found.push([one++, other++]);
    else if (cell(one + 1, other) >= cell(one, other + 1)) one += 1;
    else other += 1;
  }
  return found;
}

export interface Merged {
  /** Where both changed the same lines, those of `own`. */
  text: string;
  /** Places that both changed differently, with their lines in each text. */
  conflicts: { own: string[]; other: string[] }[];
}

/** What `own` and `other` made of `base`, together. */
export function mergeLines(base: string, own: string, other: string): Merged {
  const [was, mine, theirs] = [base.split('\n'), own.split('\n'), other.split('\n')];
  const inMine = new Map(matchesOf(was, mine));
  const inTheirs = new Map(matchesOf(was, theirs));
  const lines: string[] = [];
  const conflicts: Merged['conflicts'] = [];
  let [atWas, atMine, atTheirs] = [0, 0, 0];
  const closeGap = (toWas: number, toMine: number, toTheirs: number): void => {
    const [before, left, right] = [
      was.slice(atWas, toWas),
      mine.slice(atMine, toMine),
      theirs.slice(atTheirs, toTheirs),
    ];
    if (isSame(left, before)) lines.push(...right);
    else {
      lines.push(...left);
      if (!isSame(right, before) && !isSame(left, right)) conflicts.push({ own: left, other: right });
    }
  };
  for (let line = 0; line < was.length; line += 1) {
    const [left, right] = [inMine.get(line), inTheirs.get(line)];
    if (left === undefined || right === undefined) continue;
    closeGap(line, left, right);
    lines.push(was[line] ?? '');
    [atWas, atMine, atTheirs] = [line + 1, left + 1, right + 1];
  }
  closeGap(was.length, mine.length, theirs.length);
  return { text: lines.join('\n'), conflicts };
}

const isSame = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((line, at) => line === right[at]);

const around = 3;

/** The lines that differ with three around them, as `diff -u` prints them without its head; empty: none. */
export function lineDifference(from: string, to: string): string {
  const [left, right] = [from.split('\n'), to.split('\n')];
  const rows: string[] = [];
  let [one, other] = [0, 0];
  for (const [nextOne, nextOther] of [...matchesOf(left, right), [left.length, right.length] as const]) {
    rows.push(...left.slice(one, nextOne).map((line) => `-${line}`));
    rows.push(...right.slice(other, nextOther).map((line) => `+${line}`));
    if (nextOne < left.length) rows.push(` ${left[nextOne] ?? ''}`);
    [one, other] = [nextOne + 1, nextOther + 1];
  }
  const isNear = (at: number): boolean =>
    rows.slice(Math.max(0, at - around), at + around + 1).some((row) => !row.startsWith(' '));
  return rows
    .flatMap((row, at) => (isNear(at) ? [row] : isNear(at - 1) && at > 0 ? ['…'] : []))
    .join('\n')
    .replace(/\n…$/, '');
}
