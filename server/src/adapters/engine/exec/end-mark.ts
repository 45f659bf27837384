/** A mark behind the last byte of a program's output, by which a cut is told from the end. */
import { randomBytes } from 'node:crypto';
import { AppError } from '../../../domain/errors.ts';

export interface EndMark {
  /** Runs the program and writes the mark behind its output when it ends with 0; its exit code stays. */
  command(
    argv: readonly [string, ...string[]],
    shell?: readonly [string, ...string[]],
  ): { entrypoint: readonly string[]; args: string[]; env: string };
  /** The output without the mark. `isWhole` is true once the mark was the last of it. */
  strip(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  isWhole(): boolean;
}

const variable = 'BERTH_END_MARK';

export function createEndMark(): EndMark {
  const mark = Buffer.from(`\n${randomBytes(16).toString('hex')}`);
  let isWhole = false;
  return {
    command: (argv, shell = ['sh']) => ({
      entrypoint: shell,
      args: ['-c', `"$@" && printf '\\n%s' "$${variable}"`, 'sh', ...argv],
      env: `${variable}=${mark.toString().trim()}`,
    }),
    async *strip(chunks) {
      let held: Buffer = Buffer.alloc(0);
      for await (const chunk of chunks) {
        const all = Buffer.concat([held, chunk]);
        const end = Math.max(0, all.length - mark.length);
        held = all.subarray(end);
        if (end > 0) yield all.subarray(0, end);
      }
      isWhole = held.equals(mark);
      if (!isWhole && held.length > 0) yield held;
    },
    isWhole: () => isWhole,
  };
}

export function cutOff(program: string): AppError {
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The engine lost the end of the output of ${program}, although ${program} succeeded: the machine was ` +
      'too busy to read it in time. Nothing was kept; try again when the load is lower.',
  );
}
