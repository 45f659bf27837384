/** Holds folders to a size that a reader can take in: more files than this are more than one thing. */
import { dirname } from 'node:path';

const most = 20;
const code = /\.tsx?$/;

/** One sentence per folder that holds more files of code than that, tests included. */
export function folderFaults(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths.filter((each) => code.test(each)))
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > most)
    .map(([folder, count]) => `${folder}/ holds ${count} files; ${most} are allowed. Divide it.`);
}
