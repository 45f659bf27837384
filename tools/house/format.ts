import { join } from 'node:path';
import { programFaults } from '../check/run-check.ts';

/** One sentence that names every file Biome would write otherwise. It writes none of them. */
export async function formatFaults(root: string): Promise<string[]> {
  const biome = join(root, 'node_modules/.bin/biome');
  const argv = [biome, 'format', '--reporter=summary', '--colors=off', '.'] as const;
  return (await programFaults(argv, root)).map(formatFault);
}

/** What Biome's summary says, in a sentence; what is no list of files is passed on as it is. */
export function formatFault(summary: string): string {
  const files = [...new Set([...summary.matchAll(/^\s+- (\S+)$/gm)].map(([, file]) => file))];
  return files.length === 0
    ? summary
    : `Not as the formatter writes it:\n  ${files.join('\n  ')}\nRun npm run format.`;
}
