/** What set-up brings onto a machine: packages by the digests of a lockfile, and no script of theirs runs. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const lockfile = z.object({
  packages: z.record(z.string(), z.object({ integrity: z.string().optional() })),
});
const versions = z.record(z.string(), z.string()).default({});
const manifest = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});

describe.each(['', 'web/'])('the packages of ./%s', (folder) => {
  it('are held against digests', () => {
    const { packages } = lockfile.parse(JSON.parse(read(`${folder}package-lock.json`)));
    const all = Object.entries(packages).filter(([path]) => path !== '');
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
  });

  it('are exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest.parse(
      JSON.parse(read(`${folder}package.json`)),
    );
    const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(all.length).toBeGreaterThan(5);
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});

/** What runs while Berth is set up, here and on servers. */
const programs = globSync(
  ['bin/*', 'bin/lib/*', 'setup/**/*.ts', 'images/recipes/**/*', 'server/src/modules/server/**/*.ts'],
  { cwd: root, withFileTypes: true },
)
  .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
  .map((entry) => join(entry.parentPath, entry.name));
const lines = programs.flatMap((path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim()),
);

it('installs packages without running their scripts', () => {
  const installing = lines.filter((line) =>
    /^[^#]*(?:\bnpm|"\$\{npm\[@\]\}") --prefix \S+ (ci|install) /.test(line),
  );
  expect(installing.length).toBeGreaterThanOrEqual(4);
  expect(installing.filter((line) => !line.includes(' --ignore-scripts '))).toEqual([]);
});

it('runs nothing that it has just fetched', () => {
  expect(programs.length).toBeGreaterThan(50);
  expect(lines.filter((line) => /\b(curl|wget)\b[^|]*\|\s*(sudo\s+)?(ba|da|z)?sh\b/.test(line))).toEqual([]);
});
