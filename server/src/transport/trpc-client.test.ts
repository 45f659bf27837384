/** The unmodified client of tRPC against form A (decisions 1). */
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
import { createPeople, type People } from '../../../test/http/people.ts';
import { serve, type TestServer } from '../../../test/http/serve.ts';
import { temporaryDatabase } from '../../../test/http/temporary-database.ts';
import { createTrial } from '../../../test/http/trial.ts';

const { database, remove } = await temporaryDatabase();
const trial = createTrial();
let server: TestServer;
let people: People;
let address = '';

beforeAll(async () => {
  people = await createPeople(database);
  server = await serve(database, [trial.router]);
  address = `${server.url}/api/trpc`;
});
afterAll(async () => {
  await server.close();
  await remove();
});

const requests: string[] = [];
const counted: typeof fetch = (target, init) => {
  requests.push(target instanceof Request ? target.url : target.toString());
  return fetch(target, init);
};

/** What the client throws: the fields that programs read. */
async function failureOf(work: Promise<unknown>): Promise<object> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TRPCClientError))
    throw new Error('The client did not throw its own error.', { cause: error });
  const { message, data, shape } = error;
  return { message, data, shape };
}

type Client = ReturnType<typeof createTRPCUntypedClient>;

const clients: Record<string, (headers: Record<string, string>) => Client> = {
  // Not batched, so a header says whose client it is (decisions 1).
  httpLink: (headers) =>
    createTRPCUntypedClient({
      links: [httpLink({ url: address, headers: { ...headers, 'x-trpc-source': 'test' }, fetch: counted })],
    }),
  httpBatchLink: (headers) =>
    createTRPCUntypedClient({ links: [httpBatchLink({ url: address, headers, fetch: counted })] }),
  httpBatchStreamLink: (headers) =>
    createTRPCUntypedClient({ links: [httpBatchStreamLink({ url: address, headers, fetch: counted })] }),
};

for (const [name, create] of Object.entries(clients)) {
  describe(`through ${name}`, () => {
    const client = (headers = people.owner.headers): Client => create(headers);

    it('queries and changes, alone and several at once', async () => {
      const trpc = client();
      expect(await trpc.query('trial.echo', { text: 'a', list: ['b'] })).toEqual({ text: 'a', list: ['b'] });
      expect(await trpc.query('trial.absent')).toBeNull();
      expect(await trpc.mutation('trial.create', { name: 'from trpc' })).toMatchObject({ name: 'from trpc' });
      requests.length = 0;
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, count) => trpc.query('trial.echo', { count })),
      );
      expect(answers).toEqual(Array.from({ length: 8 }, (_, count) => ({ count })));
      expect(requests).toHaveLength(name === 'httpLink' ? 8 : 1);
    });

    it('throws its own error with code, status, path, issues and reason', async () => {
      const trpc = client();
      expect(await failureOf(trpc.query('trial.nowhere'))).toMatchObject({
        message: expect.stringContaining('no procedure'),
        data: { code: 'NOT_FOUND', httpStatus: 404, path: 'trial.nowhere' },
        shape: { code: -32004 },
      });
      expect(await failureOf(trpc.mutation('trial.create', { name: 'x' }))).toMatchObject({
        data: { code: 'BAD_REQUEST', issues: [{ path: 'name', message: expect.any(String) }] },
        shape: { code: -32600 },
      });
      expect(await failureOf(trpc.query('trial.busy'))).toMatchObject({
        data: { code: 'TOO_MANY_REQUESTS', retryAfterMs: 1500 },
      });
      expect(await failureOf(trpc.query('trial.crash'))).toMatchObject({
        message: expect.not.stringContaining('SELECT'),
        data: { code: 'INTERNAL_SERVER_ERROR' },
      });
      expect(await failureOf(client({ 'x-api-key': 'wrong' }).query('trial.echo'))).toMatchObject({
        data: { code: 'UNAUTHORIZED', httpStatus: 401 },
      });
    });

    it('gets each answer of a mixed lot', async () => {
      const trpc = client();
      const outcomes = await Promise.allSettled([
        trpc.query('trial.echo', { count: 1 }),
        trpc.query('trial.crash'),
        trpc.query('trial.echo', { count: 2 }),
        trpc.query('trial.refuse'),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
      ]);
    });
  });
}

describe('httpSubscriptionLink', () => {
  interface Heard {
    data: unknown[];
    ids: unknown[];
    error?: unknown;
  }

  function subscribe(
    path: string,
    input: unknown,
    options: { breakAfter?: string; headers?: Record<string, string> } = {},
  ): Promise<Heard & { positions: (string | undefined)[] }> {
    const heard: Heard = { data: [], ids: [] };
    const positions: (string | undefined)[] = [];
    class KeyedEventSource extends EventSource {
      constructor(url: string | URL) {
        super(url, {
          fetch: (target, init) => {
            const headers = new Headers(init.headers);
            positions.push(headers.get('last-event-id') ?? positionIn(String(target)));
            for (const [name, value] of Object.entries(options.headers ?? people.owner.headers))
              headers.set(name, value);
            return fetch(target, { ...init, headers }).then((response) =>
              options.breakAfter !== undefined && positions.length === 1
                ? brokenAfter(response, options.breakAfter)
                : response,
            );
          },
        });
      }
    }
    const trpc = createTRPCUntypedClient({
      links: [httpSubscriptionLink({ url: address, EventSource: KeyedEventSource })],
    });
    return new Promise((resolve) => {
      const subscription = trpc.subscription(path, input, {
        onData: (event) => {
          heard.data.push(isTracked(event) ? event.data : event);
          heard.ids.push(isTracked(event) ? event.id : undefined);
        },
        onError: (error) => {
          subscription.unsubscribe();
          resolve({ ...heard, error, positions });
        },
        onComplete: () => resolve({ ...heard, positions }),
      });
    });
  }

  it('hears every line and the end', async () => {
    const { data, ids, error } = await subscribe('trial.lines', { count: 2 });
    expect(error).toBeUndefined();
    expect(data).toEqual([
      { type: 'line', text: 'line 1' },
      { type: 'line', text: 'line 2' },
      { type: 'end', outcome: 'done' },
    ]);
    expect(ids).toEqual(['1', '2', '3']);
  });

  it('goes on after the last line it heard when the connection breaks', async () => {
    const { data, positions } = await subscribe('trial.lines', { count: 4 }, { breakAfter: '"line 2"' });
    expect(data).toHaveLength(5);
    expect(positions).toEqual([undefined, '2']);
  });

  it('begins after the lastEventId of its input', async () => {
    expect((await subscribe('trial.lines', { count: 4, lastEventId: '3' })).ids).toEqual(['4', '5']);
  });

  it('hears a failure in the middle as its own error', async () => {
    const { data, error } = await subscribe('trial.lines', { count: 4, failAt: 2 });
    expect(data).toEqual([{ type: 'line', text: 'line 1' }]);
    expect(error).toMatchObject({
      message: 'The log is gone.',
      data: { code: 'NOT_FOUND', httpStatus: 404 },
    });
  });
});

function isTracked(event: unknown): event is { id: unknown; data: unknown } {
  return typeof event === 'object' && event !== null && 'id' in event && 'data' in event;
}

function positionIn(url: string): string | undefined {
  const input: unknown = JSON.parse(new URL(url).searchParams.get('input') ?? '{}');
  const position: unknown =
    typeof input === 'object' && input !== null ? Reflect.get(input, 'lastEventId') : undefined;
  return typeof position === 'string' ? position : undefined;
}

/** The response with its body ended after the first piece that completes the event with this text. */
function brokenAfter(response: Response, text: string): Response {
  let seen = '';
  const cut = new TransformStream<string, string>({
    transform(chunk, controller) {
      const from = seen.length;
      seen += chunk;
      const at = seen.indexOf(text);
      const end = at < 0 ? -1 : seen.indexOf('\n\n', at);
      controller.enqueue(end < 0 ? chunk : seen.slice(from, end + 2));
      if (end >= 0) controller.terminate();
    },
  });
  const body =
    response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(cut)
      .pipeThrough(new TextEncoderStream()) ?? null;
  return Object.defineProperty(
    new Response(body, { status: response.status, headers: response.headers }),
    'url',
    { value: response.url },
  );
}
