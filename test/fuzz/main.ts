/**
 * `node test/fuzz/main.ts [--seed N] [--requests N]`: the whole fuzz run with its figures; exit code 1 when
 * anything is wrong.
 */
import { parseArgs } from 'node:util';
import { grown, memoryLimitBytes, sentenceOf, fuzzPlan } from './plan.ts';
import { newSeed } from '../run/mode.ts';
import { fuzz } from './run.ts';

const { values } = parseArgs({ options: { seed: { type: 'string' }, requests: { type: 'string' } } });
const report = await fuzz({
  ...fuzzPlan({ isLong: true, seed: newSeed() }),
  ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
  ...(values.requests === undefined ? {} : { requests: Number(values.requests) }),
});
process.stdout.write(`${sentenceOf(report)}\n${report.faults.map((fault) => `${fault}\n`).join('')}`);
process.exitCode =
  report.faults.length > 0 ||
  grown(report.held) > memoryLimitBytes ||
  grown(report.resident) > memoryLimitBytes
    ? 1
    : 0;
