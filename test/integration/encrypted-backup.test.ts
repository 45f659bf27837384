/**
 * An encrypted backup in a real S3 store, opened by hand with public tools alone, as the guide says; one that
 * others encrypted; the wrong key.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type {} from '../bed/global-setup.ts';
import { homeOutgoing } from './git/outgoing-fixture.ts';
import { createObjectStores } from '../../server/src/adapters/object-store/stores.ts';
import { encrypted, newKeyPair } from '../../server/src/domain/secrets/age.ts';
import { Secret } from '../../server/src/domain/secrets/secret.ts';
import { unsealed } from '../../server/src/modules/backup/keys/keys.ts';
import { compressed, decompressed, measured } from '../../server/src/modules/backup/runs/streams.ts';
import type { ObjectStore } from '../../server/src/ports/object-store.ts';
import { s3Bucket, s3Keys, startS3, type S3Server } from '../s3/s3-server.ts';

const run = promisify(execFile);
const signal = AbortSignal.timeout(240_000);
const dump = randomBytes(20_000_000);
const noKey = { identity: null };
let folder: string;
let s3: S3Server;
let store: ObjectStore;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-age-'));
  s3 = await startS3(inject('bed').machineIp, join(folder, 's3'));
  store = createObjectStores({ rclonePath: '/usr/bin/rclone', scratch: '/tmp', outgoing: homeOutgoing })(
    {
      provider: 's3',
      accessKey: new Secret(s3Keys.accessKey),
      secretAccessKey: new Secret(s3Keys.secretAccessKey),
      endpoint: s3.endpoint,
      bucket: s3Bucket,
      region: '',
      path: '',
    },
    'o1',
  );
});
afterAll(async () => {
  await s3.kill();
  await rm(folder, { recursive: true, force: true });
});

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < dump.length; at += 100_000) yield dump.subarray(at, at + 100_000);
}
async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source));
}
const checksum = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('what is stored is opened by age and gunzip, and by no other key', async () => {
  const [own, wrong] = [await newKeyPair(), await newKeyPair()];
  const sent = { bytes: 0, checksum: '' };
  const object = 'shop/one.dump.gz.age';
  await store.write(object, measured(encrypted([own.recipient], compressed(pieces())), sent), signal);
  const [key, file] = [join(folder, 'key.txt'), join(folder, 'fetched.gz.age')];
  await copyFile(s3.fileOf(object), file);
  const stored = await readFile(file);
  expect({ bytes: stored.length, checksum: checksum(stored) }).toEqual(sent);
  await writeFile(key, `# public key: ${own.recipient}\n${own.identity}\n`);
  const byHand = ['-c', 'age -d -i "$0" "$1" | gunzip | sha256sum', key, file];
  expect((await run('sh', byHand)).stdout).toContain(checksum(dump));
  await writeFile(key, `${wrong.identity}\n`);
  await expect(run('age', ['-d', '-i', key, file])).rejects.toThrow(/no identity matched/);
  const held = { identities: [new Secret(own.identity)] };
  const read = decompressed(unsealed(held, noKey, store.read(object, signal)));
  expect(checksum(await collect(read))).toBe(checksum(dump));
  const other = { identities: [new Secret(wrong.identity)] };
  await expect(collect(unsealed(other, noKey, store.read(object, signal), [own.recipient]))).rejects.toThrow(
    `is encrypted by age for ${own.recipient}, and the private keys that Berth has are those of`,
  );
});

test('what others encrypted with the tool and its own key is read', async () => {
  const [key, plain] = [join(folder, 'keygen.txt'), join(folder, 'dump.sql')];
  await run('age-keygen', ['-o', key]);
  const identity = /AGE-SECRET-KEY-\w+/.exec(await readFile(key, 'utf8'))?.[0] ?? '';
  await writeFile(plain, 'create table shop ();\n');
  await run('sh', ['-c', 'gzip -c "$0" | age -e -i "$1" -o "$0.gz.age"', plain, key]);
  const object = 'theirs/dump.sql.gz.age';
  await store.write(
    object,
    (async function* once() {
      yield await readFile(`${plain}.gz.age`);
    })(),
    signal,
  );
  const read = decompressed(unsealed(store, { identity }, store.read(object, signal)));
  expect((await collect(read)).toString()).toBe('create table shop ();\n');
});
