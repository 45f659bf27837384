import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send, type Answer } from '../../../test/http/call.ts';
import { createPeople, type People } from '../../../test/http/people.ts';
import { serve, type TestServer } from '../../../test/http/serve.ts';
import { temporaryDatabase } from '../../../test/http/temporary-database.ts';
import { createTrial } from '../../../test/http/trial.ts';

const { database, remove } = await temporaryDatabase();
const limit = 20_000_000;
let server: TestServer;
let people: People;

beforeAll(async () => {
  people = await createPeople(database);
  server = await serve(database, [createTrial().router], { uploadLimit: limit });
});
afterAll(async () => {
  await server.close();
  await remove();
});

function form(fields: Record<string, string>, file?: { name: string; bytes: number }): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  if (file) data.append('file', new Blob([new Uint8Array(file.bytes)]), file.name);
  return data;
}

const receive = (
  body: FormData,
  query = '',
  headers: Record<string, string> = people.owner.headers,
): Promise<Answer> => send(`${server.url}/api/trial.receive${query}`, { body, headers });

it('takes a form with its fields and one file, in both forms', async () => {
  const body = (): FormData => form({ label: 'app', level: '3' }, { name: 'app.zip', bytes: 100_000 });
  expect((await receive(body())).body).toEqual({
    label: 'app',
    level: 3,
    fileName: 'app.zip',
    bytes: 100_000,
  });
  expect(
    (await send(`${server.url}/api/trpc/trial.receive`, { body: body(), headers: people.owner.headers }))
      .body,
  ).toEqual({ result: { data: { label: 'app', level: 3, fileName: 'app.zip', bytes: 100_000 } } });
  expect((await receive(form({}, { name: 'x', bytes: 1 }), '?label=query')).body).toMatchObject({
    label: 'query',
    bytes: 1,
  });
});

it('takes the file as the whole body, its input in the query string', async () => {
  for (const type of [
    'application/zip',
    'application/gzip',
    'application/x-tar',
    'application/octet-stream',
  ]) {
    expect(
      (
        await send(`${server.url}/api/trial.receive?label=raw`, {
          body: 'x'.repeat(5000),
          headers: { ...people.owner.headers, 'content-type': type },
        })
      ).body,
    ).toEqual({ label: 'raw', level: null, fileName: 'upload', bytes: 5000 });
  }
});

it('refuses who may not, before anything is read, and bad input', async () => {
  expect(
    await receive(form({ label: 'x' }, { name: 'x', bytes: 1000 }), '', { 'x-api-key': 'wrong' }),
  ).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  expect(await receive(form({}, { name: 'x', bytes: 1000 }))).toMatchObject({
    status: 400,
    body: { error: { data: { issues: [{ path: 'label' }] } } },
  });
  expect(await receive(form({ label: 'x' }))).toMatchObject({
    status: 400,
    body: { error: { data: { issues: [{ path: 'file' }] } } },
  });
  expect(
    await send(`${server.url}/api/trial.receive?label=x`, { body: { a: 1 }, headers: people.owner.headers }),
  ).toMatchObject({ status: 415 });
  expect(
    await send(`${server.url}/api/trial.receive?label=x`, { method: 'POST', headers: people.owner.headers }),
  ).toMatchObject({ status: 415 });
});

it('answers a refusal at once though megabytes were still to come; the next request is served', async () => {
  const big = 'x'.repeat(15_000_000);
  const zip = { ...people.owner.headers, 'content-type': 'application/zip' };
  expect(await send(`${server.url}/api/trial.receive`, { body: big, headers: zip })).toMatchObject({
    status: 400,
  });
  expect(
    await send(`${server.url}/api/trial.receive?label=x`, {
      body: big,
      headers: { ...zip, 'x-api-key': 'wrong' },
    }),
  ).toMatchObject({ status: 401 });
  expect(await receive(form({}, { name: 'x', bytes: 15_000_000 }))).toMatchObject({ status: 400 });
  expect(await send(`${server.url}/api/trial.receive?label=x`, { body: big, headers: zip })).toMatchObject({
    status: 200,
    body: { bytes: 15_000_000 },
  });
});

it('serves the next request of a connection whose upload was refused before it was read', async () => {
  const zip = { ...people.owner.headers, 'content-type': 'application/zip' };
  // As much as a system takes from a client before anybody reads it.
  for (const bytes of [100_000, 400_000, 900_000]) {
    expect(
      await send(`${server.url}/api/trial.receive`, { body: 'x'.repeat(bytes), headers: zip }),
    ).toMatchObject({ status: 400 });
    expect(await receive(form({}, { name: 'x', bytes }))).toMatchObject({ status: 400 });
    expect(await send(`${server.url}/api/health`)).toMatchObject({ status: 200 });
  }
});

it('refuses more than the limit with 413, said beforehand or found on the way', async () => {
  expect(await receive(form({ label: 'x' }, { name: 'x', bytes: limit + 1 }))).toMatchObject({
    status: 413,
    body: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('uploadLimit') },
  });
  expect(await chunked(limit * 2)).toContain('413');
});

it('survives a reader that breaks off in the middle', async () => {
  const socket = await begin('content-length: 100000\r\n');
  socket.write('x'.repeat(1000));
  socket.destroy();
  expect((await send(`${server.url}/api/health`)).status).toBe(200);
});

async function begin(headers: string): Promise<ReturnType<typeof connect>> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `POST /api/trial.receive?label=x HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: ` +
      `${people.owner.key}\r\ncontent-type: application/zip\r\n${headers}\r\n`,
  );
  return socket;
}

/** Sends a body without a length said beforehand; gives the answer's status line. */
async function chunked(bytes: number): Promise<string> {
  const socket = await begin('transfer-encoding: chunked\r\n');
  socket.on('error', () => undefined);
  const answer = once(socket, 'data');
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += 10_000)
    socket.write(`2710\r\n${'x'.repeat(10_000)}\r\n`);
  socket.write('0\r\n\r\n');
  const [first]: unknown[] = await answer;
  socket.destroy();
  return String(first).split('\r\n')[0] ?? '';
}
