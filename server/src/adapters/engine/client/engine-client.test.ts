/** The client over a real socket, at which a program speaks the engine's HTTP (API 1.41). */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { removeContainer } from '../containers.ts';
import { createEngineClient, type EngineClient } from './engine-client.ts';

let folder: string;
let server: Server | undefined;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'berth-client-'))));
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
  rmSync(folder, { recursive: true });
});

async function speaking(answer: RequestListener, mostCharacters?: number): Promise<EngineClient> {
  const path = join(folder, 'engine.sock');
  const listening = createServer(answer);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(path, resolve));
  return createEngineClient(path, undefined, undefined, mostCharacters);
}

it('an engine that may be anybody’s is listened to up to a limit', async () => {
  const client = await speaking((_, response) => {
    response.write('["');
    const more = (): void => void response.write('x'.repeat(1000), () => void setImmediate(more));
    more();
  }, 10_000);
  const call = client.call({ method: 'GET', path: '/images/json', doing: 'listing' }, z.array(z.string()));
  await expect(call).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('the most that is read'),
  });
});

it('answers of an engine together have a limit, which ends none of those that come after', async () => {
  const held: (() => void)[] = [];
  const full = Promise.withResolvers<void>();
  const client = await speaking(({ url }, response) => {
    response.write(JSON.stringify('x'.repeat(9000)));
    if (url?.endsWith('/short')) return void response.end();
    held.push(() => response.end());
    if (held.length === 4) full.resolve();
  }, 10_000);
  const call = (path: string): Promise<string> =>
    client.call({ method: 'GET', path, doing: 'asking' }, z.string());
  const all = Promise.allSettled(['/1', '/2', '/3', '/4'].map(call));
  await full.promise;
  await expect(call('/short')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  for (const end of held) end();
  expect((await all).map(({ status }) => status).toSorted()).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
  expect(await call('/short')).toHaveLength(9000);
});

it('a container that somebody else is removing counts as removed; one in use does not', async () => {
  const client = await speaking(({ url }, response) => {
    const message = url?.includes('/going')
      ? 'removal of container going is already in progress'
      : 'container is in use';
    response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
  });
  await removeContainer(client, 'going');
  await expect(removeContainer(client, 'busy')).rejects.toMatchObject({ code: 'CONFLICT' });
});

it('calls that wait for an end take no place of others', async () => {
  const waiting = Promise.withResolvers<void>();
  let waits = 0;
  const client = await speaking(({ url }, response) => {
    if (!url?.endsWith('/wait')) return void response.end('{}');
    waits += 1;
    if (waits === 70) waiting.resolve();
  });
  const gone = new AbortController();
  const wait = { method: 'POST', path: '/containers/x/wait', doing: 'waiting', signal: gone.signal } as const;
  const all = Array.from({ length: 70 }, () => client.send({ ...wait, isWaiting: true }));
  await waiting.promise;
  expect(await client.call({ method: 'GET', path: '/info', doing: 'asking' }, z.object({}))).toEqual({});
  gone.abort(new Error('over'));
  for (const result of await Promise.allSettled(all)) expect(result.status).toBe('rejected');
});

it('a question goes on where a kept connection has ended; a change is not sent again', async () => {
  const used = new WeakSet<object>();
  let changes = 0;
  const client = await speaking((request, response) => {
    if (request.method === 'POST') changes += 1;
    if (used.has(request.socket)) return void request.socket.destroy();
    used.add(request.socket);
    response.end('{}');
  });
  const ask = { method: 'GET', path: '/info', doing: 'asking' } as const;
  for (let turn = 0; turn < 3; turn += 1) expect(await client.call(ask, z.object({}))).toEqual({});
  await expect(client.send({ method: 'POST', path: '/change', doing: 'changing' })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  expect(changes).toBe(1);
});
