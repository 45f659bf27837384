/** Slows guessing: five failures within 15 minutes, per account and per address, close the door for the rest of that time. */
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

const windowMs = 15 * 60_000;
const limits = { account: 5, address: 25 };
const entriesLimit = 10_000;

export interface SignInThrottle {
  /** Throws TOO_MANY_REQUESTS while the door is closed. */
  check(email: string, ip: string): void;
  failed(email: string, ip: string): void;
  succeeded(email: string, ip: string): void;
}

export function createSignInThrottle(clock: Clock): SignInThrottle {
  const failures = new Map<string, { count: number; since: number }>();
  const keys = (email: string, ip: string): [string, number][] => [[`account ${email} ${ip}`, limits.account], [`address ${ip}`, limits.address]];

  return {
    check(email, ip) {
      for (const [key, limit] of keys(email, ip)) {
        const entry = failures.get(key);
        const left = entry ? entry.since + windowMs - clock.now() : 0;
        if (entry && left > 0 && entry.count >= limit) {
          throw new AppError('TOO_MANY_REQUESTS', `Too many failed sign-ins. Try again in ${Math.ceil(left / 60_000)} min.`, { retryAfterMs: left });
        }
        if (entry && left <= 0) failures.delete(key);
      }
    },
    failed(email, ip) {
      if (failures.size > entriesLimit) failures.clear();
      for (const [key] of keys(email, ip)) {
        const entry = failures.get(key) ?? { count: 0, since: clock.now() };
        entry.count += 1;
        failures.set(key, entry);
      }
    },
    succeeded(email, ip) {
      failures.delete(`account ${email} ${ip}`);
    },
  };
}
