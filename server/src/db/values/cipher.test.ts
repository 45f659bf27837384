import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createCipher, openKeyFile } from './cipher.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-cipher-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the cipher', () => {
  const cipher = createCipher(randomBytes(32));

  it('gives back every text, never the same bytes twice, and never the text itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), (text) => {
        const first = cipher.encrypt(text);
        expect(cipher.decrypt(first)).toBe(text);
        expect(cipher.encrypt(text)).not.toBe(first);
        expect(text.length > 8 && first.includes(text)).toBe(false);
      }),
    );
  });

  it('leaves the empty text empty', () => {
    expect(cipher.encrypt('')).toBe('');
    expect(cipher.decrypt('')).toBe('');
  });

  it('refuses a value of another key, saying what to put back', () => {
    const foreign = createCipher(randomBytes(32)).encrypt('secret');
    expect(() => cipher.decrypt(foreign)).toThrow('encrypted with another key. Put back the key file');
  });

  it('refuses a value in which anything was changed', () => {
    const stored = cipher.encrypt('a secret of some length');
    const start = stored.lastIndexOf('.') + 1;
    for (let index = start; index < stored.length - 2; index += 7) {
      const other = stored[index] === 'A' ? 'B' : 'A';
      expect(() => cipher.decrypt(stored.slice(0, index) + other + stored.slice(index + 1))).toThrow(
        'authenticate data',
      );
    }
    expect(() => cipher.decrypt(stored.slice(0, start + 8))).toThrow('authentication tag');
    expect(() => cipher.decrypt('plain text')).toThrow('another key');
  });
});

describe('the key file', () => {
  it('is made at first start for its owner alone, and read ever after', () => {
    const path = join(folder, 'first', 'key');
    const key = openKeyFile(path, true);
    expect(key).toHaveLength(32);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'first')).mode & 0o777).toBe(0o700);
    expect(openKeyFile(path, true)).toEqual(key);
    expect(openKeyFile(path, false)).toEqual(key);
    expect(readdirSync(join(folder, 'first'))).toEqual(['key']);
  });

  it('that is lost is not replaced silently', () => {
    const path = join(folder, 'lost');
    expect(() => openKeyFile(path, false)).toThrow(`The key file ${path} is missing`);
    expect(readdirSync(folder)).not.toContain('lost');
  });

  it('that holds no key is refused and left as it is', () => {
    for (const [name, text] of Object.entries({
      empty: '',
      short: randomBytes(16).toString('base64'),
      prose: 'not a key at all, but a sentence',
    })) {
      const path = join(folder, name);
      writeFileSync(path, text);
      expect(() => openKeyFile(path, true)).toThrow('does not hold a 32-byte key');
    }
  });
});

it('more values than are remembered are read all the same, in any order', () => {
  const cipher = createCipher(randomBytes(32));
  const plain = Array.from({ length: 500 }, (_, index) => `${index}`.padEnd(5000, 'x'));
  const stored = plain.map((text) => cipher.encrypt(text));
  for (const order of [stored, stored.toReversed(), stored])
    expect(order.map((text) => cipher.decrypt(text))).toEqual(order === stored ? plain : plain.toReversed());
});
