/** The engine in memory behind HTTP, and a proxy's admin interface, on connections of any kind. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { EngineRequest } from '../../server/src/adapters/engine/client/engine-request.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { createEngineInMemory } from '../../test/engine-in-memory/engine-in-memory.ts';
import { serverProgram, unixPrograms } from '../../test/engine-in-memory/programs/programs.ts';

const statuses: Partial<Record<string, number>> = { NOT_FOUND: 404, CONFLICT: 409 };
const jsonObject = z.record(z.string(), z.unknown());
const filters = z.record(z.string(), z.array(z.string()));

/** Enough of Docker's API for what Berth does on a server where nothing happens. */
export function createEngineServer(proxyImage: string): Server {
  const memory = createEngineInMemory({ mountedPrograms: { '/.berth/busybox': () => 0 } });
  memory.addImage(proxyImage, {
    programs: { ...unixPrograms, caddy: serverProgram(80) },
    command: ['caddy', 'run'],
  });
  return createServer((request, response) => {
    answer(memory.api, request, response).catch((error: unknown) => refuse(response, error));
  });
}

type Api = ReturnType<typeof createEngineInMemory>['api'];

async function answer(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://engine');
  const left = new AbortController();
  response.once('close', () => left.abort());
  const given: EngineRequest = {
    method: z.enum(['GET', 'POST', 'DELETE']).parse(request.method),
    path: url.pathname,
    query: Object.fromEntries(
      [...url.searchParams].map(([name, value]) => [
        name,
        name === 'filters' ? filters.parse(JSON.parse(value)) : value,
      ]),
    ),
    body: jsonObject.parse(JSON.parse((await text(request)) || '{}')),
    doing: 'asked over SSH',
    signal: left.signal,
    limitMs: 2 ** 31 - 1,
  };
  const isStream = url.pathname === '/events' || url.pathname.endsWith('/logs');
  if (isStream) {
    response.writeHead(200).flushHeaders();
    (await api.open(given)).pipe(response);
    return;
  }
  const value = await api.call(given, z.unknown());
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value ?? null));
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.headersSent) return void response.destroy();
  const status = error instanceof AppError ? (statuses[error.code] ?? 500) : 500;
  const message = error instanceof Error ? error.message : String(error);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
}

/** Keeps the configuration that it is given, and gives it again, whole or by the id of a part. */
export function createAdminServer(): Server {
  let config: unknown = null;
  return createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method === 'POST') config = JSON.parse(body);
      const id = /^\/id\/([^/]+)/.exec(request.url ?? '')?.[1];
      const found = id === undefined ? config : partOf(config, id);
      response.writeHead(found === undefined ? 404 : 200).end(JSON.stringify(found ?? null));
    });
  });
}

function partOf(value: unknown, id: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Reflect.get(value, '@id') === id) return value;
  for (const part of Object.values(value)) {
    const found = partOf(part, id);
    if (found !== undefined) return found;
  }
  return undefined;
}
