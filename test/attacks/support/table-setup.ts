/** Vitest's set-up of the attacks: one table over all their files, printed when the last one has ended. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { attackLines } from './rows.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A file: what came of each attack, as JSON on a line of its own. */
    attackRows: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-attacks-'));
  const path = join(folder, 'rows');
  await writeFile(path, '');
  project.provide('attackRows', path);
  return async () => {
    process.stdout.write(`${attackLines(await readFile(path, 'utf8')).join('\n')}\n`);
    await rm(folder, { recursive: true });
  };
}
