import { describe, expect, test } from 'vitest';
import type { ProjectEnd } from './project.ts';
import { countReport } from './report.ts';
import { settle, toRepeat } from './second-attempt.ts';

type Tests = Record<string, 'passed' | 'failed' | 'skipped'>;

/** How a project ended in whose files these tests went so; a file without tests could not be loaded. */
function end(files: Record<string, Tests>, ended: number | string = 1): ProjectEnd {
  const testResults = Object.entries(files).map(([name, tests]) => ({
    name,
    status: Object.values(tests).includes('failed') || Object.keys(tests).length === 0 ? 'failed' : 'passed',
    message: 'no such module',
    assertionResults: Object.entries(tests).map(([fullName, status]) => ({
      fullName,
      status,
      failureMessages: status === 'failed' ? ['expected 1 to be 2'] : [],
    })),
  }));
  const counts = countReport(JSON.stringify({ testResults }), ended);
  return { ...counts, name: 'store', line: 'store: …', failures: counts.failures };
}

describe('what is run again', () => {
  test('the files with a failure, and no others', () => {
    expect(
      toRepeat([end({ a: { x: 'failed' }, b: { y: 'passed' } }), end({ c: { z: 'passed' } }, 0)]),
    ).toEqual([{ name: 'store', files: ['a'] }]);
    expect(toRepeat([end({ a: {} })])).toEqual([{ name: 'store', files: ['a'] }]);
  });

  test('six files at most in a run: of seven, none', () => {
    const two = end({ a: { x: 'failed' }, b: { y: 'failed' } });
    expect(toRepeat([two, end({ c: { z: 'failed' } })])).toHaveLength(2);
    expect(toRepeat([two, two, two])).toHaveLength(3);
    expect(toRepeat([two, two, two, end({ c: { z: 'failed' } })])).toEqual([]);
  });
});

describe('after the second attempt', () => {
  const first = end({ a: { x: 'failed', y: 'passed' }, b: { z: 'passed' } });

  test('what passes then counts as passed, and is told by its name', () => {
    const { end: settled, passedAgain } = settle(first, end({ a: { x: 'passed', y: 'passed' } }, 0));
    expect(passedAgain).toEqual(['passed at the second attempt: store x']);
    expect(settled).toMatchObject({ passed: 3, failed: 0, failures: [] });
  });

  test('what fails twice has failed, also another test than before', () => {
    expect(settle(first, end({ a: { x: 'failed', y: 'passed' } }))).toMatchObject({
      passedAgain: [],
      end: { passed: 2, failed: 1, failures: ['store: x\n    expected 1 to be 2'] },
    });
    expect(settle(first, end({ a: { x: 'passed', y: 'failed' } }))).toMatchObject({
      passedAgain: ['passed at the second attempt: store x'],
      end: { passed: 2, failed: 1 },
    });
  });

  test('a file that could not be loaded and then can be is told, too', () => {
    const { end: settled, passedAgain } = settle(end({ a: {} }), end({ a: { x: 'passed' } }, 0));
    expect(passedAgain).toEqual(['passed at the second attempt: store a']);
    expect(settled).toMatchObject({ passed: 1, failed: 0 });
  });

  test('one that was cut short shows nothing', () => {
    const second = end({ a: { x: 'passed' } }, 'stopped after its limit of 180 s');
    expect(settle(first, second)).toEqual({ end: first, passedAgain: [] });
  });

  test('a project that was stopped stays failed', () => {
    const stopped = end({ a: { x: 'failed' } }, 'stopped after its limit of 180 s');
    expect(settle(stopped, end({ a: { x: 'passed' } }, 0)).end).toMatchObject({ passed: 1, failed: 1 });
  });
});
