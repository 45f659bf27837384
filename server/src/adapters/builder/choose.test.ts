import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chooseBuildType } from './choose.ts';
import { probePrograms } from './programs.ts';

let folder: string;
let lines: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-choose-'));
  await mkdir(join(folder, 'bin'));
  lines = [];
});
afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text = ''): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** A program that tells its version, or ends with an exit code. */
async function install(name: string, { version = '1.2.3', exitCode = 0 } = {}): Promise<void> {
  await write(`bin/${name}`, `#!/bin/sh\necho ${name} v${version}\nexit ${exitCode}\n`);
  await chmod(join(folder, 'bin', name), 0o755);
}

const programs = () =>
  probePrograms(join(folder, 'scratch'), new AbortController().signal, join(folder, 'bin'));

const choose = (change: { buildPath?: string; dockerfile?: string; publishDirectory?: string } = {}) =>
  chooseBuildType(
    {
      sourceDirectory: join(folder, 'source'),
      buildPath: change.buildPath ?? '/',
      dockerfile: change.dockerfile ?? 'Dockerfile',
      publishDirectory: change.publishDirectory,
      onLine: (line) => lines.push(line),
    },
    programs,
  );

it('takes a Dockerfile before all else, at the place and by the name that are set', async () => {
  await install('nixpacks');
  for (const path of ['Dockerfile', 'shop/Dockerfile', 'ops/web.dockerfile', 'index.html'])
    await write(`source/${path}`);
  for (const change of [{}, { buildPath: 'shop' }, { dockerfile: 'ops/web.dockerfile' }])
    expect(await choose(change)).toBe('dockerfile');
  expect(lines.at(-1)).toBe(
    'Build type auto: dockerfile, since the source has a ops/web.dockerfile. application.saveBuildType ' +
      'chooses another.',
  );
});

it('takes railpack, else nixpacks, where they start', async () => {
  await write('source/index.html');
  await install('nixpacks', { version: '1.40.0' });
  expect(await choose()).toBe('nixpacks');
  expect(lines.at(-1)).toMatch(/nixpacks, since there is no Dockerfile, and nixpacks 1\.40\.0 is here\./);
  await install('railpack', { exitCode: 1 });
  expect(await choose()).toBe('nixpacks');
  await install('railpack');
  expect(await choose()).toBe('railpack');
});

it('takes a page for a static site, at the root or in the folder to publish', async () => {
  await write('source/index.html');
  expect(await choose()).toBe('static');
  await write('source/site/public/index.html');
  expect(await choose({ buildPath: 'site', publishDirectory: 'public' })).toBe('static');
  expect(lines.at(-1)).toMatch(/neither railpack nor nixpacks is here, and public\/index\.html is\./);
});

it('says what it looked for, and what would help', async () => {
  await write('source/main.py');
  await install('nixpacks', { exitCode: 2 });
  await expect(choose()).rejects.toThrow(
    expect.objectContaining({
      code: 'PRECONDITION_FAILED',
      message: expect.stringMatching(
        /^The source has no Dockerfile and no index\.html, .+: nixpacks \(.+: nixpacks v1\.2\.3; install/,
      ),
    }),
  );
});

it('tells each program once, with the build types that need it', async () => {
  await install('pack', { version: '0.36.0+git-1' });
  expect(await programs()).toEqual([
    expect.objectContaining({ name: 'nixpacks', version: null, problem: 'not installed' }),
    expect.objectContaining({ name: 'railpack', version: null, buildTypes: ['railpack'] }),
    {
      name: 'pack',
      buildTypes: ['heroku_buildpacks', 'paketo_buildpacks'],
      version: '0.36.0+git-1',
      problem: null,
      install: expect.stringContaining('pack CLI'),
    },
  ]);
});
