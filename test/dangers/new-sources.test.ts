/** New services with their source: both, or neither where the source is refused. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { webImage } from '../kill-matrix/images.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { createStage, type Said, type Stage } from './stage.ts';

let uninstall: () => void;
let folder: string;
let stage: Stage;
beforeAll(async () => {
  uninstall = installVirtualTime();
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'berth-sources-'));
  stage = await createStage(folder);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  uninstall();
});

const call = (path: string, input: object): Promise<Said> =>
  stage.tenant.owner(path, { environmentId: stage.tenant.environmentId, ...input });
const address = 'https://git.example.com/team/shop.git';

it('are made with a git address, its branch, or an image', async () => {
  const made = { status: 200, body: { sourceType: 'git', customGitUrl: address } };
  expect(await call('application.create', { name: 'main', customGitUrl: address })).toMatchObject({
    ...made,
    body: { ...made.body, customGitBranch: 'main' },
  });
  const next = { name: 'next', customGitUrl: address, customGitBranch: 'next', withDomain: true };
  expect(await call('application.create', next)).toMatchObject({
    status: 200,
    body: { ...made.body, customGitBranch: 'next', address: expect.any(String) },
  });
  expect(await call('application.create', { name: 'image', containerImage: webImage })).toMatchObject({
    status: 200,
    body: { sourceType: 'container', containerImage: webImage },
  });
  const file = { name: 'stack', customGitUrl: address, composePath: 'deploy/compose.yml' };
  expect(await call('compose.create', file)).toMatchObject({
    status: 200,
    body: { ...made.body, customGitBranch: 'main', composePath: 'deploy/compose.yml' },
  });
});

it('are not made at all when the source is refused', async () => {
  const refused: readonly [path: string, field: string, input: object][] = [
    ['application.create', 'customGitUrl', { customGitUrl: 'ftp://git.example.com/a.git' }],
    ['application.create', 'customGitUrl', { customGitUrl: '--upload-pack=touch' }],
    ['application.create', 'customGitBranch', { customGitUrl: address, customGitBranch: '--orphan' }],
    ['application.create', 'customGitBranch', { customGitBranch: 'next' }],
    ['application.create', 'containerImage', { customGitUrl: address, containerImage: webImage }],
    ['application.create', 'containerImage', { containerImage: 'no image' }],
    ['compose.create', 'customGitUrl', { customGitUrl: 'ftp://git.example.com/a.git' }],
    ['compose.create', 'composeFile', { customGitUrl: address, composeFile: 'services: {}' }],
    ['compose.create', 'composePath', { customGitUrl: address, composePath: '../x' }],
    ['compose.create', 'composePath', { composePath: 'compose.yml' }],
    ['compose.create', 'customGitBranch', { customGitBranch: 'next' }],
  ];
  for (const [path, field, input] of refused)
    expect(await call(path, { name: 'refused', ...input }), path).toMatchObject({
      status: 400,
      body: { error: { data: { issues: [{ path: field }] } } },
    });
  const local = { name: 'refused', customGitUrl: '/srv/git/a.git' };
  expect((await call('application.create', local)).status).toBe(403);
  expect((await call('compose.create', local)).status).toBe(403);
  const { body } = await stage.tenant.owner('service.all', {});
  const names = (body as { items?: { name: string }[] }).items ?? (body as { name: string }[]);
  expect(names.map(({ name }) => name).toSorted()).toEqual(['image', 'main', 'next', 'stack']);
});
