/** Berth's own cookies at the real proxy: no service gets them, in whatever form they come; Berth does. */
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bedEngine } from '../engine/engine-fixture.ts';
import { ask, attached, httpPort, proxyInBed, route } from './proxy-fixture.ts';

const { ip } = bedEngine();
const bed = proxyInBed();
let berth: Server;

beforeAll(async () => {
  await attached(bed);
  berth = createServer(({ headers }, response) => response.end(JSON.stringify({ berth: true, headers })));
  const path = join(bed.folder, 'berth.sock');
  await rm(path, { force: true });
  await new Promise<void>((resolve) => void berth.listen(path, resolve));
  await bed.proxy.apply([
    route({ id: 'cookies', host: 'cookies.test', service: bed.one.name }),
    route({ id: 'secure', host: 'cookies.secure.test', service: bed.one.name, https: true }),
    { ...route({ id: 'berth', host: 'berth.test', service: '', https: true }), service: null, isBerth: true },
    { ...route({ id: 'none', host: 'none.test', service: '' }), service: null },
  ]);
});
afterAll(() => berth.close());

/** A request as it is written, with these lines of Cookie; gives what the service was sent. */
async function sent(lines: readonly string[]): Promise<string | undefined> {
  const socket = connect({ host: ip, port: httpPort });
  socket.write(['GET / HTTP/1.1', 'Host: cookies.test', 'Connection: close', ...lines, '', ''].join('\r\n'));
  const [, body = ''] = (await text(socket)).split('\r\n\r\n');
  const { headers } = JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1));
  return headers.cookie;
}

test.each([
  [['Cookie: berth_session=s'], undefined],
  [['Cookie: a=1; __Host-berth_session=s; b=2'], 'a=1; b=2'],
  [['Cookie: a=1;berth_session=s;berth_device=d;b="2 3"'], 'a=1;b="2 3"'],
  [['Cookie:   berth_session = s ;  a=1'], 'a=1'],
  [['Cookie: a=1', 'Cookie: berth_session=s; b=2', 'cookie: c=3'], 'a=1; b=2; c=3'],
  [['Cookie: berth_session=s', 'COOKIE: __Host-berth_session=t'], undefined],
  [
    ['Cookie: a=1; b=berth_session; my_berth_session=2; =3;  c=4'],
    'a=1; b=berth_session; my_berth_session=2; =3;  c=4',
  ],
] as const)('%j', async (lines, expected) => {
  expect(await sent(lines)).toBe(expected);
});

test('over https, and together with an upgrade, just so', async () => {
  const headers = { Cookie: 'a=1; __Host-berth_session=s' };
  expect(JSON.parse((await ask('cookies.secure.test', { secure: true, headers })).body).headers.cookie).toBe(
    'a=1',
  );
  const upgrade = { ...headers, Connection: 'Upgrade', Upgrade: 'nothing' };
  expect((await ask('cookies.test', { headers: upgrade })).body).not.toContain('berth_session');
});

test('Berth gets them by its socket, with what the proxy says of the client and nobody else', async () => {
  const headers = { Cookie: 'a=1; __Host-berth_session=s', 'X-Forwarded-For': '203.0.113.1' };
  expect(await ask('berth.test', { headers })).toMatchObject({ status: 308 });
  const { berth: isBerth, headers: got } = JSON.parse(
    (await ask('berth.test', { secure: true, headers })).body,
  );
  expect(isBerth).toBe(true);
  expect(got).toMatchObject({
    cookie: 'a=1; __Host-berth_session=s',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'berth.test',
  });
  expect(got['x-forwarded-for']).not.toContain('203.0.113.1');
});

test('what has no release yet leads nowhere, and says so', async () => {
  expect(await ask('none.test')).toMatchObject({
    status: 503,
    body: 'Nothing has been deployed here yet.\n',
  });
});
