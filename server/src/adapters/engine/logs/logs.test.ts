import { expect, test } from 'vitest';
import type { LogLine } from '../../../ports/engine/engine.ts';
import { readLog } from './log-frames.ts';
import { createLineAssembler, longestLine } from './log-lines.ts';

const at = '2026-11-20T11:17:03.404111743Z';

function frame(type: number, body: Buffer | string): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt8(type, 0);
  head.writeUInt32BE(Buffer.byteLength(body), 4);
  return Buffer.concat([head, Buffer.from(body)]);
}

function message(task: string, text: Buffer | string): Buffer {
  const ids: Record<string, string> = { node: 'n1', service: 's1', task };
  const details = Object.entries(ids)
    .map(([name, id]) => `com.docker.swarm.${name}.id=${id}`)
    .join();
  return Buffer.concat([Buffer.from(`${at} ${details} `), Buffer.from(text)]);
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function lines(bytes: Buffer, size = bytes.length): Promise<LogLine[]> {
  const assembler = createLineAssembler();
  const all: LogLine[] = [];
  for await (const each of readLog(inPieces(bytes, size), longestLine)) all.push(...assembler.push(each));
  return [...all, ...assembler.flush()];
}

test('frames cut anywhere give the same lines', async () => {
  const stream = Buffer.concat([
    frame(1, message('t1', 'hello world\n')),
    frame(2, message('t2', 'grüße\r\n')),
    frame(1, message('t1', '\n')),
    frame(1, message('t1', 'no end')),
  ]);
  const expected = [
    { at, stream: 'stdout', taskId: 't1', nodeId: 'n1', text: 'hello world' },
    { at, stream: 'stderr', taskId: 't2', nodeId: 'n1', text: 'grüße' },
    { at, stream: 'stdout', taskId: 't1', nodeId: 'n1', text: '' },
    { at, stream: 'stdout', taskId: 't1', nodeId: 'n1', text: 'no end' },
  ];
  for (const size of [1, 2, 7, 8, 9, 64, stream.length]) expect(await lines(stream, size)).toEqual(expected);
});

test('a long line that the engine cut is one line again, other tasks between its pieces or not', async () => {
  const stream = Buffer.concat([
    frame(1, message('t1', 'a'.repeat(16_384))),
    frame(1, message('t2', 'other\n')),
    frame(2, message('t1', 'error\n')),
    frame(1, message('t1', 'end\n')),
  ]);
  expect((await lines(stream)).map((line) => [line.taskId, line.stream, line.text.length])).toEqual([
    ['t2', 'stdout', 5],
    ['t1', 'stderr', 5],
    ['t1', 'stdout', 16_387],
  ]);
});

test('a character cut between two frames is whole', async () => {
  const euro = Buffer.from('€\n');
  expect(
    (
      await lines(
        Buffer.concat([
          frame(1, message('t', euro.subarray(0, 1))),
          frame(1, message('t', euro.subarray(1))),
        ]),
      )
    ).map((line) => line.text),
  ).toEqual(['€']);
});

test('invalid UTF-8 is shown as such', async () => {
  expect(
    (await lines(frame(1, message('t', Buffer.from([0x61, 0xff, 0x0a]))))).map((line) => line.text),
  ).toEqual(['a\ufffd']);
});

test('a line is kept up to a limit, says how much more it had, and ends where it ends', async () => {
  const piece = frame(1, message('t', 'x'.repeat(16_384)));
  const end = frame(1, message('t', 'end\n'));
  const next = frame(1, message('t', 'next\n'));
  const note = ` … (${5 * 16_384 + 3} more bytes of this line are left out)`;
  const nine = Array.from({ length: 9 }, () => piece);
  expect((await lines(Buffer.concat([...nine, end, next]))).map(({ text }) => text)).toEqual([
    'x'.repeat(longestLine) + note,
    'next',
  ]);
  const [unfinished] = await lines(Buffer.concat(nine));
  expect(unfinished?.text.slice(longestLine)).toBe(' … (81920 more bytes of this line are left out)');
});

test('the engine speaking about the log is a line without a task', async () => {
  expect(await lines(frame(3, 'warning: incomplete log stream\n'))).toEqual([
    { at: '', stream: 'stderr', taskId: '', nodeId: '', text: 'warning: incomplete log stream' },
  ]);
});

test('a stream in another format is refused', async () => {
  await expect(lines(Buffer.from('plain text of a terminal\n'))).rejects.toThrow('is not one');
});

test('what a terminal wrote has no frames, cut anywhere', async () => {
  const stream = Buffer.concat([
    message('t1', 'hello world\r\n'),
    message('t2', 'grüße\n'),
    message('t1', 'open'),
  ]);
  for (const size of [1, 3, 7, stream.length])
    expect(await lines(stream, size)).toEqual([
      { at, stream: 'stdout', taskId: 't1', nodeId: 'n1', text: 'hello world' },
      { at, stream: 'stdout', taskId: 't2', nodeId: 'n1', text: 'grüße' },
      { at, stream: 'stdout', taskId: 't1', nodeId: 'n1', text: 'open' },
    ]);
  expect(await lines(Buffer.alloc(0), 1)).toEqual([]);
});

test('of a terminal that never ends its line no more is held than is shown', async () => {
  const [only, ...others] = await lines(message('t1', Buffer.alloc(5 * longestLine, 'x')), 10_000);
  expect(others).toEqual([]);
  expect(only?.text.slice(0, 10)).toBe('xxxxxxxxxx');
  expect(only?.text.length).toBeLessThan(3 * longestLine);
});
