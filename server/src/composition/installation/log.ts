/** Berth's own log: JSON lines on stdout, every text through the redactor. */
import { causesOf } from '../../domain/text/causes.ts';
import { createRedactor } from '../../domain/secrets/redactor.ts';
import { randomId } from '../../ports/clock.ts';

export interface Log {
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  /** Writes an unexpected failure with its cause and gives the id it stands under. */
  fault(error: unknown, where: string, id?: string): string;
}

const ranks = { debug: 0, info: 1, warn: 2, error: 3 } as const;

/** `write` gets whole lines. */
export function createLog(
  level: keyof typeof ranks,
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Log {
  const redact = createRedactor();
  const say = (as: keyof typeof ranks, fields: object, msg: string): void => {
    if (ranks[as] < ranks[level]) return;
    const time = new Date().toISOString();
    write(redact(`${JSON.stringify({ level: as, time, ...fields, msg })}\n`));
  };
  return {
    info: (message, fields = {}) => say('info', fields, message),
    warn: (message, fields = {}) => say('warn', fields, message),
    fault(error, where, id = randomId(12)) {
      say('error', { id, where, error: causesOf(error) }, 'Something went wrong');
      return id;
    },
  };
}
