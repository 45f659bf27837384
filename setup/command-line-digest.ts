/** SHA-256 of the command line that the installation serves; undefined where it was not built. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function commandLineDigest(product: string): string | undefined {
  const file = join(product, 'dist/command-line/program.mjs');
  return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : undefined;
}
