/** The words a person may give to `bin/up`; `--help` is answered before the set-up program can run. */
import { AppError } from '../../server/src/domain/errors.ts';
import { parseOwnHost } from '../../server/src/domain/access/own-host.ts';

export interface UpFlags {
  example: boolean;
  json: boolean;
  /** Path of a backup of Berth that is put back first. */
  restore?: string | undefined;
  /** Host name of Berth's own; empty: none any more. */
  host?: string | undefined;
  /** Takes over proxy, rules and builders of another installation. */
  adopt?: boolean;
  /** A former incarnation of this installation that has ended. */
  giveUp?: string;
}

const known = {
  '--example': 'example',
  '--json': 'json',
} as const satisfies Record<string, 'example' | 'json'>;

/** Reads the arguments; throws BAD_REQUEST naming the first unknown one. */
export function parseUpFlags(argv: readonly string[]): UpFlags {
  const flags: UpFlags = { example: false, json: false };
  const words = [...argv];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--restore') {
      flags.restore = words.shift();
      if (flags.restore === undefined)
        throw new AppError('BAD_REQUEST', 'Give --restore the path of a backup of Berth.');
      continue;
    }
    if (word === '--host') {
      const host = words.shift();
      if (host === undefined)
        throw new AppError('BAD_REQUEST', 'Give --host a name such as berth.example.com, or "" for none.');
      flags.host = host === '' ? '' : parseOwnHost(host, '--host');
      continue;
    }
    if (word === '--adopt') {
      flags.adopt = true;
      continue;
    }
    if (word === '--give-up') {
      const incarnationId = words.shift();
      if (incarnationId === undefined)
        throw new AppError(
          'BAD_REQUEST',
          'Give --give-up the name of the incarnation that has ended, as the refusal shows it.',
        );
      flags.giveUp = incarnationId;
      continue;
    }
    const flag = Object.entries(known).find(([name]) => name === word)?.[1];
    if (flag === undefined) {
      throw new AppError(
        'BAD_REQUEST',
        `bin/up does not know "${word}". It knows --adopt, --example, --give-up NAME, --host NAME, ` +
          '--restore FILE, --json and --help.',
      );
    }
    flags[flag] = true;
  }
  return flags;
}
