/** SSH keys through ssh2: private keys as people paste them, and new ones. */
import { createHash, createPrivateKey } from 'node:crypto';
import { promisify } from 'node:util';
import type { ParsedKey, utils } from 'ssh2';
import { badField } from '../../domain/errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { KeyPair, KeyPairs, KeyPairType } from '../../ports/host/key-pairs.ts';

const rsaBits = 4096;
const attemptsLimit = 8;

export const sshKeyPairs: KeyPairs = { parse: parseKeyPair, generate: generateKeyPair };

/** Loaded at the first key: 600 kB of program that an installation without servers never needs. */
const tools = async (): Promise<typeof utils> => (await import('ssh2')).default.utils;

async function parseKeyPair(privateText: string, publicText?: string | null): Promise<KeyPair> {
  const { parseKey } = await tools();
  const privateKey = readable(unifiedLines(privateText));
  const key = parsed(parseKey(privateKey));
  if (publicText?.trim()) {
    const given = parseKey(publicText.trim());
    if (given instanceof Error)
      throw badField('publicKey', 'is not a public key; leave it out to derive it from the private key');
    if (!given.getPublicSSH().equals(key.getPublicSSH()))
      throw badField('publicKey', 'does not belong to the private key');
  }
  const comment = key.comment.replace(/\p{Cc}+/gu, ' ').trim();
  return {
    privateKey: new Secret(privateKey),
    publicKey: [key.type, key.getPublicSSH().toString('base64'), comment].join(' ').trim(),
    fingerprint: fingerprintOf(key),
  };
}

async function generateKeyPair(type: KeyPairType, comment: string): Promise<KeyPair> {
  const ssh = await tools();
  const generate = promisify((done: (error: Error | null, pair: utils.KeyPairReturn) => void) => {
    if (type === 'rsa') ssh.generateKeyPair('rsa', { bits: rsaBits, comment }, done);
    else ssh.generateKeyPair('ed25519', { comment }, done);
  });
  // ssh2 1.17 loses the leading zero byte that one ed25519 key in 256 has, and nobody can read what it writes
  // then (measured: 38 of 9,000); such a pair is made anew.
  for (let left = attemptsLimit; ; left -= 1) {
    const { private: text } = await generate();
    if (left === 0 || !(ssh.parseKey(text) instanceof Error)) return parseKeyPair(text);
  }
}

function parsed(key: ParsedKey | Error): ParsedKey {
  if (key instanceof Error) {
    if (/encrypted/i.test(key.message))
      throw badField(
        'privateKey',
        'has a passphrase, which cannot be entered here. Use a key without one (ssh-keygen -p removes ' +
          'it from a copy)',
      );
    throw badField(
      'privateKey',
      'is not a private key in OpenSSH or PEM form (an ed25519 key has to be in OpenSSH form). Paste the ' +
        'whole file, the BEGIN and END lines included',
    );
  }
  if (!key.isPrivateKey()) throw badField('privateKey', 'is a public key; paste the private one');
  if (key.type === 'ssh-dss')
    throw badField('privateKey', 'is a DSA key, which servers no longer accept; use an ed25519 or RSA key');
  return key;
}

/** PKCS#8 ("BEGIN PRIVATE KEY") RSA and EC keys in the older form that ssh2 reads; anything else as it is. */
function readable(text: string): string {
  if (!text.startsWith('-----BEGIN PRIVATE KEY-----')) return text;
  const key = asKeyObject(text);
  switch (key?.asymmetricKeyType) {
    case 'rsa':
      return String(key.export({ format: 'pem', type: 'pkcs1' }));
    case 'ec':
      return String(key.export({ format: 'pem', type: 'sec1' }));
    default:
      return text;
  }
}

function asKeyObject(text: string): ReturnType<typeof createPrivateKey> | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    // What is no key is refused by `parsed`, in our words.
    return undefined;
  }
}

/** OpenSSH refuses a key with Windows line ends or without a last one. */
function unifiedLines(text: string): string {
  return `${text.replace(/\r\n?/g, '\n').trim()}\n`;
}

function fingerprintOf(key: ParsedKey): string {
  return `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`;
}
