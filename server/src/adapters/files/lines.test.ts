import { open, mkdtemp, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linesFrom, linesFromEnd, longestLine, type FileLine, type ReadAt } from './lines.ts';

let folder = '';
const opened: FileHandle[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-lines-'));
});
afterAll(async () => {
  for (const file of opened) await file.close();
  await rm(folder, { recursive: true, force: true });
});

interface Opened {
  size: number;
  read: ReadAt;
  /** Bytes read so far, and the largest piece. */
  seen: { bytes: number; largest: number };
}

async function file(content: string | Buffer): Promise<Opened> {
  const path = join(folder, `file-${opened.length}`);
  await writeFile(path, content);
  const handle = await open(path);
  opened.push(handle);
  const seen = { bytes: 0, largest: 0 };
  return {
    size: (await handle.stat()).size,
    seen,
    async read(buffer, position) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
      seen.bytes += bytesRead;
      seen.largest = Math.max(seen.largest, bytesRead);
      return bytesRead;
    },
  };
}

const forwards = ({ read, size }: Opened, from = 0): Promise<FileLine[]> =>
  Array.fromAsync(linesFrom(read, from, size));
const backwards = async ({ read, size }: Opened): Promise<FileLine[]> =>
  (await Array.fromAsync(linesFromEnd(read, size))).toReversed();

/** As written down by hand, whatever the reader does. */
function expected(content: string): FileLine[] {
  let end = 0;
  return content
    .split('\n')
    .slice(0, -1)
    .map((text) => {
      end += Buffer.byteLength(text) + 1;
      return { end, text };
    });
}

describe('a file reads the same from both ends', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => `${index} ${'größe '.repeat(index % 9)}`);
  const wide = Array.from({ length: 40 }, (_, index) => `${index}${'x'.repeat(longestLine - 2 - index)}`);
  test.each([
    ['nothing', ''],
    ['an unfinished line', 'half'],
    ['one empty line', '\n'],
    ['empty lines', '\n\n\n'],
    ['two lines and a half', 'one\ntwo\nhalf'],
    ['more than a block', `${many.join('\n')}\n`],
    ['lines of nearly the longest', `${wide.join('\n')}\n`],
    [
      'the longest, at a block’s very end',
      `${'y'.repeat(longestLine)}\n${'z'.repeat(longestLine - 2)}\nend\n`,
    ],
  ])('%s', async (_name, content) => {
    const given = await file(content);
    expect(await forwards(given)).toEqual(expected(content));
    expect(await backwards(given)).toEqual(expected(content));
  });
});

test('reading goes on at every position that a line has', async () => {
  const content = 'a\n\nbb\nccc\n';
  const given = await file(content);
  const all = await forwards(given);
  for (const [index, { end }] of all.entries())
    expect(await forwards(given, end)).toEqual(all.slice(index + 1));
});

test('a line that is too long is cut, says by how much, and hides none beside it', async () => {
  const long = 3_000_000;
  const given = await file(`before\n${'é'.repeat(long / 2)}\nafter\n`);
  const kept = 'é'.repeat(longestLine / 2);
  const lines = [
    { end: 7, text: 'before' },
    { end: 7 + long + 1, text: `${kept} … (${long - longestLine} more bytes of this line are left out)` },
    { end: 7 + long + 7, text: 'after' },
  ];
  expect(await forwards(given)).toEqual(lines);
  expect(await backwards(given)).toEqual(lines);
  expect(given.seen.largest).toBeLessThanOrEqual(128 * 1024);
});

test.each(['', 'a', 'ab'])('a cut after "%s" and many € never leaves half a character', async (before) => {
  const given = await file(`${before}${'€'.repeat(50_000)}\n`);
  for (const [line] of [await forwards(given), await backwards(given)]) {
    expect(line?.text).not.toContain('\ufffd');
    expect(line?.text).toMatch(/^[ab]*€+ … \(\d+ more bytes of this line are left out\)$/);
  }
});

test('the end of 64 MiB is read without the rest', async () => {
  const line = `${'x'.repeat(99)}\n`;
  const given = await file(Buffer.alloc(64 * 1024 ** 2, line));
  const last: string[] = [];
  for await (const { text } of linesFromEnd(given.read, given.size - (given.size % line.length))) {
    last.push(text);
    if (last.length === 100) break;
  }
  expect(last).toEqual(Array.from({ length: 100 }, () => 'x'.repeat(99)));
  expect(given.seen.bytes).toBeLessThanOrEqual(128 * 1024);
});
