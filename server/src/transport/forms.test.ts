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
const data = (value: unknown): unknown => ({ result: { data: value } });
const envelope = (code: string, httpStatus: number, path?: string): object => ({
  error: {
    message: expect.any(String),
    code,
    data: expect.objectContaining({ httpStatus, ...(path === undefined ? {} : { path }) }),
  },
});

describe('success', () => {
  it('is wrapped in form A and bare in form B, 200 and JSON in both', async () => {
    for (const call of [
      { path: `trial.echo${inputQuery({ text: 'hi' })}`, value: { text: 'hi' } },
      { path: 'trial.absent', value: null },
    ]) {
      const [a, b] = [await formA(call.path), await formB(call.path)];
      expect([a.status, a.body]).toEqual([200, data(call.value)]);
      expect([b.status, b.body]).toEqual([200, call.value]);
      for (const { headers } of [a, b])
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    expect((await formA('trial.create', { body: { name: 'anchor' } })).body).toEqual(
      data({ thingId: expect.any(String), name: 'anchor' }),
    );
    expect((await formB('trial.create', { body: { name: 'anchor' } })).body).toEqual({
      thingId: expect.any(String),
      name: 'anchor',
    });
  });

  it("takes plain query parameters in their schema's types", async () => {
    for (const form of [formA, formB]) {
      const { body } = await form('trial.echo?text=12&count=12&flag=true&list=one&unknown=1');
      expect(form === formA ? body : data(body)).toEqual(
        data({ text: '12', count: 12, flag: true, list: ['one'] }),
      );
    }
    expect((await formB('trial.echo?list=a&list=b&flag=false&count=-3&text=')).body).toEqual({
      list: ['a', 'b'],
      flag: false,
      count: -3,
      text: '',
    });
    expect((await formB('trial.echo?count=1&count=2')).body).toEqual({ count: 2 });
  });

  it('unwraps a {"json": …} envelope, and only then wraps the answer likewise', async () => {
    expect((await formA(`trial.echo${inputQuery({ json: { text: 'x' } })}`)).body).toEqual(
      data({ json: { text: 'x' } }),
    );
    expect(
      (await formA(`trial.absent${inputQuery({ json: null, meta: { values: ['undefined'] } })}`)).body,
    ).toEqual(data({ json: null }));
    expect((await formA('trial.create', { body: { json: { name: 'wrapped' } } })).body).toEqual(
      data({ json: { thingId: expect.any(String), name: 'wrapped' } }),
    );
    expect((await formB('trial.create', { body: { json: { name: 'wrapped' } } })).body).toMatchObject({
      name: 'wrapped',
    });
    expect((await formA('trial.create', { body: { name: 'plain', json: { name: 'inner' } } })).body).toEqual(
      data({ thingId: expect.any(String), name: 'plain' }),
    );
  });

  it('takes an empty body as {} where nothing is required', async () => {
    for (const call of [{ method: 'POST' }, { method: 'POST', body: '' }, { body: {} }]) {
      expect((await formB('trial.touch', call)).body).toEqual({ note: null });
      expect((await formA('trial.touch', call)).body).toEqual(data({ note: null }));
    }
    expect((await formB('trial.create', { method: 'POST' })).body).toMatchObject({
      code: 'BAD_REQUEST',
      error: { data: { issues: [{ path: 'name' }] } },
    });
  });

  it('ignores unknown keys of a body', async () => {
    expect((await formB('trial.touch', { body: { note: 'n', more: { deep: true } } })).body).toEqual({
      note: 'n',
    });
  });
});

it('a query answers HEAD as it answers GET, without the body', async () => {
  for (const form of [formA, formB]) {
    const path = `trial.echo${inputQuery({ text: 'hi' })}`;
    const [head, get] = [await form(path, { method: 'HEAD' }), await form(path)];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect((await form('trial.create', { method: 'HEAD' })).status).toBe(405);
    expect(
      (await form('trial.lines', { method: 'HEAD', headers: { accept: 'text/event-stream' } })).status,
    ).toBe(200);
  }
  expect((await send(`${server.url}/api/trial.echo`, { method: 'HEAD' })).status).toBe(401);
});

describe('lists', () => {
  it('are whole at their address, and have pages at one of their own', async () => {
    expect((await formB('trial.all')).body).toEqual(['a', 'b', 'c']);
    expect((await formB('trial.all?limit=2')).body).toEqual({ items: ['a', 'b'], nextCursor: 'b' });
    expect((await formB('trial.all/page?limit=2&cursor=b')).body).toEqual({ items: ['c'], nextCursor: null });
    expect((await formB(`trial.all/page${inputQuery({ limit: 1 })}`)).body).toMatchObject({ items: ['a'] });
    expect((await formB('trial.all/page')).body).toEqual({ items: ['a', 'b', 'c'], nextCursor: null });
    expect((await formB('trial.all/page?limit=0')).body).toMatchObject(
      envelope('BAD_REQUEST', 400, 'trial.all'),
    );
    expect((await formB('trial.echo/page')).body).toMatchObject(envelope('NOT_FOUND', 404, 'trial.echo'));
    expect((await formB('trial.none/page')).status).toBe(404);
    expect((await formB('trial.all/page', { method: 'POST' })).status).toBe(405);
    expect((await send(`${server.url}/api/trial.all/page`)).status).toBe(401);
  });
});

describe('batches', () => {
  const batch = (paths: string[], inputs: unknown, call: Call = {}): Promise<Answer> =>
    formA(`${paths.join(',')}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`, call);

  it('answer an array in the order asked for', async () => {
    const { status, body } = await batch(['trial.echo', 'trial.absent', 'trial.echo'], {
      0: { count: 1 },
      2: { json: { count: 2 } },
    });
    expect([status, body]).toEqual([200, [data({ count: 1 }), data(null), data({ json: { count: 2 } })]]);
    const mutations = await formA('trial.touch,trial.create?batch=1', {
      body: { 0: { note: 'a' }, 1: { name: 'batched' } },
    });
    expect(mutations.body).toEqual([
      data({ note: 'a' }),
      data({ thingId: expect.any(String), name: 'batched' }),
    ]);
  });

  it('have the common status when all are equal, else 207', async () => {
    expect((await batch(['trial.absent', 'trial.nowhere'], {})).status).toBe(207);
    expect((await batch(['trial.nowhere', 'trial.nothing'], {})).status).toBe(404);
    expect((await batch(['trial.crash', 'trial.nowhere'], {})).status).toBe(207);
    const { status, body } = await batch(['trial.echo', 'trial.echo'], {
      0: { count: 'x' },
      1: { count: 'y' },
    });
    expect(status).toBe(400);
    expect(body).toEqual(
      [0, 1].map(() => ({
        error: {
          message: expect.stringContaining('count'),
          code: -32600,
          data: expect.objectContaining({ code: 'BAD_REQUEST', httpStatus: 400, path: 'trial.echo' }),
        },
      })),
    );
  });

  it('hold 50 calls and no more', async () => {
    const paths = Array.from({ length: 51 }, () => 'trial.absent');
    expect((await batch(paths.slice(1), {})).body).toHaveLength(50);
    const refused = await batch(paths, {});
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: expect.objectContaining({ message: expect.stringContaining('50'), code: -32600 }) },
    ]);
  });

  it('refuse an input that is no object, and the wrong verb for each call', async () => {
    for (const input of ['[', 'null', '3', '"x"'])
      expect((await formA(`trial.absent?batch=1&input=${encodeURIComponent(input)}`)).status).toBe(400);
    expect(await batch(['trial.create', 'trial.absent'], {})).toMatchObject({
      status: 207,
      body: [{ error: { code: -32005 } }, { result: {} }],
    });
  });

  it("count each call against the key's limit", async () => {
    const limited = await people.newKey(people.owner, {
      rateLimitEnabled: true,
      rateLimitTimeWindow: 60_000,
      rateLimitMax: 3,
    });
    const { status, body } = await batch(
      Array.from({ length: 5 }, () => 'trial.absent'),
      {},
      { headers: limited.headers },
    );
    expect(status).toBe(207);
    const refusal = {
      error: expect.objectContaining({
        code: -32029,
        data: expect.objectContaining({
          code: 'TOO_MANY_REQUESTS',
          httpStatus: 429,
          retryAfterMs: expect.any(Number),
        }),
      }),
    };
    expect(Array.isArray(body) && body.filter((entry) => 'result' in entry)).toHaveLength(3);
    expect(Array.isArray(body) && body.filter((entry) => 'error' in entry)).toEqual([refusal, refusal]);
    const alone = await formB('trial.absent', { headers: limited.headers });
    expect([alone.status, alone.body]).toEqual([429, expect.objectContaining({ code: 'TOO_MANY_REQUESTS' })]);
    expect(Number(alone.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('refusals', () => {
  it('have the envelope in both forms; form B repeats message and code beside it', async () => {
    for (const [path, code, status] of [
      ['trial.nowhere', 'NOT_FOUND', 404],
      ['trial.busy', 'TOO_MANY_REQUESTS', 429],
      ['trial.crash', 'INTERNAL_SERVER_ERROR', 500],
      ['trial.echo?count=x', 'BAD_REQUEST', 400],
    ] as const) {
      const name = path.split('?')[0];
      const [a, b] = [await formA(path), await formB(path)];
      expect([a.status, a.body]).toEqual([status, envelope(code, status, name)]);
      expect([b.status, b.body]).toEqual([
        status,
        { ...envelope(code, status, name), message: expect.any(String), code },
      ]);
    }
    expect((await formB('trial.busy')).headers.get('retry-after')).toBe('2');
    expect((await formB('trial.busy')).body).toMatchObject({ error: { data: { retryAfterMs: 1500 } } });
  });

  it('name one issue for each fault of the input', async () => {
    const { body } = await formB('trial.create', { body: { name: 'x', size: 10 } });
    expect(body).toMatchObject({
      error: {
        data: { issues: [{ path: 'name', message: 'must have at least 2 characters' }, { path: 'size' }] },
      },
    });
    expect((await formB('trial.create', { body: { name: 'a\0b' } })).body).toMatchObject({
      error: { data: { issues: [{ path: 'name', message: 'must not contain the NUL character' }] } },
    });
    for (const body of ['[]', '"text"', '3', 'null'])
      expect(await formB('trial.create', { body })).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST' },
      });
  });

  it('keep the inside inside: a fault shows an id that is in the log, nothing else', async () => {
    const { body, text } = await formB('trial.crash');
    expect(text).not.toMatch(/SELECT|passwordHash|\/var\/lib/);
    const id = /under the id (\w+)/.exec(text)?.[1];
    expect(body).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
    expect(server.faults.at(-1)).toMatchObject({
      id,
      path: 'trial.crash',
      error: expect.objectContaining({ message: expect.stringContaining('SELECT') }),
    });
  });

  it('are flat for certificates and swarm, and enveloped with the reason for a tRPC client', async () => {
    for (const form of [formA, formB]) {
      const { status, body } = await form('trial.refuse');
      expect([status, body]).toEqual([
        503,
        { error: 'Swarm not available', message: 'The server is not part of a swarm.' },
      ]);
    }
    const { body } = await formA('trial.refuse', { headers: { 'x-trpc-source': 'nextjs' } });
    expect(body).toEqual({
      error: {
        message: expect.any(String),
        code: -32603,
        data: {
          code: 'SERVICE_UNAVAILABLE',
          httpStatus: 503,
          path: 'trial.refuse',
          reason: 'Swarm not available',
        },
      },
    });
  });

  it("speak tRPC's numeric codes to its clients only", async () => {
    for (const [name, value] of Object.entries({
      'x-trpc-source': 'react',
      'trpc-accept': 'application/jsonl',
      accept: 'text/event-stream',
    })) {
      const headers = { [name]: value };
      expect((await formA('trial.nowhere', { headers })).body).toMatchObject({
        error: { code: -32004, data: { code: 'NOT_FOUND' } },
      });
      expect((await formB('trial.nowhere', { headers })).body).toMatchObject({
        error: { code: 'NOT_FOUND' },
        code: 'NOT_FOUND',
      });
    }
  });

  it('tell the other verb with 405', async () => {
    for (const form of [formA, formB]) {
      expect(await form('trial.create')).toMatchObject({
        status: 405,
        body: envelope('METHOD_NOT_SUPPORTED', 405, 'trial.create'),
      });
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        expect(await form('trial.echo', { method })).toMatchObject({
          status: 405,
          body: envelope('METHOD_NOT_SUPPORTED', 405, 'trial.echo'),
        });
      expect((await form('trial.lines', { body: {} })).status).toBe(405);
      // RFC 9110, 15.5.6.
      expect((await form('trial.create')).headers.get('allow')).toBe('POST');
      expect((await form('trial.echo', { method: 'PUT' })).headers.get('allow')).toBe('GET, HEAD');
    }
  });

  it('name the encoding of a body that would have to be unpacked', async () => {
    for (const form of [formA, formB])
      for (const path of ['trial.create', 'trial.receive']) {
        const answer = await form(path, { body: '{}', headers: { 'content-encoding': 'gzip' } });
        expect(answer).toMatchObject({ status: 415, body: envelope('UNSUPPORTED_MEDIA_TYPE', 415, path) });
        expect(answer.text).toContain('Content-Encoding \\"gzip\\"');
        expect(answer.headers.get('accept-encoding')).toBe('identity');
      }
    const plain = { body: { name: 'anchor' }, headers: { 'content-encoding': 'identity' } };
    expect((await formB('trial.create', plain)).status).toBe(200);
  });

  it('tell what is nowhere with 404', async () => {
    for (const path of [
      '/api',
      '/api/trpc',
      '/api/trpc/',
      '/api/trial',
      '/api/toString',
      '/api/__proto__',
      '/api/trial.constructor',
      '/api/trial.echo/more',
      '/index.php',
      `/api/${'x'.repeat(5000)}`,
    ]) {
      const { status, body } = await send(server.url + path, { headers: people.owner.headers });
      expect([path.slice(0, 30), status, body]).toEqual([
        path.slice(0, 30),
        404,
        expect.objectContaining(envelope('NOT_FOUND', 404)),
      ]);
    }
  });
});

it('the address itself answers a page that leads to the reference', async () => {
  const page = await fetch(`${server.url}/`);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<a href="/docs">');
});

it('health, the interface document and unknown verbs need no login', async () => {
  expect((await send(`${server.url}/api/health`)).body).toEqual({ ok: true, version: 'test' });
  expect((await send(`${server.url}/compat/api/health`)).body).toEqual({ ok: true, version: 'test' });
  expect((await send(`${server.url}/api/openapi.json`)).body).toMatchObject({
    openapi: '3.1.0',
    paths: { '/api/trial.echo': { get: {} }, '/api/trial.create': { post: {} } },
  });
  expect((await send(`${server.url}/api/health`, { method: 'POST' })).status).toBe(405);
});
