import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverSentEvents, type ServerSentEvent } from '../../../../client/server-sent-events.ts';
import { send } from '../../../../test/http/call.ts';
import { createPeople, type People } from '../../../../test/http/people.ts';
import { serve, type TestServer } from '../../../../test/http/serve.ts';
import { temporaryDatabase } from '../../../../test/http/temporary-database.ts';
import { createTrial } from '../../../../test/http/trial.ts';

const { database, remove } = await temporaryDatabase();
const trial = createTrial();
const limits = { heartbeatMs: 60, unreadMs: 1500 };
let server: TestServer;
let people: People;

beforeAll(async () => {
  people = await createPeople(database);
  server = await serve(database, [trial.router], { streamLimits: limits });
});
afterAll(async () => {
  await server.close();
  await remove();
});

const open = (
  path: string,
  headers: Record<string, string> = {},
  signal = AbortSignal.timeout(60_000),
): Promise<Response> =>
  fetch(`${server.url}/api/${path}`, {
    headers: { ...people.owner.headers, accept: 'text/event-stream', ...headers },
    signal,
  });

async function events(response: Response): Promise<ServerSentEvent[]> {
  const all: ServerSentEvent[] = [];
  if (response.body) for await (const event of serverSentEvents(response.body)) all.push(event);
  return all;
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1500 && !condition(); tries += 1) await pause(20);
  expect(condition()).toBe(true);
}

it('sends lines with their position and then one end', async () => {
  const response = await open('trial.lines');
  expect([
    response.status,
    response.headers.get('content-type'),
    response.headers.get('cache-control'),
  ]).toEqual([200, 'text/event-stream; charset=utf-8', 'no-store']);
  expect(await events(response)).toEqual([
    ...[1, 2, 3].map((line) => ({
      event: 'line',
      id: String(line),
      data: JSON.stringify({ type: 'line', text: `line ${line}` }),
    })),
    { event: 'end', id: '4', data: '{"type":"end","outcome":"done"}' },
  ]);
});

it('goes on after the position of Last-Event-ID or lastEventId', async () => {
  for (const response of [
    await open('trial.lines', { 'last-event-id': '2' }),
    await open('trial.lines?lastEventId=2'),
    await open('trial.lines?lastEventId=1', { 'last-event-id': '2' }),
  ]) {
    expect((await events(response)).map(({ id }) => id)).toEqual(['3', '4']);
  }
});

it('is one JSON answer without the Accept header, in both forms', async () => {
  const expected = {
    lines: [
      { type: 'line', text: 'line 1' },
      { type: 'end', outcome: 'done' },
    ],
    lastEventId: '2',
  };
  expect(
    (await send(`${server.url}/api/trial.lines?count=1`, { headers: people.owner.headers })).body,
  ).toEqual(expected);
  expect(
    (await send(`${server.url}/api/trpc/trial.lines?count=1`, { headers: people.owner.headers })).body,
  ).toEqual({ result: { data: expected } });
  expect(
    (
      await send(`${server.url}/api/trial.lines?count=3`, {
        headers: { ...people.owner.headers, 'last-event-id': '3' },
      })
    ).body,
  ).toMatchObject({ lines: [{ type: 'end' }] });
});

it('refuses before it begins with a status and the envelope, and after it began with an event', async () => {
  for (const [path, headers, status] of [
    ['trial.lines?count=x', {}, 400],
    ['trial.lines', { 'x-api-key': 'wrong' }, 401],
    ['trial.none', {}, 404],
  ] as const) {
    const response = await open(path, headers);
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ error: expect.any(Object), code: expect.any(String) }),
    ]);
  }
  const [line, failure, ...rest] = await events(await open('trial.lines?failAt=2'));
  expect([line?.event, failure?.event, rest]).toEqual(['line', 'error', []]);
  expect(JSON.parse(failure?.data ?? '')).toMatchObject({
    error: { code: 'NOT_FOUND', message: 'The log is gone.' },
    code: 'NOT_FOUND',
  });
  expect(
    await send(`${server.url}/api/trial.lines?failAt=2`, { headers: people.owner.headers }),
  ).toMatchObject({ status: 404 });
});

it('shows a sign of life while nothing happens', async () => {
  const leave = new AbortController();
  const response = await open('trial.quiet', {}, leave.signal);
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.split(': still here\n\n').length > 3) break;
  }
  expect(text).toContain('first');
  leave.abort();
});

it('ends its source when the reader leaves', async () => {
  const before = trial.state.abandoned;
  const leave = new AbortController();
  const response = await open('trial.quiet', {}, leave.signal);
  await response.body?.getReader().read();
  leave.abort();
  // A reader of a test before may have been missed only now.
  await until(() => trial.state.abandoned > before);
  expect(trial.state.abandoned).toBeGreaterThan(before);
});

const ownAndShared = [
  ['its own', false],
  ['shared', true],
] as const;

it.each(ownAndShared)(
  'drops a reader that takes nothing of %s events, having held their source back',
  async (_title, isShared) => {
    const { hostname, port } = new URL(server.url);
    const { flooded, floodsEnded } = trial.state;
    const socket = new Socket().connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.pause();
    socket.write(
      `GET /api/trial.flood?isShared=${isShared} HTTP/1.1\r\nhost: ${hostname}\r\n` +
        'accept: text/event-stream\r\nx-api-key: ' +
        `${people.owner.key}\r\n\r\n`,
    );
    await until(() => trial.state.floodsEnded === floodsEnded + 1);
    // 10 kB each: what two sockets hold, far from what could be made in the time.
    expect(trial.state.flooded - flooded).toBeLessThan(2000);
    socket.destroy();
  },
);

it.each(ownAndShared)(
  'does not drop a reader that is merely behind: %s events arrive whole',
  async (_title, isShared) => {
    const all = await events(await open(`trial.lines?count=20000&isShared=${isShared}`));
    expect(all.map(({ id }) => Number(id))).toEqual(Array.from({ length: 20_001 }, (_, index) => index + 1));
    expect(all.at(-1)?.event).toBe('end');
  },
);

describe('with limits', () => {
  let narrow: TestServer;
  beforeAll(async () => {
    narrow = await serve(database, [trial.router], {
      streamLimits: limits,
      liveStreamLimit: 3,
      answerLimit: 400,
    });
  });
  afterAll(() => narrow.close());

  const quiet = (headers: Record<string, string>, signal: AbortSignal, form = 'trial'): Promise<Response> =>
    fetch(`${narrow.url}/api/${form}.quiet`, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal,
    });

  it('refuses one live stream too many of a user, by its number, until one of them ends', async () => {
    const leave = new AbortController();
    const { headers } = people.owner;
    for (const form of ['trial', 'trpc/trial', 'trial'])
      expect((await quiet(headers, leave.signal, form)).status).toBe(200);
    for (const form of ['trial', 'trpc/trial']) {
      const refused = await quiet(headers, leave.signal, form);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
      expect(await refused.text()).toContain(
        'You have 3 live streams open, and a user may have 3 at once (setting streamLimit).',
      );
    }
    // Neither another user nor what is no live stream is held up.
    expect((await quiet(people.member.headers, leave.signal)).status).toBe(200);
    expect((await send(`${narrow.url}/api/trial.quiet`, { headers })).status).toBe(200);

    const abandoned = trial.state.abandoned;
    leave.abort();
    await until(() => trial.state.abandoned === abandoned + 4);
    const again = new AbortController();
    for (let count = 0; count < 3; count += 1) expect((await quiet(headers, again.signal)).status).toBe(200);
    again.abort();
    await until(() => trial.state.abandoned === abandoned + 7);
  });

  it('counts no stream that ended by itself or was refused', async () => {
    const signal = AbortSignal.timeout(60_000);
    const headers = { ...people.owner.headers, accept: 'text/event-stream' };
    for (let count = 0; count < 10; count += 1) {
      expect((await fetch(`${narrow.url}/api/trial.lines?count=x`, { headers, signal })).status).toBe(400);
      await events(await fetch(`${narrow.url}/api/trial.lines`, { headers, signal }));
      await events(await fetch(`${narrow.url}/api/trial.lines?failAt=1`, { headers, signal }));
    }
  });

  it('is cut as one JSON, which says so, and goes on from there', async () => {
    const { headers } = people.owner;
    const seen: string[] = [];
    const notes: string[] = [];
    let answer: Collected = { lines: [], lastEventId: '0', note: 'the beginning' };
    while (answer.note !== undefined) {
      notes.push(answer.note);
      const path = `trial.lines?count=30&lastEventId=${answer.lastEventId}`;
      answer = asCollected((await send(`${narrow.url}/api/${path}`, { headers })).body);
      seen.push(...answer.lines.map(({ text, outcome }) => text ?? outcome ?? ''));
    }
    expect(notes.length).toBeGreaterThan(2);
    expect(notes.at(-1)).toContain('at most 400 bytes (setting logAnswerLimit)');
    expect(seen).toEqual([...Array.from({ length: 30 }, (_, index) => `line ${index + 1}`), 'done']);
  });
});

interface Collected {
  lines: { text?: string; outcome?: string }[];
  lastEventId: string;
  note?: string;
}

function asCollected(body: unknown): Collected {
  return body as Collected;
}

it('leaves the connection usable and no listener behind', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  for (let round = 0; round < 15; round += 1)
    expect((await send(`${server.url}/api/trial.quiet`, { headers: people.owner.headers })).status).toBe(200);
  await pause(20);
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

it("is read and resumed by a browser's EventSource", async () => {
  const requests: (string | undefined)[] = [];
  const source = new EventSource(`${server.url}/api/trial.lines?count=4`, {
    fetch: (url, init) => {
      const headers = new Headers(init.headers);
      requests.push(headers.get('last-event-id') ?? undefined);
      headers.set('x-api-key', people.owner.key);
      // The first connection breaks after two lines.
      return fetch(url, { ...init, headers }).then((response) =>
        requests.length === 1 ? cutAfter(response, '"line 2"') : response,
      );
    },
  });
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    source.addEventListener('line', (event) => seen.push(event.data));
    source.addEventListener('end', () => resolve());
  });
  source.close();
  expect(seen.map((data) => /line \d/.exec(data)?.[0])).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
  expect(requests).toEqual([undefined, '2']);
});

/** The response with its body ended right after the event that contains the text. */
function cutAfter(response: Response, text: string): Response {
  let seen = '';
  const cut = new TransformStream<string, string>({
    transform(chunk, controller) {
      seen += chunk;
      const end = seen.includes(text) ? seen.indexOf('\n\n', seen.indexOf(text)) + 2 : -1;
      controller.enqueue(end > 1 ? chunk.slice(0, chunk.length - (seen.length - end)) : chunk);
      if (end > 1) controller.terminate();
    },
  });
  const body = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(cut)
    .pipeThrough(new TextEncoderStream());
  const cutResponse = new Response(body ?? null, { status: response.status, headers: response.headers });
  Object.defineProperty(cutResponse, 'url', { value: response.url });
  return cutResponse;
}
