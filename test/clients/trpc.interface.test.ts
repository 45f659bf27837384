/**
 * The unmodified client of tRPC against the whole interface of the started program: every procedure, batches,
 * errors, flat refusals, a subscription.
 */
import {
  createTRPCUntypedClient,
  httpBatchLink,
  httpBatchStreamLink,
  httpLink,
  httpSubscriptionLink,
  TRPCClientError,
} from '@trpc/client';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../../server/src/domain/errors.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import { inOrder } from '../access/in-order.ts';
import { callerOf, procedures } from '../e2e/fixtures/caller.ts';
import { inputFor } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

const inBatches = procedures.filter(({ procedure: { kind } }) => kind === 'query' || kind === 'mutation');

let program: Program;
let worlds: World[];
let first: World;

beforeAll(async () => {
  ({ program, first, worlds } = await startWithWorlds(2 * inBatches.length));
});
afterAll(() => program[Symbol.asyncDispose]());

type Client = ReturnType<typeof createTRPCUntypedClient>;
type Links = 'httpLink' | 'httpBatchLink' | 'httpBatchStreamLink';

function client(link: Links, headers: Record<string, string>): Client {
  const url = `${program.url}/api/trpc`;
  switch (link) {
    // Not batched, so a header says whose client it is (decisions 1).
    case 'httpLink':
      return createTRPCUntypedClient({
        links: [httpLink({ url, headers: { ...headers, 'x-trpc-source': 'test' } })],
      });
    case 'httpBatchLink':
      return createTRPCUntypedClient({ links: [httpBatchLink({ url, headers })] });
    case 'httpBatchStreamLink':
      return createTRPCUntypedClient({ links: [httpBatchStreamLink({ url, headers })] });
  }
}

const headersOf = ({ procedure: { access } }: NamedProcedure, { people }: World): Record<string, string> =>
  access.sessionOnly ? { ...people.owner.bySession, origin: program.url } : people.owner.byKey;

/** What a call through the client comes to: `200`, or status and code of its error. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return '200';
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const { data, shape }: { data?: unknown; shape?: unknown } = error;
    const [status, code] = ['httpStatus', 'code'].map((name): unknown =>
      typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined,
    );
    const numeric: unknown =
      typeof shape === 'object' && shape !== null ? Reflect.get(shape, 'code') : undefined;
    const known = Object.entries(errorCodes).find(([name]) => name === code)?.[1];
    return known?.httpStatus === status && known?.trpc === numeric
      ? String(status)
      : `an error that does not fit: ${JSON.stringify({ data, numeric })}`;
  }
}

describe('every procedure', () => {
  it('comes to the same through the client as in form B', async () => {
    const links: readonly Links[] = ['httpLink', 'httpBatchLink', 'httpBatchStreamLink'];
    const faults = await inOrder(inBatches, async (procedure, index) => {
      const [one, other] = [worlds[2 * index], worlds[2 * index + 1]];
      if (!one || !other) return 'there are too few worlds';
      const trpc = client(links[index % links.length] ?? 'httpLink', headersOf(procedure, one));
      const input = inputFor(procedure, { world: one, who: 'owner' });
      const isQuery = procedure.procedure.kind === 'query';
      const outcome = await outcomeOf(
        isQuery ? trpc.query(procedure.path, input) : trpc.mutation(procedure.path, input),
      );
      const plain = await callerOf(program.url, headersOf(procedure, other))(
        procedure.path,
        inputFor(procedure, { world: other, who: 'owner' }),
      );
      return outcome === String(plain.status)
        ? undefined
        : `${procedure.path}: ${outcome} instead of ${plain.status}`;
    });
    console.log(`tRPC client: ${inBatches.length} procedures through ${links.length} links`);
    expect(faults).toEqual([]);
  });
});

describe('errors', () => {
  const failure = async (work: Promise<unknown>): Promise<object> => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof TRPCClientError))
      throw new Error('The client did not throw its own error.', { cause: error });
    const { message, data, shape } = error;
    return { message, data, shape };
  };
  const owner = (link: Links = 'httpBatchLink'): Client => client(link, first.people.owner.byKey);

  it('have code, status, path and issues', async () => {
    expect(
      await failure(
        owner().mutation('environment.create', { name: 'production', projectId: first.own['projectId'] }),
      ),
    ).toMatchObject({
      data: { code: 'BAD_REQUEST', httpStatus: 400, path: 'environment.create', issues: [{ path: 'name' }] },
      shape: { code: -32600 },
    });
    expect(
      await failure(owner('httpLink').query('application.one', { applicationId: 'none' })),
    ).toMatchObject({ data: { code: 'NOT_FOUND' }, shape: { code: -32004 } });
    expect(
      await failure(
        owner('httpBatchStreamLink').query('application.one', {
          applicationId: first.foreign['applicationId'],
        }),
      ),
    ).toMatchObject({ data: { code: 'FORBIDDEN', httpStatus: 403 } });
    expect(await failure(client('httpLink', {}).query('user.get'))).toMatchObject({
      data: { code: 'UNAUTHORIZED', httpStatus: 401 },
    });
  });

  it('tell the flat refusals as their reason', async () => {
    for (const link of ['httpLink', 'httpBatchLink', 'httpBatchStreamLink'] as const) {
      expect(
        await failure(
          owner(link).mutation('certificate.remove', { certificateId: first.own['usedCertificateId'] }),
        ),
      ).toMatchObject({ data: { code: 'CONFLICT', httpStatus: 409, reason: 'Certificate in use' } });
    }
    expect(
      await failure(
        owner().mutation('certificate.create', { name: 'x', certificateData: 'x', privateKey: 'x' }),
      ),
    ).toMatchObject({ data: { code: 'BAD_REQUEST', reason: 'Invalid certificate' } });
    expect(
      await failure(client('httpLink', first.people.member.byKey).query('swarm.getNodes')),
    ).toMatchObject({ data: { code: 'FORBIDDEN', reason: 'Unauthorized' } });
  });

  it('of one call leave the others of their batch alone', async () => {
    const trpc = owner();
    const [good, bad, other] = await Promise.allSettled([
      trpc.query('project.all'),
      trpc.query('project.one', { projectId: 'none' }),
      trpc.query('user.get'),
    ]);
    expect([good, other]).toMatchObject([
      { status: 'fulfilled', value: expect.any(Array) },
      { status: 'fulfilled', value: { id: first.people.owner.userId } },
    ]);
    expect(bad).toMatchObject({ status: 'rejected' });
  });
});

it('a subscription hears a deployment to its end', async () => {
  const trpc = client('httpLink', first.people.owner.byKey);
  const { applicationId } = first.own;
  await trpc.mutation('application.deploy', { applicationId });
  const [newest]: unknown[] = Object(await trpc.query('deployment.all', { applicationId }));
  const deploymentId: unknown = Reflect.get(Object(newest), 'deploymentId');
  class KeyedEventSource extends EventSource {
    constructor(url: string | URL) {
      super(url, {
        fetch: (target, init) =>
          fetch(target, { ...init, headers: { ...init.headers, ...first.people.owner.byKey } }),
      });
    }
  }
  const stream = createTRPCUntypedClient({
    links: [httpSubscriptionLink({ url: `${program.url}/api/trpc`, EventSource: KeyedEventSource })],
  });
  const heard: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    stream.subscription(
      'deployment.logs',
      { deploymentId },
      { onData: (event) => heard.push(event), onError: reject, onComplete: resolve },
    );
  });
  expect(heard.length).toBeGreaterThan(1);
  expect(heard.at(-1)).toMatchObject({ data: { type: 'end', outcome: 'error' } });
});

it('met nothing unexpected', () => {
  expect(program.faults()).toEqual([]);
});
