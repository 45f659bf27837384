import { once } from 'node:events';
import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inputQuery, send, type Answer, type Call } from '../../../test/http/call.ts';
import { createPeople, type People } from '../../../test/http/people.ts';
import { serve, type TestServer } from '../../../test/http/serve.ts';
import { temporaryDatabase } from '../../../test/http/temporary-database.ts';
import { createTrial } from '../../../test/http/trial.ts';

const { database, remove } = await temporaryDatabase();
const trial = createTrial();
let server: TestServer;
let people: People;

beforeAll(async () => {
  people = await createPeople(database);
  server = await serve(database, [trial.router]);
});
afterAll(async () => {
  await server.close();
  await remove();
});

const formA = (path: string, call: Call = {}): Promise<Answer> =>
  send(`${server.url}/api/trpc/${path}`, { ...call, headers: { ...people.owner.headers, ...call.headers } });
const formB = (path: string, call: Call = {}): Promise<Answer> =>
  send(`${server.url}/api/${path}`, { ...call, headers: { ...people.owner.headers, ...call.headers } });
const envelope = (code: string, httpStatus: number, path?: string): object => ({
  error: {
    message: expect.any(String),
    code,
    data: expect.objectContaining({ httpStatus, ...(path === undefined ? {} : { path }) }),
  },
});

describe('transport faults have our envelope', () => {
  const broken = ['{', '{"name":', 'name=x', '{"name":"x"}}', '\u{feff}x'];
  const poisoned = [
    '{"__proto__":{"name":"polluted"}}',
    '{"name":"ok","nested":{"__proto__":{"a":1}}}',
    '{"constructor":{"prototype":{"a":1}}}',
  ];

  it('malformed and poisoned JSON: 400', async () => {
    for (const body of [...broken, ...poisoned]) {
      expect([body, (await formB('trial.create', { body })).body]).toEqual([
        body,
        { ...envelope('BAD_REQUEST', 400, 'trial.create'), message: expect.any(String), code: 'BAD_REQUEST' },
      ]);
      expect([body, (await formA('trial.create', { body })).body]).toEqual([
        body,
        envelope('BAD_REQUEST', 400, 'trial.create'),
      ]);
      expect((await formA('trial.create', { body, headers: { 'x-trpc-source': 'x' } })).body).toMatchObject({
        error: { code: -32600, data: { code: 'BAD_REQUEST' } },
      });
    }
    expect((await formB('trial.echo?input={')).body).toMatchObject({
      code: 'BAD_REQUEST',
      error: { data: { issues: [{ path: 'input', message: 'must be valid JSON' }] } },
    });
    expect(
      (await formB(`trial.echo${inputQuery(JSON.parse('{"__proto__":{"text":"polluted"}}'))}`)).body,
    ).toEqual({});
    expect((await formB('trial.echo?__proto__=x&constructor=y')).body).toEqual({});
  });

  it('another content type: 415', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'nonsense',
    ]) {
      expect([
        type,
        await formB('trial.create', { body: 'name=x', headers: { 'content-type': type } }),
      ]).toEqual([
        type,
        expect.objectContaining({
          status: 415,
          body: expect.objectContaining({ code: 'UNSUPPORTED_MEDIA_TYPE' }),
        }),
      ]);
    }
    expect(
      (
        await formB('trial.create', {
          body: { name: 'utf' },
          headers: { 'content-type': 'application/json; charset=UTF-8' },
        })
      ).status,
    ).toBe(200);
    for (const type of ['multipart/form-data; boundary=x', 'application/zip'])
      expect(
        (await formB('trial.create', { body: '{"name":"xx"}', headers: { 'content-type': type } })).status,
      ).toBe(415);
  });

  it('more than 1 MiB: 413, up to it is taken', async () => {
    const note = (bytes: number): string =>
      JSON.stringify({ note: 'x'.repeat(bytes - '{"note":""}'.length) });
    expect((await formB('trial.touch', { body: note(1024 * 1024) })).status).toBe(200);
    expect(await formB('trial.touch', { body: note(1024 * 1024 + 1) })).toMatchObject({
      status: 413,
      body: envelope('PAYLOAD_TOO_LARGE', 413),
    });
    expect(await formA('trial.touch', { body: note(3 * 1024 * 1024) })).toMatchObject({
      status: 413,
      body: envelope('PAYLOAD_TOO_LARGE', 413),
    });
  });

  it('an address of 64 KiB: our envelope; one of 32 KiB is read', async () => {
    expect((await formB(`trial.echo?text=${'x'.repeat(32 * 1024)}`)).body).toEqual({
      text: 'x'.repeat(32 * 1024),
    });
    expect(await formB(`trial.echo?text=${'x'.repeat(64 * 1024)}`)).toMatchObject({
      status: 413,
      body: { ...envelope('PAYLOAD_TOO_LARGE', 413), code: 'PAYLOAD_TOO_LARGE' },
    });
  });

  it('an address that is no URL, and what is no HTTP', async () => {
    for (const path of ['/api/%E0%A4%A', '/api/trpc/%E0%A4%A', '/%'])
      expect(await send(server.url + path)).toMatchObject({
        status: 400,
        body: envelope('BAD_REQUEST', 400),
      });
    expect(await raw('NONSENSE\r\n\r\n')).toContain('"code":"BAD_REQUEST"');
    expect(await raw('GET /api/health HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n')).toContain(
      '"code":"BAD_REQUEST"',
    );
  });
});

async function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = new Socket().connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.end(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}
