/** Every path of a repository that is read or written, against every kind of link that one can carry. */
import type { BuildType } from '../../domain/build-type.ts';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BuildRequest } from '../../ports/engine/builder.ts';
import { createBuilder } from '../builder/builder.ts';
import { homeOutgoing } from '../../../../test/integration/git/outgoing-fixture.ts';
import { createGit } from '../git/cli.ts';
import { createWorkFiles } from './work-files.ts';

let folder = '';
const inFolder = (...names: string[]): string => join(folder, ...names);
/** Beside the checkout: what a link of a repository would like to reach. */
const outside = (...names: string[]): string => inFolder('work', 'outside', ...names);
const checkout = (): string => inFolder('work', 'source');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'checkout-links-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(inFolder('work'), { recursive: true, force: true });
  mkdirSync(outside('app'), { recursive: true });
  for (const name of ['secret', 'app/Dockerfile', 'app/compose.yml', 'app/secret'])
    writeFileSync(outside(name), 'secret: of the machine\n');
});

/** A link at `name` of the repository that leads to `target` below `outside`; `at` is for links between. */
const links: Record<string, (target: string, name: string, at: string) => Record<string, string>> = {
  absolute: (target, name) => ({ [name]: outside(target) }),
  'relative, up': (target, name) => ({ [name]: `${up(name)}../outside/${target}` }),
  'through a chain': (target, name, at) => ({
    [name]: `${up(name)}${at}/first`,
    [`${at}/first`]: 'second',
    [`${at}/second`]: `../../outside/${target}`,
  }),
  'through a linked folder in the middle': (target, name, at) => ({
    [name]: `${up(name)}${at}/deep/${target}`,
    [`${at}/deep`]: '../../outside',
  }),
  'up and back into the source': (target, name) => ({ [name]: `${up(name)}../source/../outside/${target}` }),
  'through /proc/self': (target, name) => ({ [name]: `/proc/self/cwd/../${target}` }),
  'through the root of a process': (target, name) => ({ [name]: `/proc/self/root${outside(target)}` }),
};

const up = (name: string): string => '../'.repeat(name.split('/').length - 1);

/** A repository with these files and links, checked out as a deployment does it. */
async function checkedOut(made: Record<string, string>, files: Record<string, string> = {}): Promise<void> {
  const author = inFolder('author');
  rmSync(author, { recursive: true, force: true });
  mkdirSync(author, { recursive: true });
  for (const [name, text] of Object.entries({ 'README.md': 'A shop', ...files })) {
    mkdirSync(dirname(join(author, name)), { recursive: true });
    writeFileSync(join(author, name), text);
  }
  for (const [name, target] of Object.entries(made)) {
    mkdirSync(dirname(join(author, name)), { recursive: true });
    symlinkSync(target, join(author, name));
  }
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], {
      cwd: author,
    }).toString();
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'First');
  await createGit({
    gitPath: '/usr/bin/git',
    scratchRoot: inFolder('scratch'),
    knownHostsPath: inFolder('known'),
    outgoing: homeOutgoing,
  }).checkout({ organizationId: 'o1', url: author, branch: 'main', submodules: false }, checkout(), {
    signal: new AbortController().signal,
    limitMs: 60_000,
    onLine: () => undefined,
    onChild: async () => undefined,
  });
}

/** Builds with programs that are not there: paths are judged before any of them is looked for. */
const build = (request: Partial<BuildRequest> & { buildType: BuildType }): Promise<void> =>
  createBuilder({
    dockerPath: '/nonexistent/docker',
    serverName: 'this server',
    staticImage: 'caddy:2',
    engines: {
      lend: () => Promise.reject(new Error('no builder is asked')),
      getReady: async () => undefined,
      tidy: async () => undefined,
      remove: async () => undefined,
    },
  }).build({
    organizationId: 'o1',
    sourceDirectory: checkout(),
    buildPath: '',
    dockerfile: 'Dockerfile',
    contextPath: '',
    stage: undefined,
    publishDirectory: undefined,
    singlePage: false,
    image: 'berth-test/links:1',
    labels: {},
    buildArguments: {},
    buildSecrets: {},
    env: {},
    noCache: false,
    scratchDirectory: inFolder('work', 'scratch'),
    limits: { memoryBytes: 1024 ** 3, nanoCpus: 1e9 },
    signal: new AbortController().signal,
    limitMs: 60_000,
    onLine: () => undefined,
    onChild: async () => undefined,
    ...request,
  });

const files = createWorkFiles();
const write = (path: string, field: string) => files.writeInside(checkout(), path, 'KEY=value', { field });
const read = (path: string, field: string) => files.readInside(checkout(), path, { field, maxBytes: 65_536 });
const copy = (path: string, field: string) =>
  files.copyInside(checkout(), path, inFolder('work', 'copy'), { field });

interface Place {
  /** The name in the repository that is a link, and what it would like to be. */
  link: string;
  target: string;
  field: string;
  files?: Record<string, string>;
  /** What is done in the place's own folder `at` of the repository. */
  use(at: string): Promise<unknown>;
}

const dockerfile = { Dockerfile: 'FROM scratch' };
const docker = (buildPath: string, request: Partial<BuildRequest> = {}): Promise<void> =>
  build({ buildType: 'dockerfile', buildPath, ...request });
const ofCompose = (what: string): string => `composePath: services.web.${what}`;

/** Every path of a checkout that Berth reads or writes. */
const places: Record<string, Place> = {
  'build path': { link: 'app', target: 'app', field: 'buildPath', use: (at) => docker(`${at}/app`) },
  Dockerfile: { link: 'Dockerfile', target: 'app/Dockerfile', field: 'dockerfile', use: (at) => docker(at) },
  'Dockerfile in a folder': {
    link: 'app',
    target: 'app',
    field: 'dockerfile',
    use: (at) => docker(at, { dockerfile: 'app/Dockerfile' }),
  },
  'build context': {
    link: 'app',
    target: 'app',
    field: 'containerContextPath',
    files: dockerfile,
    use: (at) => docker(at, { contextPath: `${at}/app` }),
  },
  '.dockerignore': {
    link: '.dockerignore',
    target: 'secret',
    field: 'containerContextPath',
    files: dockerfile,
    use: (at) => docker(at),
  },
  '.dockerignore of a Dockerfile': {
    link: 'Dockerfile.dockerignore',
    target: 'secret',
    field: 'dockerfile',
    files: dockerfile,
    use: (at) => docker(at),
  },
  'publish directory': {
    link: 'web/dist',
    target: 'app',
    field: 'publishDirectory',
    use: (at) => build({ buildType: 'static', buildPath: at, publishDirectory: 'web/dist' }),
  },
  '.env beside a Dockerfile': {
    link: 'app',
    target: 'app',
    field: 'buildPath',
    use: (at) => write(`${at}/app/.env`, 'buildPath'),
  },
  'compose file': {
    link: 'compose.yml',
    target: 'app/compose.yml',
    field: 'composePath',
    use: (at) => read(`${at}/compose.yml`, 'composePath'),
  },
  '.env beside a compose file': {
    link: '.env',
    target: 'secret',
    field: 'composePath',
    use: (at) => read(`${at}/.env`, 'composePath'),
  },
  '.env beside a compose file, written': {
    link: 'stack',
    target: 'app',
    field: 'composePath',
    use: (at) => write(`${at}/stack/.env`, 'composePath'),
  },
  'env_file, config and secret of a compose file': {
    link: 'settings/web',
    target: 'secret',
    field: ofCompose('env_file'),
    use: (at) => read(`${at}/settings/web`, ofCompose('env_file')),
  },
  'inline Dockerfile of a compose file': {
    link: 'app',
    target: 'app',
    field: 'composePath',
    use: (at) => write(`${at}/app/.berth.Dockerfile`, 'composePath'),
  },
  'folder mounted by a compose file': {
    link: 'data',
    target: 'app',
    field: ofCompose('volumes'),
    use: (at) => copy(`${at}/data`, ofCompose('volumes')),
  },
};

/** Nothing was written there, nothing taken from there. */
function expectUntouched(): void {
  expect(readdirSync(outside()).sort()).toEqual(['app', 'secret']);
  expect(readdirSync(outside('app')).sort()).toEqual(['Dockerfile', 'compose.yml', 'secret']);
  expect(existsSync(inFolder('work', 'copy'))).toBe(false);
}

/** Read by the build programs themselves: `.node-version`, `Procfile` and their kind, whole folders. */
const hosted = { '.node-version': 'secret', 'packages/web/.nvmrc': 'secret', Procfile: 'secret', lib: 'app' };
// A nixpacks or railpack that is not there is not asked for.
const programs = ['heroku_buildpacks', 'paketo_buildpacks'] as const;

describe.each(Object.entries(links))('a link %s', (_kind, linkOf) => {
  const rows = Object.entries(places).map(([name, place], at) => ({ name, place, at: `p${at}` }));

  test('where Berth reads and writes', async () => {
    const made = rows.map(({ place, at }) => linkOf(place.target, `${at}/${place.link}`, at));
    const kept = rows.flatMap(({ place, at }) =>
      Object.entries(place.files ?? {}).map(([name, text]) => [`${at}/${name}`, text]),
    );
    await checkedOut(Object.assign({}, ...made), Object.fromEntries(kept));
    for (const { name, place, at } of rows) {
      const refused = place.use(at);
      await expect(refused, name).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      await expect(refused, name).rejects.toThrow(
        new RegExp(
          `^${place.field}: "[^"]+" points outside the source through the symbolic link "${at}[^"]*"`,
        ),
      );
      expectUntouched();
    }
  });

  test('where a build program reads', async () => {
    const made = Object.entries(hosted).map(([name, target], at) => linkOf(target, name, `p${at}`));
    const all: Record<string, string> = Object.assign({}, ...made);
    await checkedOut(all);
    const named = new Set<string>();
    for (let left = Object.keys(all).length; left > 0; left -= 1) {
      const refused = build({ buildType: programs[left % programs.length] ?? 'paketo_buildpacks' });
      const sentence = await refused.then(() => 'built', String);
      const [, path = ''] = /buildPath: "([^"]+)" points outside the source/.exec(sentence) ?? [];
      expect(Object.keys(all), sentence).toContain(path);
      named.add(path);
      rmSync(join(checkout(), path));
    }
    expect([...named]).toEqual(expect.arrayContaining(Object.keys(hosted)));
    // Past the paths, at the program that is not there.
    await expect(build({ buildType: 'paketo_buildpacks' })).rejects.toThrow(/"pack"/);
  });
});

test('links that stay inside work as they do in git', async () => {
  await checkedOut(
    { 'app/.env.example': '../settings', current: 'app', '.nvmrc': 'app/version' },
    { settings: 'A=1', 'app/version': '22', 'app/Dockerfile': 'FROM scratch' },
  );
  expect(await read('current/.env.example', 'composePath')).toBe('A=1');
  expect(await write('current/.env', 'buildPath')).toBe(true);
  expect(readFileSync(join(checkout(), 'app/.env'), 'utf8')).toBe('KEY=value');
  expect(await write('current/.env', 'buildPath')).toBe(false);
  // Past the paths, at the program that is not there.
  await expect(build({ buildType: 'paketo_buildpacks', buildPath: 'current' })).rejects.toThrow(/"pack"/);
});

test('a link named .env is never written through, whatever it leads to', async () => {
  await checkedOut({ '.env': '../outside/new' });
  expect(await write('.env', 'buildPath')).toBe(false);
  expect(existsSync(outside('new'))).toBe(false);
});
