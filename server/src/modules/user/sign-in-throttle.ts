/** Slows guessing: five failures within 15 minutes, per account and per address, close the door for the rest of that time. */
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

const windowMs = 15 * 60_000;
const limits = { account: 5, address: 25 };
const entriesLimit = 10_000;

export interface SignInThrottle {
  /** Counts the attempt as failed until it is known better, so that many at once are no more than many one by one. Throws TOO_MANY_REQUESTS while the door is closed. */
  begin(email: string, ip: string): void;
  /** Takes the attempt back and forgets the account's failures. */
  succeeded(email: string, ip: string): void;
}

export function createSignInThrottle(clock: Clock): SignInThrottle {
  const failures = new Map<string, { count: number; since: number }>();
  const accountOf = (email: string, ip: string): string => `account ${email} ${ip}`;
  const addressOf = (ip: string): string => `address ${ip}`;

  /** Milliseconds until the door opens again; 0 when it is open. */
  function waiting(key: string, limit: number): number {
    const entry = failures.get(key);
    if (!entry) return 0;
    const left = entry.since + windowMs - clock.now();
    if (left <= 0) failures.delete(key);
    return left > 0 && entry.count >= limit ? left : 0;
  }
  function count(key: string): void {
    const entry = failures.get(key) ?? { count: 0, since: clock.now() };
    entry.count += 1;
    failures.set(key, entry);
  }

  return {
    begin(email, ip) {
      const left = Math.max(
        waiting(accountOf(email, ip), limits.account),
        waiting(addressOf(ip), limits.address),
      );
      if (left > 0)
        throw new AppError(
          'TOO_MANY_REQUESTS',
          `Too many failed sign-ins. Try again in ${Math.ceil(left / 60_000)} min.`,
          { retryAfterMs: left },
        );
      if (failures.size > entriesLimit) failures.clear();
      count(accountOf(email, ip));
      count(addressOf(ip));
    },
    succeeded(email, ip) {
      failures.delete(accountOf(email, ip));
      const address = failures.get(addressOf(ip));
      if (address) address.count -= 1;
    },
  };
}
