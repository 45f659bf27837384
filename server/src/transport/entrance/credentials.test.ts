import { afterAll, beforeAll, expect, it } from 'vitest';
import { send, type Answer } from '../../../../test/http/call.ts';
import { createPeople, type People } from '../../../../test/http/people.ts';
import { serve, type TestServer } from '../../../../test/http/serve.ts';
import { temporaryDatabase } from '../../../../test/http/temporary-database.ts';
import { createTrial } from '../../../../test/http/trial.ts';
import { createStores } from '../../composition/stores.ts';
import { hashToken } from '../../ports/token.ts';

const { database, remove } = await temporaryDatabase();
const stores = createStores(database);
const clock = { time: Date.parse('2026-06-01T00:00:00.000Z'), now: () => clock.time };
let server: TestServer;
let people: People;
let cookie = '';

beforeAll(async () => {
  server = await serve(database, [createTrial().router], { clock });
  const signUp = await send(`${server.url}/api/auth/sign-up/email`, {
    body: { name: 'First', email: 'first@example.com', password: 'correct horse' },
  });
  cookie = signUp.headers.get('set-cookie')?.split(';')[0] ?? '';
  people = await createPeople(database, clock);
});
afterAll(async () => {
  await server.close();
  await remove();
});

type Headers = Record<string, string>;

const get = (headers: Headers): Promise<Answer> => send(`${server.url}/api/trial.echo?text=in`, { headers });
const touch = (headers: Headers, path = '/api/trial.touch'): Promise<Answer> =>
  send(server.url + path, { body: {}, headers });
const code = ({ status, body }: Answer): unknown =>
  status === 200 ? 'in' : typeof body === 'object' && body !== null ? Reflect.get(body, 'code') : undefined;

it('the header x-api-key, a bearer key and the session cookie each open the door', async () => {
  const ways: Headers[] = [
    people.owner.headers,
    { authorization: `Bearer ${people.owner.key}` },
    { authorization: `bearer   ${people.owner.key} ` },
    { cookie },
    { cookie: `a=b; ${cookie}; c=d` },
  ];
  for (const headers of ways) expect(code(await get(headers))).toBe('in');
});

it('nothing, an empty key, an empty bearer or another scheme is no credential', async () => {
  const none: Headers[] = [
    {},
    { 'x-api-key': '' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer ' },
    { authorization: 'Basic dXNlcjpwYXNz' },
    { cookie: 'berth_session=' },
    { cookie: 'other=1' },
  ];
  for (const headers of none) {
    expect(code(await get(headers))).toBe('UNAUTHORIZED');
    expect(code(await get({ ...headers, cookie }))).toBe('in');
  }
});

it('are tried in this order, and a bad one is refused even beside a good one', async () => {
  const good = { 'x-api-key': people.owner.key, authorization: `Bearer ${people.owner.key}`, cookie };
  for (const bad of [{ 'x-api-key': 'berth_wrong' }, { 'x-api-key': `${people.owner.key}x` }])
    expect(code(await get({ ...good, ...bad }))).toBe('UNAUTHORIZED');
  for (const authorization of ['Bearer wrong', 'Bearer two words']) {
    expect(code(await get({ authorization, cookie }))).toBe('UNAUTHORIZED');
    expect(code(await get({ ...good, authorization }))).toBe('in');
  }
  expect(code(await get({ ...good, cookie: 'berth_session=wrong' }))).toBe('in');
  expect(code(await get({ cookie: 'berth_session=wrong' }))).toBe('UNAUTHORIZED');
});

it('a key with a session-only procedure is 403, a role too weak is 403, the session is let in', async () => {
  expect(await send(`${server.url}/api/trial.adminOnly`, { headers: people.member.headers })).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN', message: expect.stringContaining('Owner or Admin') },
  });
  expect(code(await send(`${server.url}/api/trial.adminOnly`, { headers: people.admin.headers }))).toBe('in');
  expect(code(await touch(people.owner.headers, '/api/trial.sessionOnly'))).toBe('FORBIDDEN');
  expect(code(await touch({ cookie, origin: server.url }, '/api/trial.sessionOnly'))).toBe('in');
});

const changes = ['/api/trial.touch', '/api/trpc/trial.touch', '/api/trpc/trial.touch?batch=1'];

it('a change with the cookie is refused when a browser says that another page sent it', async () => {
  const own = { origin: server.url };
  const foreign: Headers[] = [
    ...['https://evil.example.com', 'null', `${server.url}.evil.example.com`, 'http://127.0.0.1:1'].map(
      (origin) => ({ origin }),
    ),
    // Another port of this host is the same site, and the Origin may be anything beside that.
    ...['cross-site', 'same-site', 'none, same-origin', ''].map((site) => ({
      ...own,
      'sec-fetch-site': site,
    })),
  ];
  for (const headers of foreign) {
    for (const path of changes) expect((await touch({ cookie, ...headers }, path)).status).toBe(403);
    expect((await touch({ cookie, ...headers }, '/api/auth/sign-out')).status).toBe(403);
    expect((await touch(headers, '/api/auth/sign-in/email')).status).toBe(403);
  }
  expect(code(await get({ cookie, origin: 'https://evil.example.com' }))).toBe('in');
  expect(code(await touch({ ...people.owner.headers, origin: 'https://evil.example.com' }))).toBe('in');
});

it('a change with the cookie is let in from our own pages and from programs, which say nothing', async () => {
  const own: Headers[] = [
    {},
    { origin: server.url },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: server.url, 'sec-fetch-site': 'same-origin' },
  ];
  for (const headers of own)
    for (const path of changes) expect((await touch({ cookie, ...headers }, path)).status).toBe(200);
});

it('of several session cookies the one that opens something counts; two such are refused', async () => {
  const other = (await people.session(people.stranger, server.url))['cookie'] ?? '';
  const planted = 'berth_session=planted';
  for (const header of [`${planted}; ${cookie}`, `${cookie}; ${planted}`, `${cookie}; ${cookie}`])
    expect(code(await get({ cookie: header }))).toBe('in');
  for (const header of [`${other}; ${cookie}`, `${cookie}; ${other}`, `${cookie}; ${planted}; ${other}`]) {
    expect(await get({ cookie: header })).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining('Two session cookies') },
    });
    expect((await send(`${server.url}/api/auth/get-session`, { headers: { cookie: header } })).status).toBe(
      401,
    );
  }
  expect(code(await get({ cookie: `${planted}; berth_session=x` }))).toBe('UNAUTHORIZED');
});

it('a key that is expired, disabled, deleted, or whose user left, is 401', async () => {
  const expiring = await people.newKey(people.owner, { expiresIn: 1000 });
  expect(code(await get(expiring.headers))).toBe('in');
  clock.time += 1000;
  expect(await get(expiring.headers)).toMatchObject({
    status: 401,
    body: { message: expect.stringContaining('expired') },
  });

  const disabled = await people.newKey(people.owner);
  await stores.users.keys.update({ keyHash: hashToken(disabled.key) }, { enabled: false });
  expect(code(await get(disabled.headers))).toBe('UNAUTHORIZED');

  const deleted = await people.newKey(people.owner);
  await stores.users.keys.remove({ keyHash: hashToken(deleted.key) });
  expect(code(await get(deleted.headers))).toBe('UNAUTHORIZED');

  expect(code(await get(people.stranger.headers))).toBe('in');
  await stores.users.members.remove({ userId: people.stranger.userId });
  expect(code(await get(people.stranger.headers))).toBe('UNAUTHORIZED');
});

it('a key narrowed below its user does what its scopes name and nothing else', async () => {
  const reader = await people.newKey(people.owner, { permissions: { trial: ['read'] } });
  const other = await people.newKey(people.owner, { permissions: { project: ['read', 'write'] } });
  expect(code(await get(reader.headers))).toBe('in');
  expect(code(await touch(reader.headers))).toBe('FORBIDDEN');
  expect(code(await get(other.headers))).toBe('FORBIDDEN');
});

it('when a key was last used is noted at most once a minute', async () => {
  const person = await people.newKey(people.owner);
  const lastUse = async (): Promise<number | null | undefined> =>
    (await stores.users.keys.find({ keyHash: hashToken(person.key) }))?.lastRequestAt;
  await get(person.headers);
  const first = clock.time;
  clock.time += 59_999;
  await get(person.headers);
  expect(await lastUse()).toBe(first);
  clock.time += 1;
  await get(person.headers);
  expect(await lastUse()).toBe(first + 60_000);
});

it('the session is shown, ends by sign-out at once, and ends by itself after its time', async () => {
  expect((await send(`${server.url}/api/auth/get-session`, { headers: { cookie } })).body).toMatchObject({
    user: { email: 'first@example.com' },
    session: { id: expect.any(String) },
  });
  expect((await send(`${server.url}/api/auth/get-session`)).body).toBeNull();
  const signIn = (password: string): Promise<Answer> =>
    send(`${server.url}/api/auth/sign-in/email`, { body: { email: 'First@Example.com', password } });
  expect(await signIn('wrong')).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
  const answer = await signIn('correct horse');
  const header = answer.headers.get('set-cookie') ?? '';
  expect(header).toMatch(
    /^berth_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=[^;]+, berth_device=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Expires=[^;]+$/,
  );
  const second = { cookie: header.split(';')[0] ?? '' };
  expect(code(await get(second))).toBe('in');
  await send(`${server.url}/api/auth/sign-out`, { method: 'POST', headers: second });
  expect(code(await get(second))).toBe('UNAUTHORIZED');
  expect(code(await get({ cookie }))).toBe('in');
  clock.time += 7 * 24 * 3_600_000;
  expect(code(await get({ cookie }))).toBe('UNAUTHORIZED');
});

it('sign-up is closed once there is a user, and says what is wrong before', async () => {
  const signUp = (body: unknown): Promise<Answer> => send(`${server.url}/api/auth/sign-up/email`, { body });
  expect(
    await signUp({ name: 'Second', email: 'second@example.com', password: 'long enough' }),
  ).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(await signUp({ name: '', email: 'no address', password: 'short' })).toMatchObject({
    status: 400,
    body: { error: { data: { issues: [{ path: 'name' }, { path: 'email' }, { path: 'password' }] } } },
  });
});

it('guessing is slowed for the account and stays open for others', async () => {
  const signIn = (email: string): Promise<Answer> =>
    send(`${server.url}/api/auth/sign-in/email`, { body: { email, password: 'a guess' } });
  for (let attempt = 0; attempt < 5; attempt += 1)
    expect((await signIn('owner@example.com')).status).toBe(401);
  const refused = await signIn('owner@example.com');
  expect(refused).toMatchObject({
    status: 429,
    body: { code: 'TOO_MANY_REQUESTS', error: { data: { retryAfterMs: 15 * 60_000 } } },
  });
  expect(refused.headers.get('retry-after')).toBe('900');
  expect((await signIn('admin@example.com')).status).toBe(401);
  clock.time += 15 * 60_000;
  expect((await signIn('owner@example.com')).status).toBe(401);
});
