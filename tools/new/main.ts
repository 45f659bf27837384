/** `npm run new -- <noun>`: the skeleton of a module. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nextSteps, skeletonOf } from './skeleton.ts';

const [name = ''] = process.argv.slice(2);
const folder = join(import.meta.dirname, '../../server/src/modules', name);
try {
  const files = skeletonOf(name);
  // Not recursive: a module that is there already is never written over.
  await mkdir(folder);
  for (const [file, content] of files) await writeFile(join(folder, file), content, { flag: 'wx' });
  process.stdout.write(nextSteps(name));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
