/** A tar archive (POSIX pax, ustar interchange format) of files, as a stream; written by hand, no links. */
import { closeSync, openSync, readSync } from 'node:fs';
import { UsageError } from '../usage-error.ts';
import type { SentFile } from './walk.ts';

const block = 512;
/** Of a header up to its version; the rest is zero. */
const writtenBytes = 265;
/** All files bear it, so that the same files make the same archive. */
const modified = 0;
const pieceBytes = 256 * 1024;

/** By calls that wait: of many small files each takes a third of the time. */
export function* tarOf(files: readonly SentFile[]): Generator<Uint8Array> {
  for (const file of files) {
    yield* headersOf(file);
    if (file.bytes === 0) continue;
    yield* contentOf(file);
    yield padding(file.bytes);
  }
  yield new Uint8Array(2 * block);
}

/** Cut at its stated length, since a file may grow while it is read. */
function* contentOf({ path, from, bytes }: SentFile): Generator<Uint8Array> {
  const file = openSync(from, 'r');
  try {
    for (let sent = 0; sent < bytes; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, bytes - sent));
      const read = readSync(file, piece);
      if (read === 0)
        throw new UsageError(
          `${path} became shorter while it was being read. Try again when nothing writes to it any more.`,
        );
      sent += read;
      yield piece.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}

function* headersOf({ path, bytes, isExecutable }: SentFile): Generator<Uint8Array> {
  const mode = isExecutable ? 0o755 : 0o644;
  const name = Buffer.from(path);
  if (name.length <= 100 && isPlain(path)) {
    yield header({ name, bytes, mode, type: '0' });
    return;
  }
  const record = paxRecord('path', path);
  yield header({ name: Buffer.from('PaxHeader'), bytes: record.length, mode: 0o644, type: 'x' });
  yield record;
  yield padding(record.length);
  yield header({ name: name.subarray(0, 100), bytes, mode, type: '0' });
}

function isPlain(path: string): boolean {
  return /^[\u0020-\u007E]+$/.test(path);
}

/** `<length> path=<value>\n`, the length counting itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let { length } = rest;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function header({
  name,
  bytes,
  mode,
  type,
}: {
  name: Uint8Array;
  bytes: number;
  mode: number;
  type: string;
}): Uint8Array {
  const head = Buffer.alloc(block);
  head.set(name.subarray(0, 100), 0);
  const octal = (value: number, at: number, length: number): number =>
    head.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(modified, 136, 12);
  head.write('        ', 148, 'latin1');
  head.write(type, 156, 'latin1');
  head.write('ustar\u000000', 257, 'latin1');
  let sum = 0;
  // A loop, and of the bytes that were written: of many files `reduce` takes a tenth of the time.
  for (let at = 0; at < writtenBytes; at += 1) sum += head[at] ?? 0;
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return head;
}

function padding(bytes: number): Uint8Array {
  return new Uint8Array((block - (bytes % block)) % block);
}
