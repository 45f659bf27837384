import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Secret } from '../../domain/secrets/secret.ts';
import { privateKeyText } from './private-key.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-key-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function generate(name: string, passphrase: string, ...options: string[]): string {
  execFileSync('ssh-keygen', ['-q', '-N', passphrase, '-f', join(folder, name), ...options]);
  return readFileSync(join(folder, name), 'utf8');
}

test('an open key comes back as OpenSSH wants it', () => {
  const key = generate('open', '', '-t', 'ed25519');
  expect(privateKeyText(new Secret(`\n${key.replaceAll('\n', '\r\n').trim()}  `))).toBe(key);
  const pem = generate('open-pem', '', '-t', 'rsa', '-b', '1024', '-m', 'PEM');
  expect(privateKeyText(new Secret(pem))).toBe(pem);
});

test('a key with a passphrase is refused', () => {
  for (const options of [
    ['-t', 'ed25519'],
    ['-t', 'rsa', '-b', '1024', '-m', 'PEM'],
    ['-t', 'rsa', '-b', '1024', '-m', 'PKCS8'],
  ]) {
    expect(() =>
      privateKeyText(new Secret(generate(`locked-${options.at(-1)}`, 'a passphrase', ...options))),
    ).toThrow('protected by a passphrase');
  }
});

test('nonsense is left to OpenSSH to refuse', () => {
  for (const text of [
    '',
    'x',
    '-----BEGIN OPENSSH PRIVATE KEY-----\n====\n-----END OPENSSH PRIVATE KEY-----',
  ])
    expect(privateKeyText(new Secret(text))).toBe(`${text}\n`);
});
