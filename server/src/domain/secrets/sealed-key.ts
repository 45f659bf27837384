/**
 * A key file under a passphrase that only a person keeps: scrypt makes a key of the passphrase, AES-256-GCM
 * keeps the file secret and whole.
 */
import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';
import { AppError } from '../errors.ts';

/**
 * 128 MiB and a third of a second for each try (RFC 7914; OWASP, "Password Storage": N = 2^17, r = 8, p = 1).
 */
const cost = { N: 2 ** 17, r: 8, p: 1 } as const;
const form = 'berth-sealed-key-1';

interface Sealed {
  form: typeof form;
  N: number;
  r: number;
  p: number;
  salt: string;
  nonce: string;
  data: string;
}

export const shortestPassphrase = 12;

/** `random` gives so many random bytes. */
export async function sealKey(
  key: Buffer,
  passphrase: string,
  random: (bytes: number) => Buffer,
): Promise<string> {
  const [salt, nonce] = [random(32), random(12)];
  const cipher = createCipheriv('aes-256-gcm', await derived(passphrase, salt, cost), nonce);
  const data = Buffer.concat([cipher.update(key), cipher.final(), cipher.getAuthTag()]);
  const sealed: Sealed = {
    form,
    ...cost,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    data: data.toString('base64'),
  };
  return JSON.stringify(sealed);
}

/** Throws BAD_REQUEST for another passphrase, PRECONDITION_FAILED for what is no sealed key. */
export async function unsealKey(text: string, passphrase: string): Promise<Buffer> {
  const sealed = parse(text);
  const key = await derived(passphrase, Buffer.from(sealed.salt, 'base64'), sealed);
  const data = Buffer.from(sealed.data, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(sealed.nonce, 'base64'));
  decipher.setAuthTag(data.subarray(-16));
  try {
    return Buffer.concat([decipher.update(data.subarray(0, -16)), decipher.final()]);
  } catch (error) {
    throw new AppError(
      'BAD_REQUEST',
      'The passphrase is not the one that the key file was sealed with, or the sealed key is damaged.',
      { cause: error },
    );
  }
}

function derived(
  passphrase: string,
  salt: Buffer,
  { N, r, p }: Pick<Sealed, 'N' | 'r' | 'p'>,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function parse(text: string): Sealed {
  const foreign = new AppError('PRECONDITION_FAILED', 'This is not a sealed key of Berth.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError(foreign.code, foreign.message, { cause: error });
  }
  if (!isSealed(value)) throw foreign;
  return value;
}

/** A made-up cost must not fill the memory of whoever opens it. */
function isSealed(value: unknown): value is Sealed {
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'form') !== form) return false;
  const numbers = ['N', 'r', 'p'].map((name): unknown => Reflect.get(value, name));
  const texts = ['salt', 'nonce', 'data'].map((name): unknown => Reflect.get(value, name));
  return (
    numbers.every((one) => typeof one === 'number' && one > 0) &&
    Reflect.get(value, 'N') <= 2 ** 20 &&
    Reflect.get(value, 'r') <= 16 &&
    Reflect.get(value, 'p') <= 4 &&
    texts.every((one) => typeof one === 'string')
  );
}
