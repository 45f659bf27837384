/** `npm run generate`: writes what is made from the definitions. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generatedFiles, generatedFolder } from './generated-files.ts';

const root = join(import.meta.dirname, '../..');
const files = generatedFiles(root);
await rm(join(root, generatedFolder), { recursive: true, force: true });
for (const [path, content] of files) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}
process.stdout.write(`${files.size} files\n`);
