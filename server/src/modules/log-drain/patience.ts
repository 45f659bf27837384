/** What cannot be read for now: tried again, later each time, and told once when it begins and ends. */
import type { Clock } from '../../ports/clock.ts';

export interface PatiencePorts {
  clock: Clock;
  /** `what` cannot be read from now on. */
  onTrouble(what: string, error: unknown): void;
  /** It can be read again. */
  onOver(what: string): void;
}

export interface Patience {
  /** Whether it may be tried now. */
  isDue(what: string): boolean;
  isInTrouble(what: string): boolean;
  failed(what: string, error: unknown): void;
  succeeded(what: string): void;
  /** Nobody wants it any more. */
  forget(what: string): void;
}

const pausesMs = [2, 5, 15].map((seconds) => seconds * 1000);
const longestPauseMs = 60_000;

/** Until the next attempt, in ms, after so many failures before this one. */
export const pauseAfter = (failures: number): number => pausesMs[failures] ?? longestPauseMs;

export function createPatience({ clock, onTrouble, onOver }: PatiencePorts): Patience {
  const troubles = new Map<string, { failures: number; nextAt: number }>();
  return {
    isDue: (what) => (troubles.get(what)?.nextAt ?? 0) <= clock.now(),
    isInTrouble: (what) => troubles.has(what),
    failed(what, error) {
      const failures = troubles.get(what)?.failures ?? 0;
      if (failures === 0) onTrouble(what, error);
      troubles.set(what, { failures: failures + 1, nextAt: clock.now() + pauseAfter(failures) });
    },
    succeeded(what) {
      if (troubles.delete(what)) onOver(what);
    },
    forget: (what) => void troubles.delete(what),
  };
}
