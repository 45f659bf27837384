import { AppError, sentenceOf } from '../../domain/errors.ts';

export interface TroubleLog {
  warn(message: string, fields: object): void;
  fault(error: unknown, where: string): unknown;
}

/** A server that is away, or a service that has just ended, is no fault of Berth; whatever else is. */
export function logTrouble(log: TroubleLog): (what: string, error: unknown) => void {
  return (what, error) => {
    if (error instanceof AppError)
      log.warn('Output cannot be read for log drains', { what, why: sentenceOf(error) });
    else log.fault(error, 'log drain');
  };
}
