import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chooseBuild } from './choose.ts';
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

interface Change {
  buildType?: 'auto' | 'nixpacks' | 'railpack';
  buildPath?: string;
  dockerfile?: string;
  publishDirectory?: string;
}

const choose = async (change: Change = {}) => {
  const request = {
    buildType: change.buildType ?? ('auto' as const),
    sourceDirectory: join(folder, 'source'),
    buildPath: change.buildPath ?? '/',
    dockerfile: change.dockerfile ?? 'Dockerfile',
    publishDirectory: change.publishDirectory,
    singlePage: false,
    buildArguments: {},
    buildSecrets: {},
    env: {},
    onLine: (line: string) => lines.push(line),
    onApplications: async (found: readonly { folder: string }[]) =>
      void lines.push(`found ${found.map(({ folder }) => folder).join()}`),
  };
  return (await chooseBuild(request, { programs, staticImage: 'caddy:2' })).type;
};

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
  expect(lines.at(-1)).toMatch(/there is no Dockerfile, and public\/index\.html is there\./);
});

it('tells the applications of a source that has several, and asks for one of them', async () => {
  await write('source/api/package.json', '{"scripts":{"start":"node server.js"}}');
  await write('source/site/Dockerfile');
  await expect(choose()).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message:
      'The source has several applications. Set buildPath to the folder of the one to deploy: ' +
      'api (Node.js), site (Dockerfile).',
  });
  expect(lines).toEqual(['found api,site']);
  expect(await choose({ buildPath: 'api' })).toBe('own');
  expect(lines[1]).toBe('found api,site');
});

it('takes its own builder for a language that it knows, before programs and pages', async () => {
  await write('source/shop/package.json', '{"scripts":{"start":"node server.js"}}');
  await write('source/shop/index.html');
  await install('railpack');
  expect(await choose({ buildPath: 'shop' })).toBe('own');
  expect(lines.at(-1)).toBe(
    "Build type auto: Berth's own builder, since there is no Dockerfile, and the source is Node.js. " +
      'application.saveBuildType chooses another.',
  );
});

it('uses a program that was chosen, and chooses for itself where it is not installed', async () => {
  await write('source/package.json', '{"scripts":{"start":"node server.js"}}');
  await install('nixpacks');
  expect(await choose({ buildType: 'nixpacks' })).toBe('nixpacks');
  expect(await choose({ buildType: 'railpack' })).toBe('own');
  expect(lines[0]).toBe(
    'The build type is railpack, which is not installed here, so Berth chooses as for auto.',
  );
});

it('reads no file behind a link', async () => {
  await write('outside/package.json', '{"scripts":{"start":"node server.js"}}');
  await mkdir(join(folder, 'source'));
  await symlink('../outside/package.json', join(folder, 'source/package.json'));
  await expect(choose()).rejects.toThrow(/^The source has no Dockerfile, none of the files/);
});

it('says what it looked for, and what would help', async () => {
  await write('source/main.zig');
  await install('nixpacks', { exitCode: 2 });
  await expect(choose()).rejects.toThrow(
    expect.objectContaining({
      code: 'PRECONDITION_FAILED',
      message: expect.stringMatching(
        /^The source has no Dockerfile, .+package\.json \(Node\.js\).+no index\.html\. .+nixpacks: .+ fails: nixpacks v1\.2\.3/,
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
