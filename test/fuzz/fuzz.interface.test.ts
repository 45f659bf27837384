import { expect, it } from 'vitest';
import { answerLimitMs, fuzz } from './run.ts';
import { grown, memoryLimitBytes, sentenceOf, fuzzPlan } from './plan.ts';
import { modeOf } from '../run/mode.ts';

it('answers tens of thousands of made-up requests without a fault, a hang or memory that grows', async () => {
  const report = await fuzz(fuzzPlan(modeOf()));
  console.log(sentenceOf(report));
  expect(report.faults).toEqual([]);
  expect(report.slowestMs).toBeLessThan(answerLimitMs);
  expect(grown(report.held)).toBeLessThan(memoryLimitBytes);
  expect(grown(report.resident)).toBeLessThan(memoryLimitBytes);
  // Many must have gone through, and many been refused for what they held.
  expect(report.statuses['200']).toBeGreaterThan(report.requests * 0.1);
  expect(report.statuses['400']).toBeGreaterThan(report.requests * 0.1);
}, 3_600_000);
