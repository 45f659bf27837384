/** Berth's own log: JSON lines on stdout, every text through the redactor. */
import { causesOf } from '../../domain/text/causes.ts';
import { logLine, type LogLevel } from '../../domain/text/log-line.ts';
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
  least: LogLevel,
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Log {
  const redact = createRedactor();
  const say = (level: LogLevel, fields: object, msg: string): void =>
    write(redact(logLine(least, { level, time: new Date().toISOString(), fields, msg })));
  return {
    info: (message, fields = {}) => say('info', fields, message),
    warn: (message, fields = {}) => say('warn', fields, message),
    fault(error, where, id = randomId(12)) {
      say('error', { id, where, error: causesOf(error) }, 'Something went wrong');
      return id;
    },
  };
}
