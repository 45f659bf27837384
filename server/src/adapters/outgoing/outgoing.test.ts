/** Real sockets; names are given, since whoever attacks has a name server of their own. */
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OutgoingPolicy } from '../../domain/network/outgoing.ts';
import type { Outgoing } from '../../ports/outgoing.ts';
import { createOutgoing } from './outgoing.ts';

const run = promisify(execFile);
const by = { organizationId: 'o1' };
const closed: OutgoingPolicy = { reachesPrivate: false, allowed: [], platform: ['10.192.0.0/12'] };
const opened: OutgoingPolicy = { ...closed, allowed: ['127.0.0.0/8'] };
const owner: OutgoingPolicy = { ...opened, reachesPrivate: true };

const names: Record<string, string[]> = {
  'web.test': ['127.0.0.1'],
  'inside.test': ['10.9.9.9'],
  'metadata.test': ['169.254.169.254'],
  'both.test': ['169.254.169.254', '127.0.0.1'],
  'platform.test': ['10.200.0.7'],
};
let lookUps: string[] = [];
const outgoing = (policy: OutgoingPolicy): Outgoing =>
  createOutgoing({
    policyOf: async () => policy,
    async lookUp(name) {
      lookUps.push(name);
      // The first answer is harmless, every further one is not: DNS rebinding.
      if (name === 'rebinding.test')
        return [lookUps.filter((one) => one === name).length === 1 ? '127.0.0.1' : '169.254.169.254'];
      return names[name] ?? [];
    },
  });

let web: Server;
let port = 0;
let closedPort = 0;
const asked: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(portOf(server)));
  });

beforeAll(async () => {
  web = createServer(({ method, url, headers }, response) => {
    asked.push({ method, url, headers });
    if (url === '/long') response.write('hel');
    if (url === '/away') response.writeHead(302, { location: `http://metadata.test:${port}/secret` });
    response.end('hello');
  });
  port = await listening(web);
  const short = createTcp();
  closedPort = await listening(short);
  await new Promise((resolve) => {
    short.close(resolve);
  });
});
afterAll(() => web.close());
beforeEach(() => {
  asked.length = 0;
  lookUps = [];
});

const get = async (policy: OutgoingPolicy, url: string): Promise<string> => {
  const request = { url, method: 'GET', headers: {}, limitMs: 60_000, maxBytes: 5 };
  const { status, body } = await outgoing(policy).request(request, by);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return `${status} ${Buffer.concat(chunks).toString()}`;
};
const sentence = (work: Promise<unknown>): Promise<string> =>
  work.then(String, (error: Error) => error.message);

describe('a request', () => {
  test('goes to what was judged, after one question', async () => {
    expect(await get(opened, `http://web.test:${port}/a?b`)).toBe('200 hello');
    expect(asked).toMatchObject([{ method: 'GET', url: '/a?b', headers: { host: `web.test:${port}` } }]);
    expect(lookUps).toEqual(['web.test']);
    expect(await get(opened, `http://rebinding.test:${port}/`)).toBe('200 hello');
    expect(lookUps.filter((name) => name === 'rebinding.test')).toHaveLength(1);
  });

  test('follows no redirect', async () => {
    expect(await get(opened, `http://web.test:${port}/away`)).toBe('302 hello');
    expect(asked).toHaveLength(1);
  });

  test('is read up to the limit of its answer, and no further', async () => {
    await expect(get(opened, `http://web.test:${port}/long`)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('web.test sent more than the 5 bytes'),
    });
  });

  test('of several addresses takes those that are open', async () => {
    expect(await get(opened, `http://both.test:${port}/`)).toBe('200 hello');
  });

  test.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f.1',
    'http://2130706433',
    'http://0177.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'http://１２７.0.0.1',
    'http://web.test.',
    'http://web.test',
  ])('to %s is refused without being made', async (origin) => {
    await expect(get(closed, `${origin}:${port}/`)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(asked).toEqual([]);
  });
});

describe('what a tenant is told', () => {
  test('is the same of what is refused, closed and silent, as long as it is not public', async () => {
    const about = (text: string): string => text.replaceAll(/^\S+/g, 'HOST');
    const refused = about(await sentence(get(closed, `http://web.test:${port}/`)));
    const others = [
      get(closed, 'http://inside.test/'),
      get(closed, 'http://metadata.test/'),
      get(closed, 'http://platform.test/'),
      get(closed, 'http://10.0.0.1/'),
      get(closed, `http://web.test:${closedPort}/`),
      // Open, and nobody there: no scanner of the named network either.
      get(opened, `http://web.test:${closedPort}/`),
    ];
    expect(refused).toContain('its address is not public');
    for (const other of others) expect(about(await sentence(other))).toBe(refused);
  });

  test('is true of names, and of what whoever owns the machine reaches', async () => {
    expect(await sentence(get(closed, 'http://none.test/'))).toContain('did not resolve');
    expect(await sentence(get(owner, `http://web.test:${closedPort}/`))).toContain('refused the connection');
    expect(await sentence(get({ ...owner, allowed: [] }, 'http://web.test/'))).toContain(
      "web.test leads to 127.0.0.1, which is this machine's own loopback",
    );
    expect(await sentence(get(owner, 'http://platform.test/'))).toContain("is in Berth's own networks");
  });
});

/** What curl, as git has it, gets through a gate. */
async function curl(
  policy: OutgoingPolicy,
  words: string[],
  options: { namedPlain?: boolean; proxy?: (url: string) => string } = {},
): Promise<{ out: string; fault: string | undefined }> {
  await using gate = await outgoing(policy).gate(by, options);
  const proxy = options.proxy?.(gate.proxy.reveal()) ?? gate.proxy.reveal();
  const { stdout } = await run('curl', ['-s', '-o', '-', '-w', ' %{http_code}', '-x', proxy, ...words], {
    env: { PATH: '/usr/bin:/bin' },
  }).catch((error: { stdout: string }) => error);
  return { out: stdout, fault: gate.fault()?.message };
}

describe('a gate', () => {
  test('lets a program through to what is open, by tunnel and by plain request', async () => {
    expect(await curl(opened, [`http://web.test:${port}/plain`])).toEqual({
      out: 'hello 200',
      fault: undefined,
    });
    expect(await curl(opened, ['-p', `http://web.test:${port}/tunnel`])).toEqual({
      out: 'hello 200',
      fault: undefined,
    });
    expect(asked.map(({ url }) => url)).toEqual(['/plain', '/tunnel']);
    for (const { headers } of asked) expect(headers['proxy-authorization']).toBeUndefined();
  });

  test('sends a body on', async () => {
    const big = 'x'.repeat(300_000);
    expect(await curl(opened, ['-d', big.slice(0, 100_000), `http://web.test:${port}/`])).toMatchObject({
      out: 'hello 200',
    });
    expect(asked).toMatchObject([{ method: 'POST', headers: { 'content-length': '100000' } }]);
  });

  test.each([[[]], [['-p']]])('judges every redirect (%j)', async (words) => {
    const { out, fault } = await curl(opened, [...words, '-L', `http://web.test:${port}/away`]);
    expect(out).toMatch(/ (403|000|302)$/);
    expect(out).not.toContain('hello 200');
    expect(fault).toContain('metadata.test cannot be reached');
    expect(asked.map(({ url }) => url)).toEqual(['/away']);
  });

  test.each([[[]], [['-p']]])('is not led astray by a name that changes (%j)', async (words) => {
    expect((await curl(opened, [...words, `http://rebinding.test:${port}/`])).out).toBe('hello 200');
    expect(lookUps).toEqual(['rebinding.test']);
  });

  test('with namedPlain, http only where the settings name the network', async () => {
    const plain = { namedPlain: true };
    expect((await curl(opened, [`http://web.test:${port}/`], plain)).out).toBe('hello 200');
    const inside = await curl(owner, ['http://inside.test/'], plain);
    expect(inside.fault).toContain('over http://, where anybody on the way can change what is deployed');
  });

  test('is nobody else’s: without its sign-in, or after its end, nothing passes', async () => {
    const without = (url: string): string => url.replace(/berth:[^@]*@/, '');
    const wrong = (url: string): string => url.replace(/berth:[^@]*@/, 'berth:guess@');
    for (const proxy of [without, wrong])
      for (const words of [[], ['-p']])
        expect((await curl(opened, [...words, `http://web.test:${port}/`], { proxy })).out).not.toContain(
          'hello',
        );
    const gate = await outgoing(opened).gate(by);
    await gate[Symbol.asyncDispose]();
    const late = await curl(opened, [`http://web.test:${port}/`], { proxy: () => gate.proxy.reveal() });
    expect(late.out).toMatch(/ 407$/);
    expect(asked).toEqual([]);
  });
});

describe('a registry', () => {
  /** Whether the engine was let there, by what the registry answers to its first page. */
  const reached = async (policy: OutgoingPolicy, headers: Record<string, string>): Promise<unknown> => {
    const registry = createServer((request, response) => {
      response.writeHead(headers['location'] ? 307 : 401, headers).end(request.url);
    });
    const server = `web.test:${await listening(registry)}`;
    try {
      return await outgoing(policy)
        .registry(server, by, async () => 'pulled')
        .catch((error: { code: string }) => error.code);
    } finally {
      registry.close();
    }
  };
  const signInAt = (realm: string): Record<string, string> => ({
    'www-authenticate': `Bearer realm="${realm}",service="registry"`,
  });

  test('that sends those who sign in to a closed address is refused before an engine asks it', async () => {
    for (const host of ['metadata.test', 'inside.test', 'platform.test', '169.254.169.254']) {
      expect(await reached(opened, signInAt(`http://${host}/token`))).toBe('PRECONDITION_FAILED');
      expect(await reached(opened, { location: `http://${host}/v2/` })).toBe('PRECONDITION_FAILED');
    }
  });

  test('that names an open address, none, or one that does not resolve is the engine’s to ask', async () => {
    const open: Record<string, string>[] = [
      signInAt(`http://web.test:${port}/token`),
      signInAt('http://nobody.test/token'),
      signInAt('no address'),
      { location: '/v2' },
      {},
    ];
    for (const headers of open) expect(await reached(opened, headers)).toBe('pulled');
    expect(await reached({ ...owner, allowed: ['127.0.0.0/8'] }, signInAt('http://inside.test/'))).toBe(
      'pulled',
    );
    expect(await outgoing(opened).registry(`web.test:${closedPort}`, by, async () => 'pulled')).toBe(
      'pulled',
    );
  });
});
