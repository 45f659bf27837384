import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runBerth, type RunOptions } from '../../test/command-line.ts';
import { dockerfileOf, type Sample } from '../../test/sample-apps/sample.ts';
import { samples } from '../../test/sample-apps/samples.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'berth-eject-'))));
afterEach(() => rm(folder, { recursive: true }));

async function lay({ files }: Pick<Sample, 'files'>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const berth = (argv: string[], more: Partial<RunOptions> = {}) =>
  runBerth(['eject', ...argv], { environment: { HOME: folder }, folder, ...more });
const text = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

const sampleOf = (name: string): Sample => {
  const found = samples.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no sample ${name}.`);
  return found;
};

test('the folder gets the Dockerfile that a deployment would use, and its rules', async () => {
  const sample = sampleOf('express-npm');
  await lay(sample);
  const ran = await berth([]);
  expect(ran).toMatchObject({ code: 0 });
  expect(JSON.parse(ran.out)).toEqual({
    dockerfile: 'Dockerfile',
    startCommand: ['node', 'server.js'],
    port: 3000,
  });
  expect(await text('Dockerfile')).toBe(dockerfileOf(sample));
  expect(await text('.dockerignore')).toContain('**/node_modules');
});

test('an application of a monorepo gets it into its folder, for the root as context', async () => {
  const sample = sampleOf('pnpm-workspace');
  await lay(sample);
  const ran = await berth(['--app', 'apps/api/'], { columns: 100 });
  expect(ran.out).toMatch(
    /Wrote apps\/api\/Dockerfile\. Set buildPath to \/ and dockerfile to apps\/api\/Dockerfile/,
  );
  expect(await text('apps/api/Dockerfile')).toBe(dockerfileOf(sample));
  expect(await text('apps/api/Dockerfile.dockerignore')).toContain('**/node_modules');
});

test('a file that is there is replaced only by somebody who says so', async () => {
  await lay(sampleOf('express-npm'));
  await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\n');
  expect(await berth([])).toMatchObject({
    code: 2,
    said: expect.stringMatching(/Dockerfile will be replaced\. Give --yes/),
  });
  expect((await berth([], { types: ['no'], columns: 80 })).code).toBe(2);
  expect(await text('Dockerfile')).toBe('FROM scratch\n');
  expect((await berth([], { types: ['yes'], columns: 80 })).code).toBe(0);
  expect(await text('Dockerfile')).toContain('FROM node:24-slim');
});

test('what cannot be built is refused with the reason, and nothing is written', async () => {
  await lay({ files: { 'README.md': '' } });
  expect(await berth([])).toMatchObject({
    code: 2,
    said: expect.stringMatching(/none of the files .+package\.json/),
  });
  await lay({ files: { 'package.json': '{}' } });
  expect(await berth([])).toMatchObject({ code: 2, said: expect.stringMatching(/no start script/) });
  await expect(text('Dockerfile')).rejects.toThrow('ENOENT');
});
