/** Time and chance, passed in so that tests can hold them. */
import { randomFillSync } from 'node:crypto';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601 in UTC with milliseconds. */
export function isoTime(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Fetching random bytes costs the same for few and for many, so they are fetched for some fifty identifiers
 * at once.
 */
const chance = Buffer.alloc(2048);
let used = chance.length;

function randomByte(): number {
  if (used === chance.length) {
    randomFillSync(chance);
    used = 0;
  }
  return chance[used++] ?? 0;
}

/** A random identifier of letters and digits; 21 of them carry 125 bits. */
export function randomId(length = 21): string {
  let id = '';
  while (id.length < length) {
    const byte = randomByte();
    if (byte < 248) id += alphabet[byte % 62];
  }
  return id;
}
