/** Chance that a number repeats: the same seed gives the same values (mulberry32). */
export interface Random {
  /** 0 ≤ value < 1. */
  next(): number;
  /** 0 ≤ value < limit. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  pickFrom<T>(items: readonly T[]): T | undefined;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: ([first, ...rest]) => rest[below(rest.length + 1) - 1] ?? first,
    pickFrom: (items) => items[below(items.length)],
  };
}
