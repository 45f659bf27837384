/**
 * Files with a failed test are run once more, alone, when all projects have ended (decision 28): a machine
 * that starves a test for a moment refuses no good change, and a flaky test is told by its name. What fails
 * twice fails; where many fail at once, none is run again.
 */
import type { ProjectEnd } from './project.ts';
import { addCounts, noCounts, type Counts, type FileReport } from './report.ts';

/** Files of a whole run; more of them are no moment's weakness. */
export const filesLimit = 6;

export interface Repeat {
  name: string;
  files: string[];
}

/** What is to be run again; nothing when it is more than a few files. */
export function toRepeat(ends: readonly ProjectEnd[]): Repeat[] {
  const repeats = ends
    .map(({ name, files }) => ({
      name,
      files: files.filter(({ failed }) => failed > 0).map(({ path }) => path),
    }))
    .filter(({ files }) => files.length > 0);
  return repeats.reduce((count, { files }) => count + files.length, 0) > filesLimit ? [] : repeats;
}

export interface Settled {
  end: ProjectEnd;
  /** A line for each test that failed and then passed. */
  passedAgain: string[];
}

/** How a project went, with what its second attempt gave in the place of those files. */
export function settle(first: ProjectEnd, second: ProjectEnd): Settled {
  // A second attempt that was cut short shows nothing.
  if (second.runReasons.length > 0) return { end: first, passedAgain: [] };
  const repeated = new Map(second.files.map((file) => [file.path, file]));
  const files = first.files.map((file) => repeated.get(file.path) ?? file);
  const counts = [...files, { ...noCounts, failed: first.runReasons.length }].reduce<Counts>(
    addCounts,
    noCounts,
  );
  return {
    end: {
      ...first,
      ...counts,
      files,
      line:
        `${first.name}: ${counts.passed} passed, ${counts.failed} failed, ` +
        `files run again: ${repeated.size}`,
      failures: [
        ...first.runReasons,
        ...files.flatMap(({ failures, reason }) => [...failures, ...(reason === null ? [] : [reason])]),
      ].map((failure) => `${first.name}: ${failure}`),
    },
    passedAgain: first.files
      .flatMap((file) => recovered(file, repeated.get(file.path)))
      .map((test) => `passed at the second attempt: ${first.name} ${test}`),
  };
}

/** Tests of the file that failed and then did not; the file's path when it had failed outside its tests. */
function recovered(first: FileReport, second: FileReport | undefined): string[] {
  if (second === undefined || second.reason !== null) return [];
  const names = first.failedTests.filter((name) => !second.failedTests.includes(name));
  return first.reason !== null && second.failed === 0 ? [...names, first.path] : names;
}
