import type { AddressInfo } from 'node:net';
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import { AppError } from '../server/src/domain/errors.ts';
import { noGrants } from '../server/src/domain/permissions.ts';
import { applicationContract } from '../server/src/modules/application/contract.ts';
import { deploymentContract } from '../server/src/modules/deployment/contract.ts';
import { createGuard } from '../server/src/procedure/guard.ts';
import type { CallContext } from '../server/src/procedure/context.ts';
import { createRegistry, router } from '../server/src/procedure/registry.ts';
import type { Handlers } from '../server/src/procedure/procedure.ts';
import { createHttpServer } from '../server/src/transport/http.ts';
import { createClient } from './client.ts';

/** The real transport, guard and contracts; behind them, answers written here. */
const { deploy, dropDeployment } = applicationContract;
const { one, readLogs, logs } = deploymentContract;
const served = { application: { deploy, dropDeployment }, deployment: { one, readLogs, logs } };
type Served = { application: Handlers<typeof served.application, CallContext>; deployment: Handlers<typeof served.deployment, CallContext> };

const seen: unknown[] = [];
const handlers: Served = {
  application: {
    deploy: async (_context, input) => {
      seen.push(input);
      return true;
    },
    dropDeployment: async (_context, input, file) => {
      const chunks = await Array.fromAsync(file.content);
      seen.push({ ...input, fileName: file.fileName, text: Buffer.concat(chunks).toString() });
      return true;
    },
  },
  deployment: {
    one: async () => {
      throw new AppError('PRECONDITION_FAILED', 'Not now. Try later.');
    },
    readLogs: async (_context, { tail }) => ['first', 'second'].slice(-(tail ?? 2)),
    async *logs({ lastEventId }) {
      for (let position = Number(lastEventId ?? 0) + 1; position <= 3; position += 1) yield { id: String(position), data: { type: 'line', text: `line ${position}` } };
      yield { id: '3', data: { type: 'end', outcome: 'done' } };
    },
  },
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  seen.length = 0;
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function startServer(): Promise<string> {
  const scope = { organizationId: 'o1' };
  const app = createHttpServer({
    registry: createRegistry([router('application', served.application, handlers.application), router('deployment', served.deployment, handlers.deployment)]),
    guard: createGuard({ findScope: async (_kind, id) => (id === 'gone' ? undefined : scope), transaction: (work) => work(), recordAudit: async () => undefined }),
    authenticate: async ({ apiKey }) => {
      if (apiKey !== 'berth_good') throw new AppError('UNAUTHORIZED', 'This key is not valid. Make a new one.');
      return { userId: 'u1', organizationId: 'o1', role: 'owner', grants: noGrants, apiKeyId: 'k1', sessionId: undefined, permissions: undefined };
    },
    log: { fault: () => undefined }, version: '1', uploadLimit: async () => 1_000_000, openapi: () => '{}',
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  closing.push(() => app.close());
  const address = app.server.address() as AddressInfo;
  return `http://127.0.0.1:${address.port}`;
}

test('a mutation sends its input and gives the answer', async () => {
  const client = createClient({ url: await startServer(), apiKey: 'berth_good' });
  await expect(client.application.deploy({ applicationId: 'a1' })).resolves.toBe(true);
  expect(seen).toEqual([{ applicationId: 'a1', title: 'Manual deployment', description: '' }]);
});

test("a query's input keeps its types", async () => {
  const client = createClient({ url: await startServer(), apiKey: 'berth_good' });
  await expect(client.deployment.readLogs({ deploymentId: 'd1', tail: 1 })).resolves.toEqual(['second']);
});

test('an upload sends its fields and its file', async () => {
  const client = createClient({ url: await startServer(), apiKey: 'berth_good' });
  const file = new File(['PK…'], 'source.zip');
  await expect(client.application.dropDeployment({ applicationId: 'a1' }, file)).resolves.toBe(true);
  expect(seen).toEqual([{ applicationId: 'a1', fileName: 'source.zip', text: 'PK…' }]);
});

test('a stream gives its events up to the end, from a position on when told', async () => {
  const client = createClient({ url: await startServer(), apiKey: 'berth_good' });
  const events = await Array.fromAsync(client.deployment.logs({ deploymentId: 'd1' }, { lastEventId: '1' }));
  expect(events).toEqual([
    { id: '2', data: { type: 'line', text: 'line 2' } }, { id: '3', data: { type: 'line', text: 'line 3' } }, { id: '3', data: { type: 'end', outcome: 'done' } },
  ]);
});

test('refusals carry code, sentence and issues', async () => {
  const url = await startServer();
  const client = createClient({ url, apiKey: 'berth_good' });
  await expect(client.deployment.one({ deploymentId: 'd1' })).rejects.toMatchObject({ name: 'BerthError', code: 'PRECONDITION_FAILED', httpStatus: 412, message: 'Not now. Try later.', issues: [] });
  await expect(client.deployment.one({ deploymentId: 'gone' })).rejects.toMatchObject({ code: 'NOT_FOUND', httpStatus: 404 });
  await expect(client.deployment.one({ deploymentId: '' })).rejects.toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: 'deploymentId' }] });
  await expect(Array.fromAsync(client.deployment.logs({ deploymentId: 'gone' }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(createClient({ url, apiKey: 'berth_bad' }).application.deploy({ applicationId: 'a1' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(seen).toEqual([]);
});

test('nobody there is UNREACHABLE, a call that was called off gives the reason', async () => {
  const client = createClient({ url: 'http://127.0.0.1:1', apiKey: 'berth_good' });
  await expect(client.user.get()).rejects.toMatchObject({ code: 'UNREACHABLE', httpStatus: undefined });
  const reason = new Error('no longer wanted');
  await expect(client.user.get({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test('the types are those of the contracts', () => {
  const client = createClient({ url: 'http://127.0.0.1:1' });
  expectTypeOf(client.application.deploy).returns.resolves.toEqualTypeOf<true>();
  expectTypeOf(client.deployment.readLogs).returns.resolves.toEqualTypeOf<string[]>();
  expectTypeOf(client.deployment.readLogs).parameter(0).toEqualTypeOf<{ deploymentId: string; tail?: number | undefined }>();
  // @ts-expect-error -- a required field is missing
  void ((): unknown => client.deployment.one({}));
  // @ts-expect-error -- there is no such procedure
  void ((): unknown => client.deployment.none);
});
