/** rclone against Debian's sshd: what every store must do, and the refusals of a server with its cure. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSftp, type SftpServer } from '../../../../test/bed/sftp-server.ts';
import { homeOutgoing } from '../../../../test/integration/git/outgoing-fixture.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { ObjectStore, RemotePlace } from '../../ports/object-store.ts';
import { knownHosts, obscured } from './remotes.ts';
import { createObjectStores } from './stores.ts';

let folder: string;
let server: SftpServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-sftp-'));
  await mkdir(join(folder, 'scratch'));
  server = await startSftp(join(folder, 'server'));
}, 30_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const signal = AbortSignal.timeout(120_000);
/** A store in the folder `data` of the server, which nobody made. */
function open(change: Partial<RemotePlace> = {}, to = 'data'): ObjectStore {
  const openStore = createObjectStores({
    rclonePath: '/usr/bin/rclone',
    scratch: join(folder, 'scratch'),
    outgoing: homeOutgoing,
  });
  const place: RemotePlace = {
    provider: 'sftp',
    accessKey: new Secret(''),
    secretAccessKey: new Secret(server.privateKey),
    bucket: '',
    region: '',
    endpoint: `${server.address}${join(folder, to)}`,
    hostKey: server.hostKey.trim(),
    path: 'berth/it’s here',
    ...change,
  };
  return openStore(place, 'o1');
}
async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
async function whole(store: ObjectStore, path: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of store.read(path, signal)) parts.push(part);
  return Buffer.concat(parts).toString();
}

test('keeps, lists, renames, reads and removes objects, and leaves no file of a call', async () => {
  const store = open();
  expect(await store.list('', signal)).toEqual([]);
  const long = 'x'.repeat(300_000);
  await store.write('shop/ä (1).dump.part', pieces(long, 'end'), signal);
  await store.rename('shop/ä (1).dump.part', 'shop/ä (1).dump', signal);
  await store.write('shop/second', pieces('2'), signal);
  await store.rename('shop/second', 'shop/ä (1).dump', signal);
  expect(await whole(store, 'shop/ä (1).dump')).toBe('2');
  expect(await store.find('shop/ä (1).dump', signal)).toMatchObject({ bytes: 1 });
  expect((await store.list('', signal)).map(({ path }) => path)).toEqual(['shop/ä (1).dump']);
  await store.remove('shop/ä (1).dump', signal);
  await store.remove('shop/none', signal);
  expect(await store.list('', signal)).toEqual([]);
  expect(await store.find('shop/none', signal)).toBeUndefined();
  await expect(whole(store, 'shop/none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(store.rename('shop/none', 'x', signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await readdir(join(folder, 'scratch'))).toEqual([]);
});

test('makes no object of a source that fails', async () => {
  const store = open();
  async function* failing(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < 60; at += 1) yield Buffer.alloc(100_000);
    throw new Error('the source broke');
  }
  await expect(store.write('broken', failing(), signal)).rejects.toThrow('the source broke');
  expect(await store.list('', signal)).toEqual([]);
});

const refusals: readonly [string, () => ObjectStore, RegExp][] = [
  [
    'another host key',
    () => open({ hostKey: `ssh-ed25519 ${'A'.repeat(67)}=` }),
    /host key|cannot be reached/,
  ],
  ['no sign-in', () => open({ secretAccessKey: new Secret('a wrong password') }), /does not accept the user/],
  [
    'a folder that cannot be made',
    () => open({}, '../../../../../../../../../../proc/nowhere'),
    /refused to store/,
  ],
  ['a server that is gone', () => open({ endpoint: 'sftp://a@127.0.0.1:1/x' }), /refused|cannot be reached/],
];
test.each(refusals)('%s is refused with its cure', async (_, made, words) => {
  await expect(made().write('x', pieces('1'), signal)).rejects.toMatchObject({
    code: expect.stringMatching(/PRECONDITION_FAILED|SERVICE_UNAVAILABLE/),
    message: expect.stringMatching(words),
  });
});

test('a host key of another server is refused', async () => {
  const other = await startSftp(join(folder, 'other'));
  await other.stop();
  await expect(open({ hostKey: other.hostKey.trim() }).list('', signal)).rejects.toThrow(
    /presents a host key that the destination does not have/,
  );
});

test('passwords are written as rclone reads them', () => {
  for (const password of ['x', 'two words', 'ü'.repeat(200)])
    expect(
      execFileSync('rclone', ['reveal', obscured(password)], { encoding: 'utf8' }).replace(/\n$/, ''),
    ).toBe(password);
});

test('keys of a server are named by its address', () => {
  expect(knownHosts('192.0.2.1', 22, 'ssh-rsa A\nssh-dss B')).toBe(
    '192.0.2.1 ssh-rsa A\n192.0.2.1 ssh-dss B\n',
  );
  expect(knownHosts('192.0.2.1', 23, 'ssh-rsa A')).toBe('[192.0.2.1]:23 ssh-rsa A\n');
  expect(knownHosts('2001:db8::1', 22, 'ssh-rsa A')).toBe('[2001:db8::1] ssh-rsa A\n');
});
