/** Which folders of node_modules the running product needs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const lockfileSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ dev: z.boolean().default(false), optional: z.boolean().default(false) }),
  ),
});

/** Installed where Berth is, since it is compiled there, and of no use to what runs. */
const compiler = /^node_modules\/@?typescript(\/|$)/;

/**
 * Paths such as `node_modules/a/node_modules/b`, out of npm's lockfile (version 3); development packages and
 * the compiler are left out.
 */
export function productionPackages(lockfile: unknown): { path: string; optional: boolean }[] {
  return Object.entries(lockfileSchema.parse(lockfile).packages)
    .filter(([path, facts]) => path.startsWith('node_modules/') && !facts.dev && !compiler.test(path))
    .map(([path, facts]) => ({ path, optional: facts.optional }));
}

/** Those that are installed; optional ones may be for another kind of machine. */
export function installedProductionPackages(product: string): string[] {
  const lockfile: unknown = JSON.parse(readFileSync(join(product, 'package-lock.json'), 'utf8'));
  return productionPackages(lockfile)
    .filter(({ path, optional }) => !optional || existsSync(join(product, path)))
    .map(({ path }) => path);
}
