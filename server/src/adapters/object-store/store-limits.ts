/** Limits of the calls of a store: rclone itself may wait for ever for an answer. */
import { AppError } from '../../domain/errors.ts';
import type { PipedChild } from '../../shell/piped.ts';

/** Milliseconds. */
export interface StoreLimits {
  /** One request and its answer: looking an object up, removing it. */
  call: number;
  list: number;
  /** Renaming: for each object, and for each megabyte that the store copies within itself. */
  rename: number;
  renameMegabyte: number;
  /** A read without a byte from the store. */
  readIdle: number;
  /** A write of which the store takes nothing. A part has 32 MiB, and slow lines need their time. */
  writeIdle: number;
  /** The store's answer to a whole write. */
  finish: number;
  /** The question about the bucket before a call. */
  ask: number;
}

export const storeLimits: StoreLimits = {
  call: 90_000,
  list: 900_000,
  rename: 300_000,
  renameMegabyte: 250,
  readIdle: 180_000,
  writeIdle: 600_000,
  finish: 900_000,
  ask: 15_000,
};

/** Of a trial, which stores a hundred bytes while somebody waits. */
export const trialLimits: StoreLimits = {
  call: 20_000,
  list: 20_000,
  rename: 20_000,
  renameMegabyte: 250,
  readIdle: 20_000,
  writeIdle: 20_000,
  finish: 20_000,
  ask: 5_000,
};

export interface Watch {
  /** Ends the program unless `rest` is called within this time. */
  expect(limitMs: number, doing: string): void;
  rest(): void;
  /** Why the program was ended; undefined when it was not. */
  late(): AppError | undefined;
}

export function watchOver(child: Pick<PipedChild, 'kill'>, endpoint: string): Watch {
  let timer: NodeJS.Timeout | undefined;
  let fault: AppError | undefined;
  const rest = (): void => clearTimeout(timer);
  return {
    rest,
    late: () => fault,
    expect(limitMs, doing) {
      rest();
      timer = setTimeout(() => {
        fault = new AppError(
          'SERVICE_UNAVAILABLE',
          `The destination failed: ${endpoint} gave no answer for ${shown(limitMs)} while ${doing}. Check ` +
            'that the store works and the network to it, then try again.',
        );
        child.kill();
      }, limitMs);
    },
  };
}

function shown(ms: number): string {
  return ms < 120_000 ? `${ms / 1000} seconds` : `${Math.round(ms / 60_000)} minutes`;
}
