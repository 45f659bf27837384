/** What cannot be read for now: tried again, later each time; told once when it begins, and when it ends. */
import { AppError, sentenceOf } from '../../domain/errors.ts';
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

export interface TroubleLog {
  info(message: string, fields: object): void;
  warn(message: string, fields: object): void;
  fault(error: unknown, where: string): unknown;
}

/** A server that is away, or a service that has just ended, is no fault of Berth. */
export const toldTo = (log: TroubleLog): Pick<PatiencePorts, 'onTrouble' | 'onOver'> => ({
  onTrouble(what, error) {
    if (error instanceof AppError)
      log.warn('Output cannot be read for log drains', { what, why: sentenceOf(error) });
    else log.fault(error, `log drain, ${what}`);
  },
  onOver: (what) => log.info('Output can be read for log drains again', { what }),
});

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
