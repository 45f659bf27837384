/** rclone against stores that redirect, hang and refuse: each call ends, with the cure in its sentence. */
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { homeOutgoing } from '../../../../test/integration/git/outgoing-fixture.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { ObjectStore, StoreUse } from '../../ports/object-store.ts';
import { createObjectStores } from './stores.ts';
import { rcloneError } from './rclone-error.ts';

const place = {
  provider: 's3',
  accessKey: new Secret('key'),
  secretAccessKey: new Secret('only+for/this-test'),
  bucket: 'backups',
  region: 'us-east-1',
  path: '',
} as const;

/** A store at a server that answers so; single calls get a second, or what is asked for. */
async function storeAt(
  answer: RequestListener,
  { use, call = 1000 }: { use?: StoreUse; call?: number } = {},
): Promise<ObjectStore> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const open = createObjectStores({
    rclonePath: '/usr/bin/rclone',
    scratch: tmpdir(),
    outgoing: homeOutgoing,
    limits: {
      call,
      list: 1000,
      rename: 1000,
      readIdle: 1000,
      writeIdle: 1000,
      finish: 1000,
      ask: 1000,
    },
  });
  return open({ ...place, endpoint: `http://127.0.0.1:${address.port}` }, 'o1', use);
}

async function* bytes(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < 40; at += 1) yield Buffer.alloc(1_000_000);
}
const signal = AbortSignal.timeout(60_000);
const calls: Record<string, (store: ObjectStore) => Promise<unknown>> = {
  find: (store) => store.find('x', signal),
  list: (store) => store.list('', signal),
  read: async (store) => {
    for await (const _part of store.read('x', signal));
  },
  write: (store) => store.write('x', bytes(), signal),
  rename: (store) => store.rename('x', 'y', signal),
  remove: (store) => store.remove('x', signal),
};

const elsewhere: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(301, { 'x-amz-bucket-region': 'eu-west-1', 'content-type': 'application/xml' });
  response.end('<?xml version="1.0"?><Error><Code>PermanentRedirect</Code></Error>');
};

it.each(Object.keys(calls))('%s names the region of a bucket that is in another one', async (name) => {
  const store = await storeAt(elsewhere);
  await expect(calls[name]?.(store)).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringMatching(
      /backups is in the region eu-west-1, not in us-east-1\. Set region to eu-west-1/,
    ),
  });
});

it.each(Object.keys(calls))('%s ends when only signed calls are redirected', async (name) => {
  const store = await storeAt((request, response) => {
    if (request.headers.authorization !== undefined) return elsewhere(request, response);
    response.writeHead(403).end();
  });
  await expect(calls[name]?.(store)).rejects.toMatchObject({
    message: expect.stringMatching(/gave no answer for 1 seconds|not in the region|is in the region/),
  });
});

it.each(Object.keys(calls))('%s ends at a store that never answers', async (name) => {
  const store = await storeAt((request) => void request.resume());
  await expect(calls[name]?.(store)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('gave no answer for 1 seconds'),
  });
});

it('asks a store that reports a fault at most four times on trial, where somebody waits', async () => {
  let asked = 0;
  const store = await storeAt(
    (request, response) => {
      if (request.method === 'HEAD') asked += 1;
      request.resume();
      response.writeHead(503).end();
    },
    { use: 'trial', call: 60_000 },
  );
  await expect(store.find('x', signal)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(asked).toBeLessThanOrEqual(4);
});

it('names where a redirect leads', async () => {
  const store = await storeAt(
    (_request, response) =>
      void response.writeHead(307, { location: 'https://other.example.com/backups' }).end(),
  );
  await expect(store.list('', signal)).rejects.toMatchObject({
    message: expect.stringContaining('redirects to https://other.example.com. Enter the address'),
  });
});

it.each([
  ['QuotaExceeded: no. status code: 403', /is full, or its quota is used up/],
  ['RequestTimeTooSkewed: no. status code: 403', /clocks of this server/],
  ['NotImplemented: no. status code: 501', /lacks an operation that backups need/],
  [
    "AuthorizationHeaderMalformed: the region 'us-east-1' is wrong; expecting 'eu-west-1' status code: 400",
    /is in the region eu-west-1/,
  ],
  ['AccessDenied: no. status code: 403', /keys lack permission/],
  ['NoSuchBucket: no. status code: 404', /there is no bucket/],
  ['InternalError: no. status code: 500', /internal error/],
])('tells %s truly', (stderr, words) => {
  const { message } = rcloneError(
    { ...place, endpoint: 'https://s3.amazonaws.com' },
    { exitCode: 1, signal: undefined, stderr },
  );
  expect(message).toMatch(words);
});
