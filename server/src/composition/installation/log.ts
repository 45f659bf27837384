/** Berth's own log: JSON lines on stdout, every text through the redactor. */
import { pino } from 'pino';
import { causesOf } from '../../domain/text/causes.ts';
import { createRedactor } from '../../domain/secrets/redactor.ts';
import { randomId } from '../../ports/clock.ts';

export interface Log {
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  /** Writes an unexpected failure with its cause and gives the id it stands under. */
  fault(error: unknown, where: string, id?: string): string;
}

/** `write` gets whole lines. */
export function createLog(
  level: string,
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Log {
  const redact = createRedactor();
  const logger = pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => write(redact(line)) },
  );
  return {
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    fault(error, where, id = randomId(12)) {
      logger.error({ id, where, error: causesOf(error) }, 'Something went wrong');
      return id;
    },
  };
}
