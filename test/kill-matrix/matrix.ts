/**
 * The kill matrix: every kind of deployment, killed at every call that it makes of anything outside of
 * itself, and gone on with by the next start. Two files try a half of the kinds each, at once.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import type { Kind } from './kinds.ts';
import { createInstallation, type Trial } from './trial.ts';

/** A database writes to it at every step. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** The more there are, the longer it takes: a deployment makes so many at most. */
const killsLimit = 400;

/** A folder that is made for a test and goes with it. */
export async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(inMemory, 'berth-kill-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function useVirtualTime(): void {
  let uninstall: () => void;
  beforeAll(() => {
    uninstall = installVirtualTime();
  });
  afterAll(() => uninstall());
}

/** Tests of these kinds, and a table of what came of them. */
export function killAtEveryCall(kinds: readonly Kind[]): void {
  const rows: string[] = [];
  afterAll(() => console.log(['kind                calls  kills   done  error', ...rows].join('\n')));

  describe('a deployment killed at every call', () => {
    test.each(kinds)('$name', (kind) =>
      inFolder(async (folder) => {
        const installation = await createInstallation(kind, folder);
        const trials: Trial[] = [];
        do trials.push(await installation.tryAt(trials.length + 1));
        while (trials.at(-1)?.killedAt !== undefined && trials.length < killsLimit);
        await installation.close();
        rows.push(rowOf(kind.name, trials));
        expect(trials.flatMap(faultsOf)).toEqual([]);
        expect(trials.at(-1)?.killedAt).toBeUndefined();
      }),
    );
  });
}

function faultsOf({ killedAt, calls, faults, deployment: { status, errorMessage } }: Trial): string[] {
  const ended = status === 'done' ? [] : [`it ended as ${status}: ${errorMessage}`];
  return [...faults, ...ended].map((fault) => `killed at call ${calls} (${killedAt}): ${fault}`);
}

function rowOf(name: string, trials: readonly Trial[]): string {
  const count = (status: string): number =>
    trials.filter(({ deployment }) => deployment.status === status).length;
  const numbers = [trials.at(-1)?.calls ?? 0, trials.length - 1, count('done'), count('error')];
  return `${name.padEnd(18)}${numbers.map((number) => String(number).padStart(7)).join('')}`;
}
