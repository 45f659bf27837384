/** What every object store must do, on a folder and on a real S3 server through rclone. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type {} from '../bed/global-setup.ts';
import { homeOutgoing } from './git/outgoing-fixture.ts';
import { createObjectStores } from '../../server/src/adapters/object-store/stores.ts';
import { Secret } from '../../server/src/domain/secrets/secret.ts';
import type { ObjectStore, StorePlace } from '../../server/src/ports/object-store.ts';
import { s3Bucket, s3Keys, startS3, type S3Server } from '../s3/s3-server.ts';

const run = promisify(execFile);
const signal = AbortSignal.timeout(240_000);
const secretKey = 'only+for/this-test';
let folder: string;
let small: string;
let s3: S3Server;
let fullS3: S3Server;
const openFor = createObjectStores({
  rclonePath: '/usr/bin/rclone',
  scratch: '/tmp',
  outgoing: homeOutgoing,
});
const open = (place: StorePlace): ObjectStore => openFor(place, 'o1');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-objects-'));
  small = await mkdtemp(join(tmpdir(), 'berth-small-'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'berth-test', small]);
  const { machineIp } = inject('bed');
  [s3, fullS3] = await Promise.all([
    startS3(machineIp, join(folder, 's3')),
    startS3(machineIp, join(small, 's3')),
  ]);
});
afterAll(async () => {
  await Promise.all([s3.kill(), fullS3.kill()]);
  await run('umount', ['--lazy', small]);
  for (const path of [folder, small]) await rm(path, { recursive: true, force: true });
});

const bucket = (
  change: Partial<{
    accessKey: string;
    secretAccessKey: string;
    endpoint: string;
    bucket: string;
    path: string;
  }> = {},
): StorePlace => ({
  provider: 's3',
  accessKey: new Secret(change.accessKey ?? s3Keys.accessKey),
  secretAccessKey: new Secret(change.secretAccessKey ?? s3Keys.secretAccessKey),
  endpoint: change.endpoint ?? s3.endpoint,
  bucket: change.bucket ?? s3Bucket,
  region: '',
  path: change.path ?? '',
});

/** Each kind of store, one whose disk has 1 MiB, and where the bytes lie. */
const stores = {
  folder: {
    ordinary: () => open({ provider: 'local', path: join(folder, 'local') }),
    full: () => open({ provider: 'local', path: join(small, 'local') }),
    code: 'PRECONDITION_FAILED',
  },
  s3: {
    ordinary: () => open(bucket()),
    full: () => open(bucket({ endpoint: fullS3.endpoint })),
    code: expect.stringMatching(/PRECONDITION_FAILED|SERVICE_UNAVAILABLE/),
  },
  'a prefix of s3': {
    ordinary: () => open(bucket({ path: 'deep/er' })),
    full: () => open(bucket({ endpoint: fullS3.endpoint, path: 'deep' })),
    code: expect.stringMatching(/PRECONDITION_FAILED|SERVICE_UNAVAILABLE/),
  },
} as const;

async function* chunks(bytes: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function* failing(after: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < after; at += 1) yield randomBytes(100_000);
  throw new Error('the source broke');
}
const byText = (one: string, other: string): number => (one < other ? -1 : 1);
async function whole(store: ObjectStore, path: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of store.read(path, signal)) parts.push(part);
  return Buffer.concat(parts);
}

describe.each(Object.entries(stores))('%s', (_name, { ordinary, full, code }) => {
  test('keeps what is written, lists it, renames and removes it', async () => {
    const store = ordinary();
    const bytes = randomBytes(7_000_000);
    const odd = "shop/it's ä (1) $x.dump";
    await store.write(`${odd}.part`, chunks(bytes), signal);
    await store.rename(`${odd}.part`, odd, signal);
    await store.write('shop/small', chunks(Buffer.from('x')), signal);
    await store.write('empty', chunks(Buffer.alloc(0)), signal);
    expect((await whole(store, odd)).equals(bytes)).toBe(true);
    expect(await store.find(odd, signal)).toEqual({
      path: odd,
      bytes: bytes.length,
      modifiedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(
      (await store.list('', signal)).map(({ path, bytes: size }) => `${path} ${size}`).toSorted(byText),
    ).toEqual(['empty 0', `${odd} ${bytes.length}`, 'shop/small 1'].toSorted(byText));
    expect((await store.list('shop', signal)).map(({ path }) => path).toSorted(byText)).toEqual(
      [odd, 'shop/small'].toSorted(byText),
    );
    expect(await store.list('nowhere', signal)).toEqual([]);
    for (const path of [odd, 'shop/small', 'empty', 'shop/none']) await store.remove(path, signal);
    expect(await store.list('', signal)).toEqual([]);
  });

  test('says that an object is not there', async () => {
    const store = ordinary();
    expect(await store.find('none', signal)).toBeUndefined();
    await expect(whole(store, 'none')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('none'),
    });
    await expect(store.rename('none', 'other', signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('makes no object of a source that fails or a write that is broken off', async () => {
    const store = ordinary();
    for (const after of [0, 1, 60, 200])
      await expect(store.write(`broken-${after}`, failing(after), signal)).rejects.toThrow(
        'the source broke',
      );
    const stop = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (let at = 0; ; at += 1) {
        if (at === 100) stop.abort(new Error('told to stop'));
        yield randomBytes(100_000);
      }
    }
    await expect(store.write('stopped', endless(), stop.signal)).rejects.toThrow('told to stop');
    expect(await store.list('', signal)).toEqual([]);
  });

  test('a read that is broken off ends', async () => {
    const store = ordinary();
    await store.write('long', chunks(randomBytes(20_000_000)), signal);
    const stop = new AbortController();
    const reading = async (): Promise<void> => {
      for await (const _part of store.read('long', stop.signal)) stop.abort(new Error('told to stop'));
    };
    await expect(reading()).rejects.toThrow('told to stop');
    // A reader may leave without a word, too.
    for await (const _part of store.read('long', signal)) break;
    await store.remove('long', signal);
  });

  test('a full disk is an error that says so, and nothing is made', async () => {
    const store = full();
    await expect(store.write('large', chunks(randomBytes(5_000_000)), signal)).rejects.toMatchObject({
      code,
      // A server that breaks the connection off may take its own answer with it.
      message: expect.stringMatching(/full|fault|broke off the connection/),
    });
    expect(await store.find('large', signal)).toBeUndefined();
    expect(await store.list('', signal)).toEqual([]);
  });
});

describe('s3', () => {
  test.each([
    [
      'another access key',
      { accessKey: 'NOBODY', secretAccessKey: secretKey },
      'PRECONDITION_FAILED',
      /does not accept the keys/,
    ],
    ['a wrong secret key', { secretAccessKey: secretKey }, 'PRECONDITION_FAILED', /does not accept the keys/],
    [
      'a bucket that is not there',
      { bucket: 'nowhere' },
      'PRECONDITION_FAILED',
      /there is no bucket nowhere/,
    ],
  ] as const)('%s is an error that says so, without the keys', async (_name, change, code, words) => {
    const store = open(bucket(change));
    const failure: unknown = await store
      .write('x', chunks(randomBytes(300_000)), signal)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(words) });
    expect(String(failure)).not.toContain(secretKey);
    await expect(store.list('', signal)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(words),
    });
  });

  test('a server killed in the middle of an upload is an error, and no object comes to be', async () => {
    const store = open(bucket());
    async function* slow(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 900; at += 1) {
        if (at === 500) await s3.kill();
        yield randomBytes(100_000);
      }
    }
    await expect(store.write('cut', slow(), signal)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('cannot be reached'),
    });
    await s3.start();
    expect(await store.list('', signal)).toEqual([]);
  });

  test('the keys stand in no argument of a process', async () => {
    const store = open(bucket());
    const seen: string[] = [];
    async function* watched(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 20; at += 1) {
        const { stdout } = await run('ps', ['-eo', 'args=']);
        seen.push(...stdout.split('\n').filter((line) => line.includes('rclone rcat')));
        yield randomBytes(50_000);
      }
    }
    await store.write('watched', watched(), signal);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((line) => line.includes(s3Keys.accessKey))).toEqual([]);
    await store.remove('watched', signal);
  });
});
