import { setTimeout as sleep } from 'node:timers/promises';
import { amount, type Figure } from '../figure.ts';
import { residentBytes } from '../process-figures.ts';
import type { Pair } from './pair.ts';

const megabyte = 1_000_000;
const memoryBudget = 130;
const startBudgetMs = 1000;

/** Memory of the whole control plane before it has served anything but its first answer. */
export function idleMemory({ berth, baseline }: Pair): Figure {
  const own = residentBytes(berth.pid) / megabyte;
  return {
    name: 'idle memory (RSS)',
    kind: 'absolute',
    measured: amount(own, 'MB'),
    baseline: amount(residentBytes(baseline.pid) / megabyte, 'MB'),
    budget: `≤ ${memoryBudget} MB`,
    isKept: own <= memoryBudget,
  };
}

const quietSeconds = 30;
const memoryAfterLoadBudget = 160;

/**
 * Memory after the load of the other figures: at once, when no budget holds, and after half a minute with
 * nothing to do (ADR 43). A leak would show here.
 */
export async function memoryAfterLoad({ berth, baseline }: Pair): Promise<Figure> {
  const processes = [berth, baseline];
  const taken = (): number[] => processes.map(({ pid }) => residentBytes(pid) / megabyte);
  const atOnce = taken();
  await sleep(quietSeconds * 1000);
  const later = taken();
  const [measured, ofBaseline] = processes.map(
    (_, index) =>
      `${amount(atOnce[index] ?? 0, 'MB')}; ` +
      `${amount(later[index] ?? 0, 'MB')} after ${quietSeconds} s of quiet`,
  );
  return {
    name: 'memory after the load (RSS)',
    kind: 'absolute',
    measured: measured ?? '',
    baseline: ofBaseline ?? '',
    budget: `≤ ${memoryAfterLoadBudget} MB once quiet`,
    isKept: (later[0] ?? 0) <= memoryAfterLoadBudget,
  };
}

/** From the start of the process to its first authenticated answer; the median of several starts. */
export function startTime(berthMs: number, baselineMs: number): Figure {
  return {
    name: 'start to first answer, 1,000 services',
    kind: 'absolute',
    measured: amount(berthMs, 'ms'),
    baseline: amount(baselineMs, 'ms'),
    budget: `≤ ${startBudgetMs} ms`,
    isKept: berthMs <= startBudgetMs,
  };
}
