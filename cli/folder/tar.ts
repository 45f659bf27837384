/** A tar archive (POSIX pax, ustar interchange format) of files, as a stream; written by hand, no links. */
import { closeSync, openSync, readSync } from 'node:fs';
import { UsageError } from '../usage-error.ts';
import { wholeBytes } from './chunks.ts';
import type { SentFile } from './walk.ts';

const block = 512;
const pieceBytes = 256 * 1024;

/**
 * A small file comes as one piece, which its chunk keeps whole. By calls that wait: of many small files each
 * takes a third of the time.
 */
export function* tarOf(files: readonly SentFile[]): Generator<Uint8Array> {
  for (const file of files) {
    const heads = headersOf(file);
    const whole = heads.length + padded(file.bytes);
    if (whole <= wholeBytes) {
      const piece = Buffer.allocUnsafe(whole);
      piece.set(heads);
      if (file.bytes > 0) readInto(piece.subarray(heads.length, heads.length + file.bytes), file);
      piece.fill(0, heads.length + file.bytes);
      yield piece;
      continue;
    }
    yield heads;
    yield* contentOf(file);
    yield new Uint8Array(padded(file.bytes) - file.bytes);
  }
  yield new Uint8Array(2 * block);
}

function padded(bytes: number): number {
  return Math.ceil(bytes / block) * block;
}

function readInto(piece: Uint8Array, sent: SentFile): void {
  const file = openSync(sent.from, 'r');
  try {
    readWhole(file, piece, sent);
  } finally {
    closeSync(file);
  }
}

/** Cut at its stated length, since a file may grow while it is read. */
function* contentOf(sent: SentFile): Generator<Uint8Array> {
  const file = openSync(sent.from, 'r');
  try {
    for (let at = 0; at < sent.bytes; at += pieceBytes) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, sent.bytes - at));
      readWhole(file, piece, sent);
      yield piece;
    }
  } finally {
    closeSync(file);
  }
}

function readWhole(file: number, piece: Uint8Array, { path }: SentFile): void {
  for (let at = 0; at < piece.length; ) {
    const read = readSync(file, piece, at, piece.length - at, null);
    if (read === 0)
      throw new UsageError(
        `${path} became shorter while it was being read. Try again when nothing writes to it any more.`,
      );
    at += read;
  }
}

function headersOf({ path, bytes, isExecutable }: SentFile): Uint8Array {
  const mode = isExecutable ? 0o755 : 0o644;
  const name = Buffer.from(path);
  if (name.length <= nameBytes && isPlain(path)) return header({ name, bytes, mode, type: '0' });
  const record = paxRecord('path', path);
  // A name of its own as well: by it the chunks of small files are cut.
  const own = Buffer.concat([Buffer.from('PaxHeader/'), name.subarray(-nameBytes + 10)]);
  return Buffer.concat([
    header({ name: own, bytes: record.length, mode: 0o644, type: 'x' }),
    record,
    new Uint8Array(padded(record.length) - record.length),
    header({ name, bytes, mode, type: '0' }),
  ]);
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

const nameBytes = 100;
/** What all headers share: no owner, and the same time, so that the same files make the same archive. */
const plainHeader = Buffer.alloc(block);
for (const [text, at] of [
  ['0000644\0', 100],
  ['0000000\0', 108],
  ['0000000\0', 116],
  ['00000000000\0', 124],
  ['00000000000\0', 136],
  ['        ', 148],
  ['0', 156],
  ['ustar\u000000', 257],
] as const)
  plainHeader.write(text, at, 'latin1');
/** Behind the checksum's field stands nothing that differs but the type. */
const afterChecksum = 157;
const plainRest = sumOf(plainHeader, afterChecksum, block);

interface Head {
  /** Cut where it is too long. */
  name: Uint8Array;
  bytes: number;
  mode: number;
  type: string;
}

function header({ name, bytes, mode, type }: Head): Uint8Array {
  const head = Buffer.from(plainHeader);
  head.set(name.subarray(0, nameBytes));
  writeOctal(head, mode, 100, 7);
  writeOctal(head, bytes, 124, 11);
  head[156] = type.charCodeAt(0);
  writeOctal(head, sumOf(head, 0, afterChecksum) + plainRest, 148, 6);
  head[154] = 0;
  return head;
}

/** Digit by digit, and a sum by a loop: of many files, strings and `reduce` take a tenth of the time. */
function writeOctal(head: Uint8Array, value: number, at: number, digits: number): void {
  let rest = value;
  for (let place = at + digits - 1; place >= at; place -= 1) {
    head[place] = 48 + (rest % 8);
    rest = Math.floor(rest / 8);
  }
}

function sumOf(head: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += head[at] ?? 0;
  return sum;
}
