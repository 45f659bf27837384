import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { accountRoutersOf, heldClock } from '../../../../test/http/worlds/account-world.ts';
import { send, type Answer } from '../../../../test/http/call.ts';
import { serve, type ServeOptions, type TestServer } from '../../../../test/http/serve.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import type { Database } from '../../db/database.ts';
import { systemClock } from '../../ports/clock.ts';

const password = 'correct horse';
const account = { name: 'First', email: 'first@example.com', password };
const remote = { 'x-forwarded-for': '198.51.100.7' };

const bodyOf = (answer: Answer, field: string): unknown => Reflect.get(Object(answer.body), field);
const cookiesOf = ({ headers }: Answer): string[] =>
  headers.getSetCookie().map((text) => text.split(';')[0] ?? '');

eachDatabase('the entrance', (test) => {
  async function withServer(
    options: ServeOptions,
    work: (server: TestServer, database: Database) => Promise<void>,
  ): Promise<void> {
    const database = await test.open();
    const server = await serve(database, accountRoutersOf(options.clock ?? systemClock)(database), options);
    try {
      await work(server, database);
    } finally {
      await server.close();
    }
  }
  const post = (
    { url }: TestServer,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => send(`${url}/api/auth/${path}`, { body, headers });
  const signUp = (
    server: TestServer,
    more: object = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> => post(server, 'sign-up/email', { ...account, ...more }, headers);
  const signIn = (server: TestServer, given: string, headers: Record<string, string> = {}): Promise<Answer> =>
    post(server, 'sign-in/email', { email: account.email, password: given }, headers);

  it('makes the first account on the machine itself, elsewhere by the token of set-up alone', async () => {
    const firstSignUp = { accepts: async (token: string): Promise<boolean> => token === 'printed' };
    await withServer({ firstSignUp, trustedProxies: ['127.0.0.1'] }, async (server) => {
      const state = (headers: Record<string, string>): Promise<unknown> =>
        send(`${server.url}/api/auth/state`, { headers }).then(({ body }) => body);
      expect(await state({})).toEqual({ awaitsFirstAccount: true, needsToken: false });
      expect(await state(remote)).toEqual({ awaitsFirstAccount: true, needsToken: true });
      const elsewhere: Record<string, string>[] = [
        remote,
        // Whoever asks through a proxy is not on this machine, whatever the proxy says of them.
        { 'x-forwarded-for': '127.0.0.1' },
        { forwarded: 'for=127.0.0.1' },
        { 'x-real-ip': '127.0.0.1' },
        // A page that leads its own name here.
        { host: 'evil.example.com' },
      ];
      // A browser's page elsewhere, below a proxy that adds nothing.
      const page = { origin: 'https://berth.example.com', 'sec-fetch-site': 'same-origin' };
      elsewhere.push(page, { 'x-forwarded-proto': 'https' });
      expect(await state(page)).toMatchObject({ needsToken: true });
      expect(await state({ 'sec-fetch-site': 'cross-site' })).toMatchObject({ needsToken: true });
      expect(await oldProxyAsks(server.url)).toContain('"needsToken":true');
      for (const headers of elsewhere)
        for (const more of [{}, { token: 'guessed' }])
          expect(await signUp(server, more, headers)).toMatchObject({
            status: 403,
            body: { message: expect.stringContaining('one-time token') },
          });
      expect((await signUp(server, { token: 'printed' }, remote)).status).toBe(200);
      expect(await state(remote)).toEqual({ awaitsFirstAccount: false, needsToken: true });
      // It is good once.
      expect((await signUp(server, { email: 'second@example.com', token: 'printed' }, remote)).status).toBe(
        403,
      );
    });
    await withServer({ firstSignUp }, async (server) => {
      const page = { origin: server.url, 'sec-fetch-site': 'same-origin' };
      expect((await signUp(server, {}, page)).status).toBe(200);
    });
    await withServer({ firstSignUp }, async (server) => {
      expect((await signUp(server)).status).toBe(200);
    });
  });

  it('has a secure address: a plain sign-in elsewhere is led there, the machine itself is not', async () => {
    let address: string | undefined;
    const secureAddress = async (): Promise<string | undefined> => address;
    await withServer({ secureAddress, trustedProxies: ['127.0.0.1'] }, async (server) => {
      expect((await signUp(server)).status).toBe(200);
      const elsewhere = { host: 'other.example.com:3000' };
      expect((await signIn(server, password, elsewhere)).status).toBe(200);
      address = 'https://berth.example.com';
      for (const headers of [elsewhere, remote, { host: 'berth.example.com:3000' }])
        for (const answer of [await signIn(server, password, headers), await signUp(server, {}, headers)])
          expect(answer).toMatchObject({
            status: 412,
            body: { code: 'PRECONDITION_FAILED', message: expect.stringContaining(address) },
          });
      expect((await signIn(server, password)).status).toBe(200);
      expect((await signIn(server, password, { ...remote, 'x-forwarded-proto': 'https' })).status).toBe(200);
    });
  });

  it('believes X-Forwarded-For of named proxies alone', async () => {
    for (const [trustedProxies, ip] of [
      [[], '127.0.0.1'],
      [['10.0.0.0/8'], '127.0.0.1'],
      [['127.0.0.0/8'], '198.51.100.7'],
    ] as const)
      await withServer({ trustedProxies: [...trustedProxies] }, async (server, database) => {
        await signUp(server);
        await signIn(server, password, { 'x-forwarded-for': '203.0.113.1, 198.51.100.7' });
        const sessions = await createStores(database).users.sessions.list({});
        expect(sessions.map((one) => one.ip)).toContain(ip);
        expect(sessions.map((one) => one.ip)).not.toContain('203.0.113.1');
      });
  });

  it('locks no device out that signed in before, and lets guesses from elsewhere not begin', async () => {
    const clock = heldClock();
    await withServer({ clock, trustedProxies: ['127.0.0.1'] }, async (server) => {
      const [, device = ''] = cookiesOf(await signUp(server));
      const from = (last: number): Record<string, string> => ({ 'x-forwarded-for': `198.51.100.${last}` });
      for (let guess = 1; guess <= 5; guess += 1)
        expect((await signIn(server, 'a guess', from(guess))).status).toBe(401);
      // Another address helps nobody, and a right guess is no better.
      expect((await signIn(server, password, from(6))).status).toBe(429);
      expect((await signIn(server, password, { ...from(6), cookie: `${device}x` })).status).toBe(429);
      expect((await signIn(server, password, { ...from(6), cookie: device })).status).toBe(200);
      for (let guess = 1; guess <= 5; guess += 1)
        expect((await signIn(server, 'a guess', { cookie: device })).status).toBe(401);
      expect((await signIn(server, password, { cookie: device })).status).toBe(429);
    });
  });

  it('refuses no right password because others behind the same address typed wrong ones', async () => {
    await withServer({ clock: heldClock() }, async (server) => {
      await signUp(server);
      for (let other = 0; other < 30; other += 1)
        expect(
          (await post(server, 'sign-in/email', { email: `other${other}@example.com`, password: 'a guess' }))
            .status,
        ).toBe(401);
      expect((await signIn(server, password)).status).toBe(200);
    });
  });

  it('answers a flood from one address at once, and a known device there as ever', async () => {
    await withServer({ clock: heldClock() }, async (server) => {
      const [, device = ''] = cookiesOf(await signUp(server));
      const flood = Array.from({ length: 60 }, (_, index) =>
        post(server, 'sign-in/email', { email: `made${index}@up.example`, password: 'a guess' }),
      );
      expect((await signIn(server, password, { cookie: device })).status).toBe(200);
      const answers = await Promise.all(flood);
      const refused = answers.filter(({ status }) => status === 429);
      for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(60 - refused.length);
      expect((await signIn(server, password)).status).toBe(200);
    });
  });

  it('below https has cookies that no other host or port can set, and takes no others', async () => {
    await withServer({ isHttps: true }, async (server) => {
      const answer = await signUp(server);
      for (const header of answer.headers.getSetCookie())
        expect(header).toMatch(
          /^__Host-berth_(session|device)=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Expires=[^;]+; Secure$/,
        );
      const [session = ''] = cookiesOf(answer);
      const get = (cookie: string): Promise<Answer> =>
        send(`${server.url}/api/auth/get-session`, { headers: { cookie } });
      expect((await get(session)).body).toMatchObject({ user: { email: account.email } });
      expect((await get(session.replace('__Host-', ''))).body).toBeNull();
      expect(bodyOf(await get(`berth_session=planted; ${session}`), 'user')).toBeDefined();
    });
  });
});

/** As nginx asks with nothing but `proxy_pass`. */
async function oldProxyAsks(url: string): Promise<string> {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /api/auth/state HTTP/1.0\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return text(socket);
}
