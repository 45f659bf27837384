/** What a release needs, and how a changed one is refused. */
import { generateKeyPairSync } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../images/command.ts';
import { checkRelease, keyFile, parseSums } from '../../setup/release/check-sums.ts';
import { publicPart, signFolder } from './archive.ts';
import { lockedNode, releaseFault } from './ready.ts';

const root = join(import.meta.dirname, '../..');
const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const privateKey = newKey();
const publicKey = publicPart(privateKey);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-signed-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function signed(name: string): Promise<string> {
  const made = join(folder, name);
  await mkdir(join(made, 'bin'), { recursive: true });
  await writeFile(join(made, 'bin/up'), 'up\n');
  await writeFile(join(made, 'berth.tar.gz'), 'archive\n');
  await signFolder(made, privateKey);
  return made;
}

it('a signed folder is checked, also by openssl and sha256sum', async () => {
  const made = await signed('whole');
  expect(await checkRelease(made, publicKey)).toBe(2);
  await writeFile(join(folder, 'key.pem'), publicKey);
  const openssl = await runCommand(
    // prettier-ignore
    [
      'openssl',
      'pkeyutl',
      '-verify',
      '-pubin',
      '-inkey',
      '../key.pem',
      '-rawin',
      '-in',
      'SHA256SUMS',
      '-sigfile',
      'SHA256SUMS.sig',
    ],
    { limitMs: 10_000, cwd: made },
  );
  expect(openssl).toMatchObject({ code: 0, stdout: 'Signature Verified Successfully\n' });
  const sums = await runCommand(['sha256sum', '--check', '--strict', 'SHA256SUMS'], {
    limitMs: 10_000,
    cwd: made,
  });
  expect(sums.code).toBe(0);
});

it('an archive that was not downloaded is passed over; none at all is refused', async () => {
  const made = await signed('partly');
  await rm(join(made, 'berth.tar.gz'));
  expect(await checkRelease(made, publicKey)).toBe(1);
  await rm(join(made, 'bin/up'));
  await expect(checkRelease(made, publicKey)).rejects.toThrow('bin/up is missing');
});

it.each<[string, (made: string) => Promise<void>, string]>([
  ['a changed byte', (made) => writeFile(join(made, 'bin/up'), 'uq\n'), 'bin/up differs'],
  [
    'a changed list',
    (made) => appendFile(join(made, 'SHA256SUMS'), '\n'),
    'is not the signature of SHA256SUMS',
  ],
  ['no signature', (made) => rm(join(made, 'SHA256SUMS.sig')), 'SHA256SUMS.sig is missing'],
  ['another key', (made) => signFolder(made, newKey()), 'is not the signature of SHA256SUMS'],
])('%s is refused', async (name, change, words) => {
  const made = await signed(name);
  await change(made);
  await expect(checkRelease(made, publicKey)).rejects.toThrow(words);
});

it.each(['x  bin/up', `${'a'.repeat(64)}  ../up`, `${'a'.repeat(64)}  /bin/up`, `${'a'.repeat(64)} up`])(
  'a list with the line %j is refused',
  (line) => expect(() => parseSums(line)).toThrow('not a digest and a path'),
);

const ready = {
  version: '1.2.3',
  changelog: '## [Unreleased]\n\n## [1.2.3] - 2026-01-01\n',
  changes: '',
  tagsHere: ['v1.2.3'],
  publicKey,
  givenPublicKey: publicKey,
};

it('a tagged, described, committed version can be released', () => {
  expect(releaseFault(ready)).toBeUndefined();
});

it.each([
  [{ changes: ' M README.md' }, 'not committed'],
  [{ changelog: '## [Unreleased]\n' }, 'has no section "## [1.2.3] - <date>"'],
  [{ tagsHere: ['v1.2.2'] }, 'git tag -a v1.2.3'],
  [{ givenPublicKey: undefined }, 'Set BERTH_RELEASE_KEY'],
  [{ givenPublicKey: publicPart(newKey()) }, 'is not the one whose public part'],
])('%j says what to do', (change, words) => {
  expect(releaseFault({ ...ready, ...change })).toContain(words);
});

it('the lock file has Node.js for each architecture; the key in the source is a key', async () => {
  const lock: unknown = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  for (const arch of ['x64', 'arm64']) expect(lockedNode(lock, arch).integrity).toMatch(/^sha512-/);
  expect(await readFile(join(root, keyFile), 'utf8')).toContain('BEGIN PUBLIC KEY');
});
