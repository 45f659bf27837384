import { describe, expect, test } from 'vitest';
import { samples } from '../../../../test/sample-apps/samples.ts';
import { dockerfileOf, type Sample } from '../../../../test/sample-apps/sample.ts';
import { isRead, planOwnBuild } from './builds.ts';
import type { OwnBuild } from './own-build.ts';

const staticImage = 'caddy:2';

function planOf(sample: Omit<Sample, 'name' | 'port'>): ReturnType<typeof planOwnBuild> {
  const entries = Object.entries(sample.files);
  return planOwnBuild({
    files: {
      paths: new Set(Object.keys(sample.files)),
      texts: new Map(entries.filter(([path]) => isRead(path))),
    },
    folder: sample.folder ?? '',
    publishDirectory: sample.publishDirectory,
    isSinglePage: sample.isSinglePage ?? false,
    variables: sample.variables ?? [],
    secrets: sample.secrets ?? [],
    staticImage,
  });
}

function ownOf(sample: Parameters<typeof planOf>[0]): OwnBuild {
  const plan = planOf(sample);
  if (plan === undefined || 'refusal' in plan) throw new Error(plan?.refusal ?? 'no language');
  return plan;
}

/** Without the settings of the static server, which are the same for every site. */
const shown = (dockerfile: string): string =>
  dockerfile.replaceAll(/printf '%s\\n' .* > \/etc\/caddy\/Caddyfile/g, '… > /etc/caddy/Caddyfile');

describe('each sample gets the Dockerfile that a person approved', () => {
  test.each(samples)('$name', (sample) => {
    const plan = ownOf(sample);
    expect(shown(plan.dockerfile)).toBe(dockerfileOf(sample));
    expect(plan.port).toBe(sample.port);
    expect(plan.framework).toBe(sample.framework);
    expect(plan.watchPaths).toEqual(sample.watchPaths ?? []);
  });
});

const refusals: readonly (readonly [what: string, files: Record<string, string>, refusal: RegExp])[] = [
  ['JSON that is none', { 'package.json': '{' }, /^package\.json is not valid JSON/],
  ['nothing to start', { 'package.json': '{}' }, /^package\.json has no start script and no main file/],
  [
    'a framework without an adapter',
    { 'package.json': '{"scripts":{"build":"vite build"},"devDependencies":{"@sveltejs/kit":"2"}}' },
    /no adapter .+ @sveltejs\/adapter-node/,
  ],
  [
    'a workspace whose application is not chosen',
    {
      'package.json': '{"workspaces":["apps/*"]}',
      'apps/web/package.json': '{"name":"web","scripts":{"start":"node a.js"}}',
      'apps/api/package.json': '{"name":"api","scripts":{"build":"tsc"}}',
    },
    /Set buildPath to the folder of the one to deploy: apps\/api, apps\/web\.$/,
  ],
  [
    'Python that starts nowhere',
    { 'requirements.txt': 'requests' },
    /is Python, and nothing says how it starts/,
  ],
  ['Go without a main package', { 'go.mod': 'module a', 'b/c.go': '' }, /no main package was found/],
  [
    'a workspace of Go with two programs',
    {
      'go.work': 'use ./a\nuse ./b\n',
      'a/go.mod': 'module a',
      'a/main.go': '',
      'b/go.mod': 'module b',
      'b/cmd/b/main.go': '',
    },
    /go\.work has 2 modules with a program.+deploy: a, b\.$/,
  ],
  ['Ruby that starts nowhere', { Gemfile: '' }, /nothing says how the application starts/],
  ['a crate without a program', { 'Cargo.toml': '[package]\nname = "a"' }, /no program of it was found/],
  [
    'two .NET programs',
    { 'a/a.csproj': '', 'b/b.csproj': '' },
    /has 2 \.NET projects.+a\/a\.csproj, b\/b\.csproj/,
  ],
  [
    'a .NET library',
    { 'a/a.csproj': '<Project Sdk="Microsoft.NET.Sdk"></Project>' },
    /^a\/a\.csproj makes a library and no program/,
  ],
  [
    'TanStack Start without a server',
    { 'package.json': '{"dependencies":{"@tanstack/react-start":"1","vite":"7"}}' },
    /makes no server that can be started: add the package nitro/,
  ],
  [
    'projects of Nx without a chosen one',
    {
      'package.json': '{"scripts":{"start":"nx serve"}}',
      'nx.json': '{}',
      'apps/a/project.json': '{"projectType":"application"}',
      'apps/a-e2e/project.json': '{"projectType":"application"}',
      'libs/b/project.json': '{"projectType":"library"}',
    },
    /Set buildPath to the folder of the one to deploy: apps\/a\.$/,
  ],
  ['composer.json that is none', { 'composer.json': '[]' }, /^composer\.json is not valid JSON/],
];

test.each(refusals)('%s is refused with what to do', (_what, files, refusal) => {
  expect(planOf({ files })).toEqual({ refusal: expect.stringMatching(refusal) });
});

test.each([
  ['no language', { 'README.md': '' }],
  [
    'a page with tools for its author',
    { 'package.json': '{"devDependencies":{"prettier":"3"}}', 'index.html': '' },
  ],
])('%s is left to others', (_what, files) => expect(planOf({ files })).toBeUndefined());

test.each([
  ['{"node":">=18 <23"}', undefined, '22'],
  ['{"node":"^20.3"}', undefined, '20'],
  ['{"node":"18 || 20"}', undefined, '20'],
  ['{"node":">=16"}', undefined, '24'],
  ['{"node":"20.x"}', undefined, '20'],
  ['{"node":"8"}', undefined, '8'],
  ['{}', 'v20.11.1', '20.11.1'],
  ['{"node":"18"}', 'lts/iron', '20'],
  ['{}', '# comment\nlts/*', '24'],
  ['{}', undefined, '24'],
])('engines %s and .nvmrc %s: Node.js %s', (engines, nvmrc, version) => {
  const manifest = `{"scripts":{"start":"node a.js"},"engines":${engines}}`;
  const files = { 'package.json': manifest, ...(nvmrc === undefined ? {} : { '.nvmrc': nvmrc }) };
  expect(ownOf({ files }).dockerfile).toContain(`FROM node:${version}-slim AS build`);
});

test('extensions of PHP that Berth does not know are named', () => {
  const files = { 'composer.json': '{"require":{"ext-json":"*","ext-unheard":"*","ext-mongodb":"*"}}' };
  const { dockerfile, why } = ownOf({ files });
  expect(dockerfile).toContain('RUN pecl install mongodb && docker-php-ext-enable mongodb');
  expect(why).toContainEqual(expect.stringMatching(/does not know and leaves out: unheard\./));
});

test.each([
  ['java -jar build/libs/shop.jar', 'build', 'CMD ["java", "-jar", "app.jar"]'],
  ['./build/install/shop/bin/shop', 'installDist', 'CMD ["bin/start"]'],
])('a Procfile with %s gets what it names from the task %s', (web, task, start) => {
  const files = { 'build.gradle': "plugins { id 'application' }", gradlew: '', Procfile: `web: ${web}` };
  const { dockerfile } = ownOf({ files });
  expect(dockerfile).toContain(`./gradlew --no-daemon ${task} -x test`);
  expect(dockerfile).toContain(start);
});

test('texts of a source stay data in the Dockerfile', () => {
  const files = { 'package.json': JSON.stringify({ scripts: { start: 'node a.js "b\nRUN evil" $HOME' } }) };
  const { dockerfile } = ownOf({ files });
  expect(dockerfile).not.toMatch(/^RUN evil/m);
  expect(dockerfile).toContain('CMD ["npm", "run", "start"]');
});

test('rules of the source stay in .dockerignore, before those of the build', () => {
  const files = { 'package.json': '{"scripts":{"start":"node a.js"}}', '.dockerignore': 'docs\n' };
  expect(ownOf({ files }).dockerignore).toBe(
    'docs\n**/.git\n**/.DS_Store\n**/.env.local\n**/.env.*.local\n**/node_modules\n',
  );
});
