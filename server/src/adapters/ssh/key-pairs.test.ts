import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import ssh2, { type utils } from 'ssh2';
import { describe, expect, it } from 'vitest';
import type { KeyPair } from '../../ports/host/key-pairs.ts';
import { sshKeyPairs } from './key-pairs.ts';

const pkcs8 = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  ed25519: generateKeyPairSync('ed25519').privateKey,
};
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const message = Buffer.from('sign me');

/** Of ssh2, which writes one ed25519 key in 256 so that nobody can read it: another one then. */
function readableKeys(options: utils.KeyPairOptions = {}): utils.KeyPairReturn {
  const pair = ssh2.utils.generateKeyPairSync('ed25519', options);
  return ssh2.utils.parseKey(pair.public) instanceof Error ? readableKeys(options) : pair;
}

/** Whether the private key of the pair signs for its public one. */
function belongTogether(pair: KeyPair): boolean {
  const [secret, shown] = [
    ssh2.utils.parseKey(pair.privateKey.reveal()),
    ssh2.utils.parseKey(pair.publicKey),
  ];
  return (
    !(secret instanceof Error) && !(shown instanceof Error) && shown.verify(message, secret.sign(message))
  );
}

describe('a new pair', () => {
  it('of ed25519 signs for its public key and prints as dots', async () => {
    const pair = await sshKeyPairs.generate('ed25519', 'berth');
    expect(pair.publicKey).toMatch(/^ssh-ed25519 [A-Za-z0-9+/=]+ berth$/);
    expect(pair.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    expect(pair.privateKey.reveal()).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----\n/);
    expect(JSON.stringify(pair)).not.toContain('PRIVATE KEY');
    expect(belongTogether(pair)).toBe(true);
    expect((await sshKeyPairs.generate('ed25519', 'berth')).fingerprint).not.toBe(pair.fingerprint);
  });

  it('of ed25519 can be read whatever its bytes are', async () => {
    const pairs = await Promise.all(
      Array.from({ length: 1500 }, () => sshKeyPairs.generate('ed25519', 'berth')),
    );
    expect(new Set(pairs.map(({ fingerprint }) => fingerprint)).size).toBe(1500);
  });

  it('of rsa has 4096 bits', { timeout: 60_000 }, async () => {
    const pair = await sshKeyPairs.generate('rsa', 'berth');
    expect(pair.publicKey).toMatch(/^ssh-rsa /);
    expect(Buffer.from(pair.publicKey.split(' ')[1] ?? '', 'base64').length).toBeGreaterThan(520);
    expect(belongTogether(pair)).toBe(true);
  });
});

describe('a pasted key', () => {
  const openssh = readableKeys({ comment: 'someone@laptop' });

  it('is taken in OpenSSH form whatever its line ends, and made whole', async () => {
    const expected = await sshKeyPairs.parse(openssh.private);
    for (const text of [
      openssh.private.trim(),
      openssh.private.replaceAll('\n', '\r\n'),
      `\n  ${openssh.private}\n\n`,
    ])
      expect(await sshKeyPairs.parse(text)).toEqual(expected);
    expect(expected.privateKey.reveal()).toMatch(/-----END OPENSSH PRIVATE KEY-----\n$/);
    expect(expected.publicKey).toBe(openssh.public);
  });

  it('is taken in PKCS#8 form too where it can be put into one that ssh reads', async () => {
    for (const key of [pkcs8.rsa, pkcs8.ec])
      expect(belongTogether(await sshKeyPairs.parse(pemOf(key)))).toBe(true);
    await expect(sshKeyPairs.parse(pemOf(pkcs8.ed25519))).rejects.toThrow('OpenSSH form');
  });

  it('with a passphrase, or that is none, is refused in words that help', async () => {
    const locked = readableKeys({ passphrase: 'open sesame', cipher: 'aes256-ctr', rounds: 4 }).private;
    await expect(sshKeyPairs.parse(locked)).rejects.toThrow('privateKey: has a passphrase');
    await expect(sshKeyPairs.parse(openssh.public)).rejects.toThrow('privateKey: is a public key');
    for (const text of [
      '',
      'hello',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----',
      openssh.private.slice(0, 200),
      '-----BEGIN PRIVATE KEY-----\nxx\n-----END PRIVATE KEY-----',
    ]) {
      await expect(sshKeyPairs.parse(text)).rejects.toThrow('privateKey: is not a private key');
    }
  });

  it('must belong to the public key given with it', async () => {
    expect((await sshKeyPairs.parse(openssh.private, `${openssh.public}\n`)).publicKey).toBe(openssh.public);
    expect((await sshKeyPairs.parse(openssh.private, '  ')).publicKey).toBe(openssh.public);
    await expect(sshKeyPairs.parse(openssh.private, readableKeys().public)).rejects.toThrow(
      'publicKey: does not belong',
    );
    await expect(sshKeyPairs.parse(openssh.private, 'ssh-rsa nonsense')).rejects.toThrow(
      'publicKey: is not a public key',
    );
  });
});
