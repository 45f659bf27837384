import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPeople, type People } from '../../../../test/http/people.ts';
import { serve, type TestServer } from '../../../../test/http/serve.ts';
import { temporaryDatabase } from '../../../../test/http/temporary-database.ts';
import { createTrial } from '../../../../test/http/trial.ts';
import { answerHeaders } from './answer-headers.ts';

const { database, remove } = await temporaryDatabase();
let server: TestServer;
let people: People;

beforeAll(async () => {
  people = await createPeople(database);
  server = await serve(database, [createTrial().router]);
});
afterAll(async () => {
  await server.close();
  await remove();
});

it.each([
  ['a form', '/api/trial.echo?name=a', {}],
  ['the other form', '/api/trpc/trial.echo?name=a', {}],
  ['the mount', '/compat/api/trial.echo?name=a', {}],
  ['a batch in lines', '/api/trpc/trial.echo?batch=1&input=%7B%7D', { accept: 'application/jsonl' }],
  ['a stream', '/api/trial.count', { accept: 'text/event-stream' }],
  ['a log that is refused', '/api/deployments/none/log', {}],
  ['what is not there', '/api/none', {}],
  ['a wrong verb', '/api/trial.create', {}],
  ['a body that has to be unpacked', '/api/health', { 'content-encoding': 'gzip' }],
  ['an address that is none', '/api/%zz', {}],
  ['health', '/api/health', {}],
  ['the session', '/api/auth/get-session', {}],
  ['metrics', '/metrics', {}],
] as const)(
  '%s is nobody’s to keep, to frame or to take for something else',
  async (_what, path, headers) => {
    const response = await fetch(server.url + path, { headers: { ...people.owner.headers, ...headers } });
    await response.body?.cancel();
    expect(Object.fromEntries(response.headers)).toMatchObject(answerHeaders);
  },
);

it.each(['/', '/docs', '/docs/start.js', '/api/openapi.json', '/cli/berth.mjs'])(
  '%s may say more of itself, and no less',
  async (path) => {
    const { headers, body } = await fetch(server.url + path);
    await body?.cancel();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  },
);
