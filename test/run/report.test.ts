import { expect, test } from 'vitest';
import { countReport } from './report.ts';

function report(...files: { status: string; message?: string; tests: string[] }[]): string {
  return JSON.stringify({
    testResults: files.map(({ status, message, tests }, index) => ({
      name: `file-${index}`,
      status,
      message,
      assertionResults: tests.map((each) => ({ status: each })),
    })),
  });
}

test('counts each test once', () => {
  const text = report(
    { status: 'passed', tests: ['passed', 'passed', 'skipped'] },
    { status: 'failed', tests: ['passed', 'failed', 'todo'] },
  );
  expect(countReport(text, 1)).toMatchObject({
    passed: 3,
    failed: 1,
    skipped: 2,
    reasons: [],
    failures: [''],
  });
});

test('a file that cannot be loaded is a failure', () => {
  const counts = countReport(
    report(
      { status: 'failed', message: 'no such module\nstack', tests: [] },
      { status: 'passed', tests: ['passed'] },
    ),
    1,
  );
  expect(counts).toMatchObject({
    passed: 1,
    failed: 1,
    skipped: 0,
    reasons: ['file-0 failed outside its tests: no such module'],
    failures: [],
  });
});

test('a run that ends badly without a failed test is a failure', () => {
  expect(countReport(report({ status: 'passed', tests: ['passed'] }), 1)).toMatchObject({
    passed: 1,
    failed: 1,
  });
});

test('a stopped run is a failure and says why, also without a report', () => {
  expect(countReport(null, 'stopped after its limit of 180 s')).toMatchObject({
    passed: 0,
    failed: 1,
    skipped: 0,
    reasons: ['stopped after its limit of 180 s'],
    failures: [],
  });
});

test('a project in which nothing ran is a failure', () => {
  expect(countReport(report(), 0)).toMatchObject({ passed: 0, failed: 1, reasons: ['no test ran'] });
  expect(countReport(null, 1)).toMatchObject({ passed: 0, failed: 1 });
});

test('a failed test is told with its name and the beginning of its message', () => {
  const failed = {
    status: 'failed',
    fullName: 'a list is sorted',
    failureMessages: [`expected 1 to be 2\n${'at line\n'.repeat(40)}`],
  };
  const { failures } = countReport(
    JSON.stringify({
      testResults: [{ name: 'file', status: 'failed', assertionResults: [failed, { status: 'passed' }] }],
    }),
    1,
  );
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(/^a list is sorted\n {4}expected 1 to be 2\n {4}at line\n/u);
  expect(failures[0]?.split('\n')).toHaveLength(13);
});
