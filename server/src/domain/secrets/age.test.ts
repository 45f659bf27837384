import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { AppError } from '../errors.ts';
import { decrypted, encrypted, isRecipient, newKeyPair, recipientOf } from './age.ts';

const bytes = randomBytes(300_000);

async function* pieces(whole: Uint8Array, failAt = Infinity): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += 7000) {
    if (at >= failAt) throw new AppError('SERVICE_UNAVAILABLE', 'the source broke');
    yield whole.subarray(at, at + 7000);
  }
}
async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}
const open = (file: Uint8Array, identities: string[], recipients: string[] = []) =>
  collect(decrypted(pieces(file), { identities, recipients }));

it('comes back by the private key of each recipient', async () => {
  const [one, other] = [await newKeyPair(), await newKeyPair()];
  const file = await collect(encrypted([one.recipient, other.recipient], pieces(bytes)));
  expect(file.toString('latin1', 0, 22)).toBe('age-encryption.org/v1\n');
  expect(file.length - bytes.length).toBeLessThan(1000);
  for (const { identity } of [one, other]) expect((await open(file, [identity])).equals(bytes)).toBe(true);
});

it('leaves bytes as they are that nobody encrypts, or encrypted', async () => {
  expect((await collect(encrypted([], pieces(bytes)))).equals(bytes)).toBe(true);
  expect((await open(bytes, [])).equals(bytes)).toBe(true);
  expect((await open(Buffer.from('age'), [])).toString()).toBe('age');
  expect((await open(Buffer.of(), [])).length).toBe(0);
});

it('says which key is wanted, and which there are, and shows no private one', async () => {
  const [wanted, held] = [await newKeyPair(), await newKeyPair()];
  const file = await collect(encrypted([wanted.recipient], pieces(bytes)));
  const refusal = await open(file, [held.identity], [wanted.recipient]).catch(String);
  expect(refusal).toContain(`encrypted by age for ${wanted.recipient}`);
  expect(refusal).toContain(`those of ${held.recipient}`);
  expect(refusal).not.toContain(held.identity.slice(0, 24));
  await expect(open(file, [])).rejects.toThrow(
    /for a key that is not known here, and Berth has no private key/,
  );
});

it('tells a file that is cut, changed, armored or of a passphrase', async () => {
  const { recipient, identity } = await newKeyPair();
  const file = await collect(encrypted([recipient], pieces(bytes)));
  const changed = Buffer.from(file);
  changed[200_000] = (changed[200_000] ?? 0) ^ 1;
  const header = file.indexOf('\n--- ') + 1;
  for (const broken of [file.subarray(0, 150_000), changed, file.subarray(0, header - 4)])
    await expect(open(broken, [identity])).rejects.toThrow('is damaged: it is not a complete file of age');
  const endless = Buffer.concat([file.subarray(0, 22), Buffer.alloc(200_000, 'a')]);
  await expect(open(endless, [identity])).rejects.toThrow('is damaged');
  await expect(open(Buffer.from('-----BEGIN AGE ENCRYPTED FILE-----\n'), [])).rejects.toThrow('--armor');
  const scrypt = 'age-encryption.org/v1\n-> scrypt rF0/NwblUHHTpgQgRpe5CQ 10\nabc\n--- def\n';
  await expect(open(Buffer.from(scrypt), [identity])).rejects.toThrow('with a passphrase');
});

it('gives the fault of the source, and ends it when nobody wants more', async () => {
  const { recipient, identity } = await newKeyPair();
  await expect(collect(encrypted([recipient], pieces(bytes, 70_000)))).rejects.toThrow('the source broke');
  const file = await collect(encrypted([recipient], pieces(bytes)));
  const broken = decrypted(pieces(file, 210_000), { identities: [identity] });
  await expect(collect(broken)).rejects.toThrow('the source broke');
  let isEnded = false;
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces(file);
    } finally {
      isEnded = true;
    }
  }
  for await (const _first of decrypted(watched(), { identities: [identity] })) break;
  expect(isEnded).toBe(true);
  isEnded = false;
  let count = 0;
  for await (const _chunk of encrypted([recipient], watched())) if ((count += 1) > 3) break;
  expect(isEnded).toBe(true);
});

it('knows keys by their checksum', async () => {
  const { recipient, identity } = await newKeyPair();
  expect(await recipientOf(identity)).toBe(recipient);
  expect(await isRecipient(recipient)).toBe(true);
  const swap = (text: string): string => text.slice(0, -1) + (text.toLowerCase().endsWith('q') ? 'p' : 'q');
  expect(await isRecipient(swap(recipient))).toBe(false);
  for (const wrong of [swap(identity).toUpperCase(), identity.toLowerCase(), '', recipient])
    expect(await recipientOf(wrong)).toBeUndefined();
  for (const wrong of [identity, '', 'ssh-ed25519 AAAA', 'age1yubikey1qqq', recipient.toUpperCase()])
    expect(await isRecipient(wrong)).toBe(false);
});
