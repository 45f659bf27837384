/** "Did you mean": the known word that a mistyped one is nearest to. */

/** The nearest of the words, when it is near enough to be meant; undefined otherwise. */
export function closest(word: string, known: Iterable<string>): string | undefined {
  let best: { word: string; distance: number } | undefined;
  for (const one of known) {
    const distance = distanceBetween(word.toLowerCase(), one.toLowerCase());
    if (distance < (best?.distance ?? Infinity)) best = { word: one, distance };
  }
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.word : undefined;
}

/** ` Did you mean …?`, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const near = closest(word, known);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}

/** Letters to insert, remove, replace or swap with their neighbour (Damerau, Levenshtein). */
function distanceBetween(from: string, to: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap && row > 1 && column > 1 ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, last] = [last, next];
  }
  return last[to.length] ?? 0;
}
