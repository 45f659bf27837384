import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { createBuilderFixture } from './builder-fixture.ts';

const fixture = createBuilderFixture(inject('servers').m1.engineSocket);
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(() => void fixture.lines.splice(0));

const files = {
  'dist/index.html': '<h1>home</h1>',
  'dist/404.html': '<h1>not here</h1>',
  'dist/docs/index.html': '<h1>docs</h1>',
  'dist/app.js': 'console.log(1)',
  'dist/.env': 'SECRET=1',
  'dist/.git/config': 'x',
  'dist/Dockerfile': 'FROM nothing:1',
  'dist/.dockerignore': '*',
};

/**
 * Starts the site in a container and asks for these paths, once it answers, by Node inside another container
 * on its network.
 */
async function ask(
  image: string,
  paths: string[],
): Promise<{ status: number; headers: Record<string, string>; body: string }[]> {
  const site = await fixture.docker('run', '--detach', image);
  try {
    const answers =
      `const answers = async (tries) => { try { await fetch('http://127.0.0.1/'); } catch (error) { if ` +
      '(tries === 0) throw error; await new Promise((go) => setTimeout(go, 100)); await answers(tries - ' +
      '1); } };';
    const script =
      `${answers} answers(100).then(() => Promise.all(${JSON.stringify(paths)}.map(async (path) => { ` +
      `const r = await fetch('http://127.0.0.1' + path, { redirect: 'manual' }); return { status: ` +
      'r.status, headers: Object.fromEntries(r.headers), body: await r.text() }; }))).then((all) => ' +
      'console.log(JSON.stringify(all)))';
    return JSON.parse(
      await fixture.docker(
        'run',
        '--rm',
        '--network',
        `container:${site}`,
        'berth/node:24',
        'node',
        '-e',
        script,
      ),
    );
  } finally {
    await fixture.docker('rm', '--force', site);
  }
}

test('a folder is served with its own error page and without what is not meant for the public', async () => {
  fixture.write(files);
  const image = await fixture.build({ buildType: 'static', publishDirectory: 'dist' });
  const [home, docs, script, missing, env, git] = await ask(image, [
    '/',
    '/docs/',
    '/app.js',
    '/some/where',
    '/.env',
    '/.git/config',
  ]);
  expect([home?.status, home?.body]).toEqual([200, '<h1>home</h1>']);
  expect([docs?.status, docs?.body]).toEqual([200, '<h1>docs</h1>']);
  expect(script?.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=0, must-revalidate',
    etag: expect.any(String),
  });
  expect(script?.headers['server']).toBeUndefined();
  expect([missing?.status, missing?.body]).toEqual([404, '<h1>not here</h1>']);
  expect([env?.status, git?.status]).toEqual([404, 404]);
  expect(await fixture.docker('run', '--rm', image, 'find', '/srv', '-name', '.env')).toBe('');
});

test('a single page answers for every path that is no file', async () => {
  fixture.write(files);
  const image = await fixture.build({ buildType: 'static', publishDirectory: 'dist', singlePage: true });
  const [home, route, script, env] = await ask(image, ['/', '/some/route?x=1', '/app.js', '/.env']);
  expect([home?.status, route?.status, route?.body]).toEqual([200, 200, '<h1>home</h1>']);
  expect(script?.body).toBe('console.log(1)');
  expect(env?.body).toBe('<h1>home</h1>');
});

test('a folder that is not there is refused', async () => {
  fixture.write(files);
  await expect(fixture.build({ buildType: 'static', publishDirectory: 'build' })).rejects.toThrow(
    'publishDirectory: there is no folder "build" in the source',
  );
});
