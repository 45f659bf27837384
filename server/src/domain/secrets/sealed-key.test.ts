import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { sealKey, unsealKey } from './sealed-key.ts';

const key = randomBytes(44);
/** Costly on purpose: a third of a second each on a quiet machine. */
const limitMs = 60_000;

test(
  'a sealed key is opened by its passphrase, and by no other',
  async () => {
    const sealed = await sealKey(key, 'correct horse battery', randomBytes);
    expect(sealed).not.toContain(key.toString('base64').slice(0, 12));
    expect((await unsealKey(sealed, 'correct horse battery')).equals(key)).toBe(true);
    await expect(unsealKey(sealed, 'correct horse batterz')).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('passphrase'),
    });
  },
  limitMs,
);

test(
  'what was changed, or is none, is refused',
  async () => {
    const sealed: Record<string, unknown> = JSON.parse(
      await sealKey(key, 'correct horse battery', randomBytes),
    );
    const data = Buffer.from(String(sealed['data']), 'base64');
    data[3] = (data[3] ?? 0) ^ 1;
    await expect(
      unsealKey(JSON.stringify({ ...sealed, data: data.toString('base64') }), 'correct horse battery'),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    for (const text of [
      '',
      '{}',
      'null',
      JSON.stringify({ ...sealed, N: 2 ** 30 }),
      JSON.stringify({ ...sealed, salt: 3 }),
    ])
      await expect(unsealKey(text, 'x')).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  },
  limitMs,
);
