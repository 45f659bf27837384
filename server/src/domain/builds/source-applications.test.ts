import { expect, test } from 'vitest';
import { workspaceSamples } from '../../../../test/sample-apps/workspaces.ts';
import { isRead } from './builds.ts';
import { applicationsOfSource, chooseOne, type SourceApplication } from './source-applications.ts';

function found(files: Readonly<Record<string, string>>): SourceApplication[] {
  return applicationsOfSource({
    files: {
      paths: new Set(Object.keys(files)),
      texts: new Map(Object.entries(files).filter(([path]) => isRead(path))),
    },
    publishDirectory: undefined,
    isSinglePage: false,
    variables: [],
    secrets: [],
    staticImage: 'caddy:2',
  });
}

const server = '{"name":"@shop/api","scripts":{"start":"node a.js"},"dependencies":{"@shop/db":"*"}}';

test.each(workspaceSamples)('$name: its application is among those found, with its watch paths', (sample) => {
  expect(found(sample.files)).toContainEqual({
    folder: sample.folder,
    name: expect.any(String),
    what: sample.framework ?? 'Node.js',
    watchPaths: sample.watchPaths,
  });
});

test('a workspace: applications, not libraries; one with a Dockerfile watches what it needs', () => {
  const files = {
    'package.json': '{"workspaces":["apps/*","packages/*"]}',
    'package-lock.json': '{}',
    'apps/api/package.json': server,
    'apps/api/Dockerfile': 'FROM node',
    'apps/web/package.json': '{"name":"web","scripts":{"build":"vite build"},"devDependencies":{"vite":"6"}}',
    'packages/db/package.json': '{"name":"@shop/db","scripts":{"build":"tsc"}}',
    'examples/old/package.json': server,
  };
  expect(found(files)).toEqual([
    {
      folder: 'apps/api',
      name: '@shop/api',
      what: 'Dockerfile',
      watchPaths: ['packages/db/**', 'apps/api/**', 'package.json', 'package-lock.json'],
    },
    {
      folder: 'apps/web',
      name: 'web',
      what: 'Vite',
      watchPaths: ['apps/web/**', 'package.json', 'package-lock.json'],
    },
  ]);
});

test('folders of several languages under a root that is none', () => {
  const files = {
    'package.json': '{"devDependencies":{"husky":"9"}}',
    'backend/requirements.txt': 'flask\n',
    'backend/app.py': 'app = Flask(__name__)',
    'frontend/package.json': '{"scripts":{"build":"vite build"},"devDependencies":{"vite":"6"}}',
    'worker/Dockerfile': 'FROM scratch',
    'tests/fixtures/one/package.json': server,
  };
  const applications = found(files);
  expect(applications.map(({ folder, what }) => [folder, what])).toEqual([
    ['backend', 'Flask'],
    ['frontend', 'Vite'],
    ['worker', 'Dockerfile'],
  ]);
  expect(applications[0]?.watchPaths).toEqual(['backend/**']);
  expect(chooseOne(applications)).toBe(
    'The source has several applications. Set buildPath to the folder of the one to deploy: ' +
      'backend (Flask), frontend (Vite), worker (Dockerfile).',
  );
});

test.each([
  ['one application', { 'package.json': server, 'tools/package.json': server }],
  ['a Dockerfile at the root', { Dockerfile: 'FROM scratch', 'a/package.json': server }],
  ['nothing', { 'README.md': '' }],
])('%s is no choice', (_what, files) => {
  expect(found(files)).toEqual([]);
  expect(chooseOne([])).toBeUndefined();
});
