/**
 * The kill matrix: every kind of deployment, killed at every call that it makes of anything outside of
 * itself, and gone on with by the next start.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { kinds } from './kinds.ts';
import { createInstallation, type Trial } from './trial.ts';

/** A database writes to it at every step. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const rows: string[] = [];
let uninstall: () => void;

beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => {
  uninstall();
  console.log(['kind                calls  kills   done  error', ...rows].join('\n'));
});

/** The more there are, the longer it takes: a deployment makes so many at most. */
const killsLimit = 400;

describe('a deployment killed at every call', () => {
  test.each(kinds)('$name', async (kind) => {
    const folder = mkdtempSync(join(inMemory, 'berth-kill-'));
    const installation = await createInstallation(kind, folder);
    const trials: Trial[] = [];
    do trials.push(await installation.tryAt(trials.length + 1));
    while (trials.at(-1)?.killedAt !== undefined && trials.length < killsLimit);
    await installation.close();
    rmSync(folder, { recursive: true });
    rows.push(rowOf(kind.name, trials));
    const faults = trials.flatMap(({ killedAt, calls, faults: found, deployment }) =>
      [
        ...found,
        ...(deployment.status === 'done'
          ? []
          : [`it ended as ${deployment.status}: ${deployment.errorMessage}`]),
      ].map((fault) => `killed at call ${calls} (${killedAt}): ${fault}`),
    );
    expect(faults).toEqual([]);
    expect(trials.at(-1)?.killedAt).toBeUndefined();
  });
});

test('a deployment that is killed again and again gives up, and says so', async () => {
  const folder = mkdtempSync(join(inMemory, 'berth-kill-'));
  const [, again] = kinds;
  if (again === undefined) throw new Error('There is no such kind.');
  const installation = await createInstallation(again, folder);
  // Late enough in each start that the job is taken up, and before it can end.
  const { attempts, deployment, faults } = await installation.tryAt(12, [12, 12, 12]);
  await installation.close();
  rmSync(folder, { recursive: true });
  expect(faults.filter((fault) => !fault.startsWith('a job was tried'))).toEqual([]);
  expect({ attempts, status: deployment.status }).toEqual({ attempts: 4, status: 'error' });
  expect(deployment.errorMessage).toMatch(/restarted 3 times during this deployment/);
});

function rowOf(name: string, trials: readonly Trial[]): string {
  const count = (status: string): number =>
    trials.filter(({ deployment }) => deployment.status === status).length;
  const numbers = [trials.at(-1)?.calls ?? 0, trials.length - 1, count('done'), count('error')];
  return `${name.padEnd(18)}${numbers.map((number) => String(number).padStart(7)).join('')}`;
}
