/** The program behind `bin/verify-release [FOLDER]`. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { repositoryRoot } from '../images/build-context.ts';
import { sentenceOf } from '../server/src/domain/errors.ts';
import { checkRelease, keyFile } from './release/check-sums.ts';

try {
  const folder = resolve(process.argv[2] ?? repositoryRoot);
  const checked = await checkRelease(folder, readFileSync(join(repositoryRoot, keyFile), 'utf8'));
  console.log(
    `${checked} file${checked === 1 ? '' : 's'} in ${folder}: as released, signed by the key of Berth's ` +
      'releases',
  );
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}
