import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../ports/clock.ts';
import type { DeploymentLogs, LoggedLine } from '../../ports/deployment-log.ts';
import { createFileLogs } from './file-log.ts';

const root = mkdtempSync(join(tmpdir(), 'berth-logs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const MiB = 1024 ** 2;
let folder = '';
let logs: DeploymentLogs;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'one-'));
  logs = createFileLogs(folder, systemClock, async () => ({ logBytes: MiB, answerBytes: MiB / 4 }));
});

const plain = (text: string): string => text;
/** Without its time. */
const said = ({ text }: LoggedLine): string => text.replace(/^\d{4}-\d\d-\d\dT\S+Z /, '');

async function write(lines: Iterable<string>, id = 'd1'): Promise<void> {
  const writer = logs.writer(id, plain);
  for (const line of lines) writer.line(line);
  await writer.close();
}

async function whole(id = 'd1', from = 0): Promise<LoggedLine[]> {
  return Array.fromAsync(
    logs.follow(id, { from, signal: new AbortController().signal, isFinished: async () => true }),
  );
}

function bytesOnDisk(): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

const numbered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `line ${from + index} ${'x'.repeat(60)}`);

describe('a log', () => {
  test('gives its lines in order, from the end, and from each position on', async () => {
    await write(['one', 'two\r\nthree', '', 'größe €']);
    const all = await whole();
    expect(all.map(said)).toEqual(['one', 'two', 'three', '', 'größe €']);
    expect(await logs.readEnd('d1')).toEqual(all);
    expect(await logs.readEnd('d1', { tail: 2 })).toEqual(all.slice(-2));
    for (const [index, { position }] of all.entries())
      expect(await whole('d1', position)).toEqual(all.slice(index + 1));
  });

  test('that nobody wrote has no lines; one that was removed has none either', async () => {
    expect(await logs.readEnd('d1', { tail: 1 })).toEqual([]);
    expect(await whole()).toEqual([]);
    await write(numbered(30_000));
    await logs.remove('d1');
    expect(readdirSync(folder)).toEqual([]);
    expect(await logs.readEnd('d1')).toEqual([]);
  });

  test('is never read before its beginning, nor within a byte, whatever position is asked for', async () => {
    await write(['one']);
    for (const from of [-5, 0.5]) expect((await whole('d1', from)).map(said)).toEqual(['one']);
    expect(await whole('d1', Number.POSITIVE_INFINITY)).toEqual([]);
  });

  test('is written by whoever opens it again, also after a close with nothing to write', async () => {
    const writer = logs.writer('d1', plain);
    await writer.close();
    writer.line('one');
    await writer.close();
    await writer.close();
    expect((await whole()).map(said)).toEqual(['one']);
  });

  test('hides a secret that a cut would have halved', async () => {
    const writer = logs.writer('d1', (text) => text.replaceAll('s3cret', '••••'));
    writer.line(`${'x'.repeat(64 * 1024 - 1024 - 3)}s3cret${'y'.repeat(5000)}`);
    await writer.close();
    const [line] = await whole();
    expect(line?.text).not.toContain('s3c');
    expect(line?.text).toMatch(/more bytes of this line are left out\)$/);
  });

  test('goes on with a line of its own after a crash that left half of one', async () => {
    await write(['one']);
    appendFileSync(join(folder, 'd1.log'), 'half');
    await write(['two']);
    expect((await whole()).map(said)).toEqual(['one', 'half', 'two']);
  });

  test('says what it could not write, where it is missing', async () => {
    await write(['one']);
    await rm(join(folder, 'd1.log'));
    await mkdir(join(folder, 'd1.log'));
    const writer = logs.writer('d1', plain);
    for (const line of ['two', 'three']) writer.line(line);
    await writer.close();
    await rm(join(folder, 'd1.log'), { recursive: true });
    writer.line('four');
    await writer.close();
    expect((await whole()).map(said)).toEqual([
      expect.stringMatching(/^\[2 lines are missing here: EISDIR/),
      'four',
    ]);
  });

  test('says when lines came faster than the disk takes them', async () => {
    const writer = logs.writer('d1', plain);
    for (let index = 0; index < 2000; index += 1) writer.line('y'.repeat(60_000));
    await writer.close();
    writer.line('end');
    await writer.close();
    const texts = (await logs.readEnd('d1', { tail: 2 })).map((line) => said(line).slice(0, 100));
    expect(texts).toEqual([
      expect.stringMatching(/^\[1,7\d\d lines are missing here: they arrived faster than the disk/),
      'end',
    ]);
  });
});

describe('a log by position', () => {
  const before = (position?: number): Promise<LoggedLine[]> =>
    Array.fromAsync(logs.lines('d1', { before: position }));
  const from = (position: number): Promise<LoggedLine[]> =>
    Array.fromAsync(logs.lines('d1', { from: position }));

  test('gives what stands after each line, and what stands before it, newest first', async () => {
    await write(['one', '', 'größe €', 'four']);
    const all = await whole();
    expect(await before()).toEqual(all.toReversed());
    expect(await before(0)).toEqual([]);
    expect(await before(Number.MAX_SAFE_INTEGER)).toEqual(all.toReversed());
    for (const [index, { position }] of all.entries()) {
      expect(await before(position)).toEqual(all.slice(0, index).toReversed());
      expect(await from(position)).toEqual(all.slice(index + 1));
    }
  });

  test('goes either way over what is left out, told once', async () => {
    const lines = numbered(30_000);
    for (let at = 0; at < lines.length; at += 5000) await write(lines.slice(at, at + 5000));
    const all = await whole();
    const gap = all.findIndex((line) => said(line).startsWith('['));
    expect(gap).toBeGreaterThan(0);
    expect(await before()).toEqual(all.toReversed());
    for (const index of [gap - 1, gap, gap + 1, all.length - 1]) {
      const position = all[index]?.position ?? 0;
      expect(await before(position)).toEqual(all.slice(0, index).toReversed());
      expect(await from(position)).toEqual(all.slice(index + 1));
    }
  });
});

describe('a log at its limit', () => {
  test('keeps its beginning and its end, and says between them how much is left out', async () => {
    const lines = numbered(60_000);
    for (let at = 0; at < lines.length; at += 5000) await write(lines.slice(at, at + 5000));
    expect(bytesOnDisk()).toBeLessThanOrEqual(MiB);
    expect(bytesOnDisk()).toBeGreaterThan(0.8 * MiB);

    const texts = (await whole()).map(said);
    const gap = texts.findIndex((text) => text.startsWith('['));
    expect(texts.slice(0, gap)).toEqual(lines.slice(0, gap));
    expect(texts.slice(gap + 1)).toEqual(lines.slice(-(texts.length - gap - 1)));
    const written = (await whole()).at(-1)?.position ?? 0;
    const leftOut = Number(/^\[([\d,]+) bytes are left out/.exec(texts[gap] ?? '')?.[1]?.replaceAll(',', ''));
    expect(leftOut + bytesOnDisk()).toBe(written);
    expect(texts[gap]).toContain('setting logLimit');
  });

  test('is resumed where a reader was, or after what was left out meanwhile', async () => {
    const lines = numbered(60_000);
    await write(lines.slice(0, 10_000));
    const middle = (await whole()).at(-1);
    await write(lines.slice(10_000, 10_100));
    expect((await whole('d1', middle?.position)).map(said)).toEqual(lines.slice(10_000, 10_100));
    await write(lines.slice(10_100));
    const [first, ...rest] = (await whole('d1', middle?.position)).map(said);
    expect(first).toContain('bytes are left out here');
    expect(rest).toEqual(lines.slice(-rest.length));
  });

  test('is followed without a gap by a reader that keeps up', async () => {
    const lines = numbered(30_000);
    let isFinished = false;
    const seen: string[] = [];
    const reading = (async () => {
      for await (const line of logs.follow('d1', {
        from: 0,
        signal: AbortSignal.timeout(20_000),
        isFinished: async () => isFinished,
      }))
        seen.push(said(line));
    })();
    const writer = logs.writer('d1', plain);
    for (const [index, line] of lines.entries()) {
      writer.line(line);
      // Each piece is read before the next one is written.
      while (index % 500 === 0 && seen.length < index) await new Promise(setImmediate);
    }
    await writer.close();
    isFinished = true;
    await reading;
    expect(seen).toEqual(lines);
  });

  test('shows in one answer what fits, the newest, and says so', async () => {
    await write(numbered(9000));
    const [first, ...rest] = (await logs.readEnd('d1')).map(said);
    expect(first).toContain('at most 262,144 bytes of a log (setting logAnswerLimit)');
    expect(rest).toEqual(numbered(9000).slice(-rest.length));
    expect(rest.length).toBeGreaterThan(2000);
    expect(await logs.readEnd('d1', { tail: 100 })).toHaveLength(100);
  });

  test('that is older than the limit is read as it is, and kept within it from then on', async () => {
    writeFileSync(join(folder, 'd1.log'), `${numbered(40_000).join('\n')}\n`);
    await write(numbered(20_000, 40_000));
    expect((await logs.readEnd('d1', { tail: 1 })).map(said)).toEqual(numbered(1, 59_999));
    expect(statSync(join(folder, 'd1.log')).size + MiB / 2).toBeGreaterThanOrEqual(bytesOnDisk());
  });
});
