/** A choice by seed, the same on every machine. */

/** `count` of the values, in their order. */
export function sample<Value>(values: readonly Value[], count: number, seed: number): Value[] {
  const random = generator(seed);
  const left = values.map((_, index) => index);
  const chosen = Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat();
  return chosen.toSorted((a, b) => a - b).flatMap((index) => values.slice(index, index + 1));
}

/** Mulberry32: numbers from 0 to below 1. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
