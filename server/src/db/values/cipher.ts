/**
 * Encryption of secret columns: AES-256-GCM with a key file made at first start; the key's id stands before
 * each value so that keys can rotate.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';

export interface Cipher {
  encrypt(plain: string): string;
  /** Throws when the value was written under another key or was changed. */
  decrypt(stored: string): string;
  /** A keyed hash of a text: only whoever has the key file could have made it. */
  sign(text: string): string;
}

/** Reads the 32-byte key file, or makes it (mode 0600) when it is absent and `mayCreate`. */
export function openKeyFile(path: string, mayCreate: boolean): Buffer {
  const key = readKey(path);
  if (key) return key;
  if (!mayCreate) {
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      `The key file ${path} is missing, but the database holds encrypted values. Put the key file back ` +
        'from your backup; without it those values cannot be read.',
    );
  }
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Written whole beside its place and then linked there, so that a power cut leaves either no key or a whole
  // one, and of two starts at once only one wins.
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeDurably(draft, `${randomBytes(32).toString('base64')}\n`);
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  flush(folder);
  return openKeyFile(path, false);
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A new name is durable only when its folder is. */
function flush(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function readKey(path: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== 32) {
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      `The key file ${path} does not hold a 32-byte key in base64. Put the right file back from your backup.`,
    );
  }
  return key;
}

/**
 * Short values read again and again (the variables of the services and projects that a person looks at) are
 * decrypted once: a fresh decipher costs 4 µs, as much as a row. Counted in characters of what is stored, all
 * together and each; the oldest goes first.
 */
const remembered = { all: 2_000_000, each: 8192 };

export function createCipher(key: Buffer): Cipher {
  const keyId = hash('sha256', key, 'hex').slice(0, 8);
  const marker = `v1.${keyId}.`;
  // With the bytes themselves Node would make such an object for each value: three quarters of the time
  // (measured: 18 and 6 µs to encrypt, 16 and 4 µs to decrypt).
  const secretKey = createSecretKey(key);
  // A key of its own for each purpose (RFC 5869).
  const signingKey = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'berth signatures', 32)));
  const known = new Map<string, string>();
  let size = 0;

  function remember(stored: string, plain: string): void {
    known.set(stored, plain);
    size += stored.length;
    for (const oldest of known.keys()) {
      if (size <= remembered.all) break;
      known.delete(oldest);
      size -= oldest.length;
    }
  }

  function open(stored: string): string {
    if (!stored.startsWith(marker)) {
      throw new AppError(
        'INTERNAL_SERVER_ERROR',
        'A stored secret was encrypted with another key. Put back the key file that belongs to this ' +
          'database.',
      );
    }
    const body = Buffer.from(stored.slice(marker.length), 'base64');
    const decipher = createDecipheriv('aes-256-gcm', secretKey, body.subarray(0, 12));
    decipher.setAuthTag(body.subarray(-16));
    return decipher.update(body.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
  }

  return {
    encrypt(plain) {
      if (plain === '') return '';
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', secretKey, nonce);
      const body = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return marker + body.toString('base64');
    },
    decrypt(stored) {
      if (stored === '') return '';
      const before = known.get(stored);
      if (before !== undefined) return before;
      const plain = open(stored);
      if (stored.length <= remembered.each) remember(stored, plain);
      return plain;
    },
    sign: (text) => createHmac('sha256', signingKey).update(text).digest('base64url'),
  };
}
