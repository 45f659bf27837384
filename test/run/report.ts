import { z } from 'zod';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Lines of a failed test's message that are told again at the end of a run. */
const saidLines = 12;

/** The part of vitest's JSON report that is counted. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string().default(''),
          failureMessages: z.array(z.string()).default([]),
        }),
      ),
    }),
  ),
});

/**
 * Counts single tests. What is not a test but went wrong counts as one failure each, with its reason: a file
 * that could not be loaded, a run that was stopped or ended badly though no test failed, a project without a
 * single test.
 * @param text the JSON report; null when none was written. Each failed test is told with its name and the
 * beginning of what it says, so that the end of a run's output is enough to go on.
 * @param ended vitest's exit code, or the reason why it was stopped.
 */
export function countReport(
  text: string | null,
  ended: number | string,
): Counts & { reasons: string[]; failures: string[] } {
  const files = text === null ? [] : reportSchema.parse(JSON.parse(text)).testResults;
  const tests = files.flatMap((file) => file.assertionResults);
  const statuses = tests.map((test) => test.status);
  const failures = tests
    .filter((test) => test.status === 'failed')
    .map((test) =>
      [
        test.fullName,
        ...test.failureMessages.flatMap((message) => message.split('\n').slice(0, saidLines)),
      ].join('\n    '),
    );
  const count = (status: string): number => statuses.filter((each) => each === status).length;
  const reasons = files
    .filter(
      (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
    )
    .map((file) => `${file.name} failed outside its tests: ${(file.message ?? '').split('\n')[0]}`);
  const passed = count('passed');
  const failed = count('failed');
  if (typeof ended === 'string') reasons.push(ended);
  else if (ended !== 0 && failed + reasons.length === 0)
    reasons.push(`vitest ended with exit code ${ended} though no test failed`);
  else if (passed + failed + reasons.length === 0) reasons.push('no test ran');
  return {
    passed,
    failed: failed + reasons.length,
    skipped: statuses.length - passed - failed,
    reasons,
    failures,
  };
}
