import { describe, expect, test } from 'vitest';
import { bothEnds, newestLines, type OutputLine } from './line-limits.ts';

const line = (at: number, text = ''): OutputLine => ({
  at: String(at).padStart(9, '0'),
  stream: 'stdout',
  text,
});
const timesOf = (lines: OutputLine[]): number[] => lines.map(({ at }) => Number(at));

describe('the newest lines', () => {
  test('are the last by time, whatever order they come in', () => {
    const newest = newestLines({ lines: 3, bytes: 1_000_000 });
    // Two tasks, one after the other.
    for (let at = 0; at < 20_000; at += 2) newest.add(line(at));
    for (let at = 1; at < 20_000; at += 2) newest.add(line(at));
    const { lines, leftOut } = newest.result();
    expect([timesOf(lines), leftOut]).toEqual([[19_997, 19_998, 19_999], 0]);
  });

  test('are fewer when they are large, and it is known how many are missing', () => {
    const newest = newestLines({ lines: 100, bytes: 100_000 });
    for (let at = 0; at < 1000; at += 1) newest.add(line(at, 'x'.repeat(9936)));
    const { lines, leftOut } = newest.result();
    expect([timesOf(lines), leftOut]).toEqual([[990, 991, 992, 993, 994, 995, 996, 997, 998, 999], 90]);
  });

  test('are all of them when there is no number', () => {
    const newest = newestLines({ lines: Number.POSITIVE_INFINITY, bytes: 1_000_000 });
    for (const at of [3, 1, 2]) newest.add(line(at));
    expect(timesOf(newest.result().lines)).toEqual([1, 2, 3]);
  });
});

describe('both ends', () => {
  test('are everything below the limit', () => {
    const output = bothEnds(1_000_000, 'runOutputLimit');
    for (let at = 0; at < 5000; at += 1) output.add(line(at, 'x'));
    expect(timesOf(output.lines())).toEqual(Array.from({ length: 5000 }, (_, at) => at));
  });

  test('leave the middle out, in order, and say how much', () => {
    const output = bothEnds(100_000, 'runOutputLimit');
    for (let at = 0; at < 100_000; at += 1) output.add(line(at, 'x'.repeat(36)));
    const lines = output.lines();
    expect(timesOf(lines)).toEqual([
      ...Array.from({ length: 500 }, (_, at) => at),
      99_500,
      ...Array.from({ length: 500 }, (_, at) => 99_500 + at),
    ]);
    expect(lines[500]?.text).toBe(
      '[99,000 lines with 3,663,000 bytes are left out here: the answer holds at most 100,000 bytes ' +
        '(setting runOutputLimit).]',
    );
  });
});
