import Fastify from 'fastify';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { addAnswerHeaders } from '../entrance/answer-headers.ts';
import { addDashboard } from './dashboard.ts';

function built(): { folder: string; write(name: string, text: string): void } {
  const folder = mkdtempSync(join(tmpdir(), 'berth-dashboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'assets'));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write('index.html', '<p>one</p>');
  write('index.html.br', 'br');
  write('assets/app.js', 'one()');
  return { folder, write };
}

it('is sent whole after it was built anew, in a length of its own', async () => {
  const { folder, write } = built();
  const app = Fastify();
  addDashboard(app, folder);
  const page = async (encoding: string) => {
    const { statusCode, headers, body } = await app.inject({
      url: '/',
      headers: { 'accept-encoding': encoding },
    });
    return { statusCode, length: headers['content-length'], encoding: headers['content-encoding'], body };
  };
  expect(await page('br')).toEqual({ statusCode: 200, length: '2', encoding: 'br', body: 'br' });
  write('index.html', '<p>another</p>');
  rmSync(join(folder, 'index.html.br'));
  const whole = { statusCode: 200, length: '14', encoding: undefined, body: '<p>another</p>' };
  expect(await page('br')).toEqual(whole);
  expect(await page('identity')).toEqual(whole);
  rmSync(join(folder, 'assets/app.js'));
  const gone = await app.inject('/assets/app.js');
  expect(gone.body).toContain('has been rebuilt');
  expect(gone.headers['cache-control'], 'a refusal is not kept for a year').toBeUndefined();
  await app.close();
});

it('sends each program under the policy of the page, which a worker keeps to', async () => {
  const { folder } = built();
  const app = Fastify();
  addAnswerHeaders(app);
  addDashboard(app, folder);
  const policyOf = async (url: string) => (await app.inject(url)).headers['content-security-policy'];
  expect(await policyOf('/assets/app.js')).toContain("connect-src 'self'");
  expect(await policyOf('/assets/app.js')).toBe(await policyOf('/'));
  await app.close();
});

it('answers a file beside the page, and nothing where there is none', async () => {
  const { folder, write } = built();
  write('berth.svg', '<svg/>');
  const app = Fastify();
  const dashboard = addDashboard(app, folder);
  app.setNotFoundHandler(
    (request, reply) => dashboard.answer(request, reply) ?? reply.code(404).send('none'),
  );
  const get = async (url: string, accept = '*/*') => {
    const { statusCode, headers, body } = await app.inject({ url, headers: { accept } });
    return { statusCode, kept: headers['cache-control'], body };
  };
  expect(await get('/berth.svg?1')).toEqual({ statusCode: 200, kept: 'no-cache', body: '<svg/>' });
  expect(await get('/assets/app.js')).toMatchObject({ statusCode: 200, body: 'one()' });
  expect(await get('/projects', 'text/html')).toMatchObject({ statusCode: 200, body: '<p>one</p>' });
  for (const url of ['/assets/gone.js', '/assets/../../index.html', '/gone.svg', '/index.html.br'])
    expect(await get(url)).toMatchObject({ statusCode: 404, body: 'none' });
  expect(await get('/assets/gone.js', 'text/html')).toMatchObject({ statusCode: 404 });
  rmSync(join(folder, 'berth.svg'));
  expect((await get('/berth.svg')).body).toContain('has been rebuilt');
  await app.close();
});
