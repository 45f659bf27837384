/** Names a build by its content: two checkouts with the same product give the same name. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../server/src/domain/errors.ts';

/** What of the product's folder is part of a release, besides the production packages in node_modules. */
export const releasedPaths = [
  'package.json',
  'package-lock.json',
  'dist',
  'images',
  'example',
  'templates',
] as const;

const packageSchema = z.object({ version: z.string().regex(/^[0-9A-Za-z.+-]+$/) });

/**
 * `<version>-<12 hex>`, from the paths and bytes of all that is released; the lockfile stands for
 * node_modules.
 */
export function buildId(product: string): string {
  const { version } = packageSchema.parse(JSON.parse(readFileSync(join(product, 'package.json'), 'utf8')));
  const hash = createHash('sha256');
  for (const path of releasedPaths) {
    for (const file of filesBelow(join(product, path))) {
      const content = readFileSync(file);
      hash.update(`${relative(product, file)}\0${content.length}\0`).update(content);
    }
  }
  return `${version}-${hash.digest('hex').slice(0, 12)}`;
}

/**
 * Every file below a path (or the file itself), sorted. Links and special files do not belong in a release.
 */
export function filesBelow(path: string): string[] {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined)
    throw new AppError('PRECONDITION_FAILED', `${path} is missing. Run ./bin/up from a complete checkout.`);
  if (facts.isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
