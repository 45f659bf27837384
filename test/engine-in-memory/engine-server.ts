/** The engine in memory behind HTTP, and a proxy's admin interface, on connections of any kind. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { EngineRefusal } from '../../server/src/adapters/engine/client/engine-error.ts';
import type { EngineRequest } from '../../server/src/adapters/engine/client/engine-request.ts';
import { isStreamed } from './client.ts';
import type { EngineInMemory } from './engine-in-memory.ts';

const jsonObject = z.record(z.string(), z.unknown());
const filters = z.record(z.string(), z.array(z.string()));

type Api = EngineInMemory['api'];

/** Serves what Berth asks of Docker's API, terminals included. */
export function createEngineServer({ api }: Pick<EngineInMemory, 'api'>): Server {
  const server = createServer((request, response) => {
    answer(api, request, response).catch((error: unknown) => refuse(response, error));
  });
  // Docker API, "Attach to a container": the connection becomes one of raw bytes both ways.
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    connect(api, request, socket, head).catch((error: unknown) => {
      const { status, body } = refusalOf(error);
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  });
  return server;
}

async function answer(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const asked = { ...requestOf(request, await text(request)), signal: left.signal };
  if (isStreamed(asked)) {
    const stream = await api.open(asked);
    response.writeHead(200).flushHeaders();
    stream.pipe(response);
    return;
  }
  const value = await api.call(asked, z.unknown());
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value ?? null));
}

async function connect(api: Api, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const length = Number(request.headers['content-length'] ?? 0);
  const [body, rest] = await bodyBefore(socket, head, length);
  const stream = await api.hijack(requestOf(request, body.toString()));
  socket.write('HTTP/1.1 101 UPGRADED\r\nconnection: Upgrade\r\nupgrade: tcp\r\n\r\n');
  if (rest.length > 0) stream.write(rest);
  socket.pipe(stream).pipe(socket);
  socket.once('close', () => stream.destroy());
}

/** The body of a request that upgrades, and the raw bytes after it. */
async function bodyBefore(socket: Duplex, head: Buffer, length: number): Promise<[Buffer, Buffer]> {
  let received = head;
  while (received.length < length) {
    const [part] = z.tuple([z.instanceof(Buffer)]).parse(await once(socket, 'data'));
    received = Buffer.concat([received, part]);
  }
  return [received.subarray(0, length), received.subarray(length)];
}

function requestOf(request: IncomingMessage, body: string): EngineRequest {
  const url = new URL(request.url ?? '/', 'http://engine');
  return {
    method: z.enum(['GET', 'POST', 'DELETE']).parse(request.method),
    path: url.pathname.replace(/^\/v\d+\.\d+(?=\/)/, ''),
    query: Object.fromEntries(
      [...url.searchParams].map(([name, value]) => [
        name,
        name === 'filters' ? filters.parse(JSON.parse(value)) : value,
      ]),
    ),
    body: jsonObject.parse(JSON.parse(body || '{}')),
    doing: 'answering at the socket',
    limitMs: 2 ** 31 - 1,
  };
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.headersSent) return void response.destroy();
  const { status, body } = refusalOf(error);
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

/** Status and words as Docker would send them. */
function refusalOf(error: unknown): { status: number; body: string } {
  if (error instanceof EngineRefusal)
    return { status: error.status, body: JSON.stringify({ message: error.words }) };
  const message = error instanceof Error ? error.message : String(error);
  return { status: 500, body: JSON.stringify({ message }) };
}

/** Keeps the configuration that POST /load brings; GET /config/… returns it, or what stands at that path. */
export function createAdminServer(): Server {
  let config: unknown = null;
  return createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method === 'POST') config = JSON.parse(body);
      const path = /^\/config\/(.*)$/.exec(request.url ?? '')?.[1] ?? '';
      response.end(JSON.stringify(valueAt(config, path.split('/').filter(Boolean)) ?? null));
    });
  });
}

const valueAt = (value: unknown, [name, ...rest]: readonly string[]): unknown =>
  name === undefined || typeof value !== 'object' || value === null
    ? value
    : valueAt(Reflect.get(value, name), rest);
