import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { follow } from './follow.ts';
import { serverSentEvents } from './server-sent-events.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  closing.splice(0).forEach((close) => close());
});

/**
 * A server whose n-th connection is answered by the n-th script; gives the resume positions it was asked for.
 */
async function scripted(
  ...scripts: ((response: ServerResponse) => void)[]
): Promise<{ connection: { url: string }; asked: (string | undefined)[] }> {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id']?.toString());
    scripts[asked.length - 1]?.(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { connection: { url: `http://127.0.0.1:${port}` }, asked };
}

const head = { 'content-type': 'text/event-stream' };
const line = (id: number): string => `event: line\nid: ${id}\ndata: {"text":"${id}"}\n\n`;
const end = 'event: end\nid: 4\ndata: {"outcome":"done"}\n\n';

test('goes on after the last event when the connection breaks, in mid-event, or ends early', async () => {
  const { connection, asked } = await scripted(
    (response) => {
      response.writeHead(200, head).write(`: open\n\n${line(1)}${line(2)}event: line\nid: 3\nda`);
      setTimeout(() => response.destroy(), 20);
    },
    (response) => response.writeHead(503, { 'content-type': 'application/json' }).end('{}'),
    (response) => response.writeHead(200, head).end(line(3)),
    (response) => response.writeHead(200, head).end(end),
  );
  const events = await Array.fromAsync(follow(connection, 'deployment.logs', { deploymentId: 'd1' }));
  expect(events.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  expect(asked).toEqual([undefined, '2', '2', '3']);
});

test('reads in a browser that cannot iterate a stream of bytes', async () => {
  const iterate = ReadableStream.prototype[Symbol.asyncIterator];
  Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
  try {
    const { connection } = await scripted((response) =>
      response.writeHead(200, head).end(`${line(1)}${end}`),
    );
    const seen: string[] = [];
    for await (const { id } of follow(connection, 'deployment.logs', {})) seen.push(id);
    expect(seen).toEqual(['1', '4']);
  } finally {
    ReadableStream.prototype[Symbol.asyncIterator] = iterate;
  }
});

test('a silent connection counts as broken', async () => {
  const { connection, asked } = await scripted(
    (response) => void response.writeHead(200, head).write(line(1)),
    (response) => response.writeHead(200, head).end(end),
  );
  const events = await Array.fromAsync(follow(connection, 'deployment.logs', {}, { silenceMs: 700 }));
  expect(events.map(({ id }) => id)).toEqual(['1', '4']);
  expect(asked).toEqual([undefined, '1']);
});

test('a refusal is final, an error in the stream too', async () => {
  const refusing = await scripted((response) =>
    response
      .writeHead(403, { 'content-type': 'application/json' })
      .end('{"error":{"message":"Not yours.","code":"FORBIDDEN","data":{"httpStatus":403}}}'),
  );
  await expect(Array.fromAsync(follow(refusing.connection, 'deployment.logs', {}))).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: 'Not yours.',
  });
  const failing = await scripted((response) =>
    response
      .writeHead(200, head)
      .end(`${line(1)}event: error\ndata: {"error":{"message":"Gone.","code":"NOT_FOUND"}}\n\n`),
  );
  await expect(Array.fromAsync(follow(failing.connection, 'deployment.logs', {}))).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'Gone.',
  });
  expect([...refusing.asked, ...failing.asked]).toHaveLength(2);
});

test('gives up after the limit, and at once when called off', async () => {
  await expect(
    Array.fromAsync(follow({ url: 'http://127.0.0.1:1' }, 'deployment.logs', {}, { giveUpAfterMs: 200 })),
  ).rejects.toMatchObject({ code: 'UNREACHABLE' });
  const reason = new Error('no longer wanted');
  const stop = new AbortController();
  const { connection } = await scripted((response) => void response.writeHead(200, head).write(line(1)));
  const reading = Array.fromAsync(follow(connection, 'deployment.logs', {}, { signal: stop.signal }));
  setTimeout(() => stop.abort(reason), 50);
  await expect(reading).rejects.toBe(reason);
});

test('events are cut right wherever the bytes are', async () => {
  const bytes = new TextEncoder().encode(
    ': hello\n\nevent: line\nid: 1\ndata: {"text":\ndata: "ä€"}\n\ndata: 2\r\n\r\n',
  );
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const pieces = (async function* halves() {
      yield bytes.subarray(0, cut);
      yield bytes.subarray(cut);
    })();
    expect(await Array.fromAsync(serverSentEvents(pieces))).toEqual([
      { event: 'line', id: '1', data: '{"text":\n"ä€"}' },
      { event: 'message', id: undefined, data: '2' },
    ]);
  }
});
