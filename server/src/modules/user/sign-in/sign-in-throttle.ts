/**
 * Slows guessing (decisions 2). Five failures within 15 minutes close an account to strangers, whatever their
 * address; a device that signed in before is counted by itself, so that strangers lock nobody out. An address
 * is never closed, since many people may stand behind it: after 100 failures its attempts take turns, and no
 * more than twenty of strangers there wait at a time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isIPv6 } from 'node:net';
import { AppError } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { createHashQueue, type HashQueue } from './hash-queue.ts';

const windowMs = 15 * 60_000;
const accountLimit = 5;
const addressLimit = 100;
/** Between the turns of an address beyond its limit. */
const turnMs = 1000;
/** Attempts of strangers that are not over: of one address, and of all. */
const waitingLimit = 20;
const overallLimit = 1000;
/** Of what anybody can make up: addresses and accounts that do not exist. The oldest goes first. */
const entriesLimit = 10_000;

export interface AttemptOn {
  email: string;
  /** Whether there is such an account; the answer is the same. */
  exists: boolean;
  ip: string;
  /** Name of a device that signed in to the account before. */
  device?: string | undefined;
}

/** An attempt that has begun; it counts as failed until one of these is called. */
export interface Attempt {
  /** What the comparison said. */
  isRight: boolean;
  /** Forgets the failures of whoever attempted. */
  succeeded(): void;
  /** Counts it neither way: it was right so far, but is not over. */
  takenBack(): void;
}

export interface SignInThrottle {
  /**
   * Counts the attempt as failed until it is known better, so that many at once are no more than many one by
   * one, and compares the password when its turn has come. Throws TOO_MANY_REQUESTS while the account is
   * closed to this caller, and, of no known device, while too many wait.
   */
  begin(on: AttemptOn, compare: () => Promise<boolean>): Promise<Attempt>;
}

interface Failures {
  count: number;
  since: number;
  /** When the next attempt of a slowed address has its turn. */
  nextTurn: number;
}

export function createSignInThrottle(
  clock: Clock,
  wait: (ms: number) => Promise<unknown> = pause,
  hashes: HashQueue = createHashQueue(),
): SignInThrottle {
  /** Kept apart, so that a flood of made-up names forgets no real account's failures. */
  const accounts = new Map<string, Failures>();
  const madeUp = new Map<string, Failures>();
  const addresses = new Map<string, Failures>();
  /** Networks of the strangers' attempts that are not over. */
  const waiting = createPlaces();

  function current(buckets: Map<string, Failures>, key: string): Failures {
    const known = buckets.get(key);
    if (known && known.since + windowMs > clock.now()) return known;
    const fresh = { count: 0, since: clock.now(), nextTurn: 0 };
    // Anew at the end, so that the oldest stands first.
    buckets.delete(key);
    buckets.set(key, fresh);
    forgetOld(buckets, buckets === accounts ? Infinity : entriesLimit);
    return fresh;
  }

  function forgetOld(buckets: Map<string, Failures>, limit: number): void {
    for (const [key, { since }] of buckets) {
      if (buckets.size <= limit && since + windowMs > clock.now()) return;
      buckets.delete(key);
    }
  }

  /** A stranger's comparison; `own` counts it only when there is room for it. */
  async function compareOf(
    network: string,
    own: Failures,
    compare: () => Promise<boolean>,
  ): Promise<{ isRight: boolean; address: Failures }> {
    const address = current(addresses, network);
    const leave = waiting.enter(network);
    if (!leave) throw crowded(Math.max(turnMs, address.nextTurn - clock.now()));
    own.count += 1;
    address.count += 1;
    try {
      const ms = takeTurn(address, clock.now());
      if (ms > 0) await wait(ms);
      return { isRight: await hashes.run({ caller: network, isKnown: false }, compare), address };
    } finally {
      leave();
    }
  }

  return {
    async begin({ email, exists, ip, device }, compare) {
      const caller = device === undefined ? email : `device ${device}`;
      const own = current(exists ? accounts : madeUp, caller);
      if (own.count >= accountLimit) throw closed(own.since + windowMs - clock.now());
      if (device === undefined) {
        const { isRight, address } = await compareOf(networkOf(ip), own, compare);
        return attemptOf(isRight, own, address);
      }
      own.count += 1;
      return attemptOf(await hashes.run({ caller, isKnown: true }, compare), own);
    },
  };
}

/** How long until the turn that it takes. */
function takeTurn(address: Failures, now: number): number {
  if (address.count <= addressLimit) return 0;
  const turn = Math.max(now, address.nextTurn);
  address.nextTurn = turn + turnMs;
  return turn - now;
}

function attemptOf(isRight: boolean, own: Failures, address?: Failures): Attempt {
  return {
    isRight,
    succeeded() {
      own.count = 0;
      release(address);
    },
    takenBack() {
      release(own);
      release(address);
    },
  };
}

/** Places to wait in; `enter` gives how to leave, or undefined when there is none. */
function createPlaces(): { enter(network: string): (() => void) | undefined } {
  const taken = new Map<string, number>();
  let all = 0;
  const add = (network: string, change: number): void => {
    const count = (taken.get(network) ?? 0) + change;
    all += change;
    if (count === 0) taken.delete(network);
    else taken.set(network, count);
  };
  return {
    enter(network) {
      if (all >= overallLimit || (taken.get(network) ?? 0) >= waitingLimit) return undefined;
      add(network, 1);
      return () => add(network, -1);
    },
  };
}

function release(failures: Failures | undefined): void {
  if (failures) failures.count = Math.max(0, failures.count - 1);
}

function crowded(retryAfterMs: number): AppError {
  return new AppError(
    'TOO_MANY_REQUESTS',
    'Too many sign-ins are already waiting, from your address or in total, so this one was not checked. ' +
      `Try again in ${Math.ceil(retryAfterMs / 1000)} s, or on a device that signed in to this account ` +
      'before.',
    { retryAfterMs },
  );
}

function closed(retryAfterMs: number): AppError {
  return new AppError(
    'TOO_MANY_REQUESTS',
    `Too many failed sign-ins. Try again in ${Math.ceil(retryAfterMs / 60_000)} min., or on a device that ` +
      'signed in to this account before.',
    { retryAfterMs },
  );
}

/** Whoever has an IPv6 address has all 2^64 of its network. */
function networkOf(ip: string): string {
  return isIPv6(ip) && !/^::ffff:/i.test(ip) ? expanded(ip).slice(0, 4).join(':') : ip;
}

function expanded(ip: string): string[] {
  const [head = '', tail] = ip.split('%', 1).join('').split('::', 2);
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array.from({ length: missing }, () => '0'), ...after].map((group) =>
    group.toLowerCase().replace(/^0+(?=.)/, ''),
  );
}
