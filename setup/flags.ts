/** The words a person may give to `bin/up`; `--help` is answered before the set-up program can run. */
import { AppError } from '../server/src/domain/errors.ts';

export interface UpFlags {
  example: boolean;
  json: boolean;
}

const known = {
  '--example': 'example',
  '--json': 'json',
} as const satisfies Record<string, keyof UpFlags>;

/** Reads the arguments; throws BAD_REQUEST naming the first unknown one. */
export function parseUpFlags(argv: readonly string[]): UpFlags {
  const flags: UpFlags = { example: false, json: false };
  for (const word of argv) {
    const flag = Object.entries(known).find(([name]) => name === word)?.[1];
    if (flag === undefined) {
      throw new AppError('BAD_REQUEST', `bin/up does not know "${word}". It knows --example, --json and --help.`);
    }
    flags[flag] = true;
  }
  return flags;
}
