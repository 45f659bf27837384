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

/** Memory after the load of the other figures; no budget, a leak would show here. */
export function memoryAfterLoad({ berth, baseline }: Pair): Figure {
  return {
    name: 'memory after the load (RSS)',
    kind: 'absolute',
    measured: amount(residentBytes(berth.pid) / megabyte, 'MB'),
    baseline: amount(residentBytes(baseline.pid) / megabyte, 'MB'),
    budget: '–',
    isKept: true,
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
