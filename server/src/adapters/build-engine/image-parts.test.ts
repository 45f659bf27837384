import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { imagePart } from './image-parts.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const { signal } = new AbortController();

/** A socket of parts that does this with whoever asks; gives its path. */
async function giving(give: (asking: Socket) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-parts-'));
  const open = new Set<Socket>();
  const server = createServer((asking) => {
    open.add(asking.on('error', () => undefined));
    asking.once('data', () => give(asking));
  });
  const path = join(folder, 'images.sock');
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  onTestFinished(async () => {
    for (const each of open) each.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  return path;
}

test('gives a part with its size', async () => {
  const path = await giving((asking) => void asking.end('5\nhello'));
  const { size, body } = await imagePart(path, 'layer', digest, signal);
  expect([size, String(await buffer(body))]).toEqual([5, 'hello']);
});

test.each([
  ['at once', (asking: Socket) => void asking.end('5\nhello and more')],
  ['later', (asking: Socket) => void asking.write('5\nhello', () => void asking.end('!'))],
])('nothing of what goes beyond the size is given on, if it comes %s', async (_, give) => {
  const { body } = await imagePart(await giving(give), 'config', digest, signal);
  let given = '';
  const reading = async (): Promise<void> => {
    for await (const piece of body) given += String(Buffer.from(piece));
  };
  await expect(reading()).rejects.toThrow('The builder sent more than the 5 bytes that it announced');
  expect('hello'.startsWith(given)).toBe(true);
});

test.each(['', '-1', '1e3', '0x10', ' 5', '1'.repeat(16), '5 '])('a size of "%s" is none', async (size) => {
  const path = await giving((asking) => void asking.end(`${size}\nhello`));
  await expect(imagePart(path, 'layer', digest, signal)).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
  });
});

test('what was aborted before is asked of nobody', async () => {
  let asked = 0;
  const path = await giving(() => void (asked += 1));
  const aborted = AbortSignal.abort(new Error('cancelled'));
  await expect(imagePart(path, 'layer', digest, aborted)).rejects.toThrow('cancelled');
  expect(asked).toBe(0);
});
