import Fastify from 'fastify';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { cookieJar } from './entrance/cookies.ts';
import { createProxySocket } from './proxy-socket.ts';
import { trustProxies } from './entrance/trusted-proxies.ts';

const ask = (socketPath: string, headers: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ socketPath, path: '/cookie', headers, agent: false }, (answer) => resolve(text(answer)))
      .once('error', reject)
      .end();
  });

it('answers as the port does, is believed of the client, and its https has __Host- cookies', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-socket-'));
  const path = join(folder, 'berth.sock');
  await writeFile(path, 'left by a Berth that was killed');
  const socket = createProxySocket();
  const app = Fastify({ trustProxy: trustProxies([]) });
  const cookies = cookieJar((each) => socket.isFrom(each) && each.protocol === 'https');
  app.get('/cookie', (each) => [
    each.ip,
    each.host,
    cookies.setSession(each, 'token', 0),
    cookies.sessionTokens(each),
  ]);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  await socket.listen(app, path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const said = {
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'berth.example.com',
    cookie: 'berth_session=planted; __Host-berth_session=own',
  };
  expect(JSON.parse(await ask(path, said))).toEqual([
    '198.51.100.7',
    'berth.example.com',
    '__Host-berth_session=token; Path=/; HttpOnly; SameSite=Lax; ' +
      'Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure',
    ['own'],
  ]);
  const [ip, , cookie, tokens] = JSON.parse(await (await fetch(`${url}/cookie`, { headers: said })).text());
  expect([ip, tokens]).toEqual(['127.0.0.1', ['planted']]);
  expect(cookie).toMatch(/^berth_session=.*GMT$/);
  await socket.close();
  await app.close();
  await rm(folder, { recursive: true });
});
