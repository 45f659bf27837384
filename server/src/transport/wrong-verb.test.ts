import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../../../test/http/call.ts';
import { createPeople, type People } from '../../../test/http/people.ts';
import { serve, type TestServer } from '../../../test/http/serve.ts';
import { temporaryDatabase } from '../../../test/http/temporary-database.ts';
import { createTrial } from '../../../test/http/trial.ts';

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

it('the mount of the family says which names it has', async () => {
  expect((await send(`${server.url}/compat/api`)).body).toMatchObject({
    procedures: expect.arrayContaining([
      { name: 'trial.echo', verb: 'GET', procedure: 'trial.echo' },
      { name: 'trial.create', verb: 'POST', procedure: 'trial.create' },
    ]),
  });
  const packed = await fetch(`${server.url}/compat/api`, {
    headers: { 'accept-encoding': 'gzip', cookie: 'a=1' },
  });
  // Made once, whoever asks how often.
  expect(packed.headers.get('etag')).toMatch(/-gzip"$/);
  const { headers } = people.owner;
  for (const [path, list] of [
    ['/compat/api/trial.none', '/compat/api'],
    ['/compat/api/trpc/trial.none', '/compat/api'],
    ['/api/trial.none', '/api/openapi.json'],
  ] as const)
    expect((await send(server.url + path, { headers })).text).toContain(`GET ${list} lists all of them.`);
});

it('an address that is no procedure names its verbs with 405', async () => {
  for (const [path, method, allow] of [
    ['/api/health', 'POST', 'GET, HEAD'],
    ['/compat/api/health?a=b', 'PUT', 'GET, HEAD'],
    ['/api/openapi.json', 'DELETE', 'GET, HEAD'],
    ['/metrics', 'POST', 'GET, HEAD'],
    ['/docs/swagger-ui.css', 'POST', 'GET, HEAD'],
    ['/api/deployments/none/log', 'POST', 'GET, HEAD'],
    ['/assets/a/b.js', 'DELETE', 'GET, HEAD'],
    ['/', 'POST', 'GET, HEAD'],
    ['/api/trial.echo', 'OPTIONS', 'GET, HEAD'],
  ] as const) {
    const { status, body, headers } = await send(server.url + path, { method });
    expect([path, status, headers.get('allow')]).toEqual([path, 405, allow]);
    expect(body).toMatchObject({ error: { code: 'METHOD_NOT_SUPPORTED', data: { httpStatus: 405 } } });
  }
  expect((await send(`${server.url}/api/health/more`, { method: 'POST' })).status).toBe(404);
});
