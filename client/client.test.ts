import { afterAll, afterEach, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { goodKey, startContractServer, type ContractServer } from '../test/contract-server.ts';
import { createClient, type Client } from './client.ts';

let server: ContractServer;
let client: Client;
beforeAll(async () => {
  server = await startContractServer();
  client = createClient({ url: `${server.url}/`, apiKey: goodKey });
});
afterAll(() => server.close());
afterEach(() => {
  server.seen.length = 0;
});

test('a mutation sends its input and gives the answer', async () => {
  await expect(client.application.deploy({ applicationId: 'a1' })).resolves.toBe(true);
  expect(server.seen).toEqual([
    { applicationId: 'a1', title: 'Manual deployment', description: '', withoutCache: false },
  ]);
});

test("a query's input keeps its types", async () => {
  await expect(client.deployment.readLogs({ deploymentId: 'd1', tail: 1 })).resolves.toEqual(['second']);
});

test('an upload sends its fields and its file', async () => {
  const file = new File(['PK…'], 'source.zip');
  await expect(client.application.dropDeployment({ applicationId: 'a1' }, file)).resolves.toBe(true);
  expect(server.seen).toEqual([{ applicationId: 'a1', fileName: 'source.zip', text: 'PK…' }]);
});

test('a stream gives its events up to the end, from a position on when told', async () => {
  const events = await Array.fromAsync(client.deployment.logs({ deploymentId: 'd1' }, { lastEventId: '1' }));
  expect(events).toEqual([
    { id: '2', data: { type: 'line', text: 'line 2' } },
    { id: '3', data: { type: 'line', text: 'line 3' } },
    { id: '3', data: { type: 'end', outcome: 'done' } },
  ]);
});

test('refusals carry code, sentence and issues', async () => {
  await expect(client.deployment.one({ deploymentId: 'd1' })).rejects.toMatchObject({
    name: 'BerthError',
    code: 'PRECONDITION_FAILED',
    httpStatus: 412,
    message: 'Not now. Try later.',
    issues: [],
  });
  await expect(client.deployment.one({ deploymentId: 'gone' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    httpStatus: 404,
  });
  await expect(client.deployment.one({ deploymentId: '' })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    issues: [{ path: 'deploymentId' }],
  });
  await expect(Array.fromAsync(client.deployment.logs({ deploymentId: 'gone' }))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(
    createClient({ url: server.url, apiKey: 'berth_bad' }).application.deploy({ applicationId: 'a1' }),
  ).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(server.seen).toEqual([]);
});

test('nobody there is UNREACHABLE, a call that was called off gives the reason', async () => {
  const nobody = createClient({ url: 'http://127.0.0.1:1', apiKey: goodKey });
  await expect(nobody.user.get()).rejects.toMatchObject({ code: 'UNREACHABLE', httpStatus: undefined });
  const reason = new Error('no longer wanted');
  await expect(nobody.user.get({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test('the types are those of the contracts', () => {
  expectTypeOf(client.application.deploy).returns.resolves.toEqualTypeOf<true>();
  expectTypeOf(client.deployment.readLogs).returns.resolves.toEqualTypeOf<string[]>();
  expectTypeOf(client.deployment.readLogs)
    .parameter(0)
    .toEqualTypeOf<{ deploymentId: string; tail?: number | undefined }>();
  // @ts-expect-error -- a required field is missing
  void ((): unknown => client.deployment.one({}));
  // @ts-expect-error -- there is no such procedure
  void ((): unknown => client.deployment.none);
});
