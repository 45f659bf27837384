import { relative } from 'node:path';
import { z } from 'zod';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** How the tests of one file went. */
export interface FileReport extends Counts {
  /** Its absolute path. */
  path: string;
  /** Full names of the tests that failed. */
  failedTests: readonly string[];
  /** The same with the beginning of what each says. */
  failures: readonly string[];
  /** Why the file failed outside its tests. */
  reason: string | null;
  /** From the beginning of its first test to the end of its last. */
  seconds: number;
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
      /** In milliseconds since 1970, as the end. */
      startTime: z.number().default(0),
      endTime: z.number().default(0),
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
export function countReport(text: string | null, ended: number | string): Report {
  const results = text === null ? [] : reportSchema.parse(JSON.parse(text)).testResults;
  const files = results.map(fileReport);
  const { passed, failed, skipped } = files.reduce<Counts>(addCounts, noCounts);
  const reasons: string[] = [];
  if (typeof ended === 'string') reasons.push(ended);
  else if (ended !== 0 && failed === 0)
    reasons.push(`vitest ended with exit code ${ended} though no test failed`);
  else if (passed + failed + reasons.length === 0) reasons.push('no test ran');
  return {
    passed,
    failed: failed + reasons.length,
    skipped,
    files,
    reasons: [...files.flatMap(({ reason }) => reason ?? []), ...reasons],
    runReasons: reasons,
    failures: files.flatMap(({ failures }) => failures),
  };
}

export interface Report extends Counts {
  files: readonly FileReport[];
  /** What went wrong and is not a test. */
  reasons: readonly string[];
  /** Those of them that no file is to blame for. */
  runReasons: readonly string[];
  failures: readonly string[];
}

export const noCounts: Counts = { passed: 0, failed: 0, skipped: 0 };

export function addCounts(one: Counts, other: Counts): Counts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}

type FileResult = z.infer<typeof reportSchema>['testResults'][number];

function fileReport(result: FileResult): FileReport {
  const { name, status, message, assertionResults: tests } = result;
  const count = (of: string): number => tests.filter((test) => test.status === of).length;
  const [passed, failed] = [count('passed'), count('failed')];
  const failing = tests.filter((test) => test.status === 'failed');
  const reason =
    status === 'failed' && failed === 0
      ? `${name} failed outside its tests: ${(message ?? '').split('\n')[0]}`
      : null;
  return {
    path: name,
    passed,
    failed: failed + (reason === null ? 0 : 1),
    skipped: tests.length - passed - failed,
    failedTests: failing.map(({ fullName }) => fullName),
    failures: failing.map(({ fullName, failureMessages }) =>
      [fullName, ...failureMessages.flatMap((each) => each.split('\n').slice(0, saidLines))].join('\n    '),
    ),
    reason,
    seconds: Math.max(0, (result.endTime - result.startTime) / 1000),
  };
}

/** The files that took longest, as "SECONDS PATH", so that what makes a run long is seen in its output. */
export function longestFiles(files: readonly FileReport[], count: number, root: string): string[] {
  return files
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, count)
    .map(({ path, seconds }) => `${seconds.toFixed(0).padStart(5)} s ${relative(root, path)}`);
}
