import { expect, test } from 'vitest';
import { countReport } from './report.ts';

function report(...files: { status: string; message?: string; tests: string[] }[]): string {
  return JSON.stringify({
    testResults: files.map(({ status, message, tests }, index) => ({ name: `file-${index}`, status, message, assertionResults: tests.map((each) => ({ status: each })) })),
  });
}

test('counts each test once', () => {
  const text = report({ status: 'passed', tests: ['passed', 'passed', 'skipped'] }, { status: 'failed', tests: ['passed', 'failed', 'todo'] });
  expect(countReport(text, 1)).toEqual({ passed: 3, failed: 1, skipped: 2, reasons: [] });
});

test('a file that cannot be loaded is a failure', () => {
  const counts = countReport(report({ status: 'failed', message: 'no such module\nstack', tests: [] }, { status: 'passed', tests: ['passed'] }), 1);
  expect(counts).toEqual({ passed: 1, failed: 1, skipped: 0, reasons: ['file-0 failed outside its tests: no such module'] });
});

test('a run that ends badly without a failed test is a failure', () => {
  expect(countReport(report({ status: 'passed', tests: ['passed'] }), 1)).toMatchObject({ passed: 1, failed: 1 });
});

test('a stopped run is a failure and says why, also without a report', () => {
  expect(countReport(null, 'stopped after its limit of 180 s')).toEqual({ passed: 0, failed: 1, skipped: 0, reasons: ['stopped after its limit of 180 s'] });
});

test('a project in which nothing ran is a failure', () => {
  expect(countReport(report(), 0)).toMatchObject({ passed: 0, failed: 1, reasons: ['no test ran'] });
  expect(countReport(null, 1)).toMatchObject({ passed: 0, failed: 1 });
});
