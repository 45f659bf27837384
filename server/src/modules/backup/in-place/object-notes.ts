/**
 * Notes that an object carries: what its database needs besides the dump, such as roles. They stand in the
 * extra fields of empty gzip members before the dump (RFC 1952, 2.3.1.1), so that gunzip passes them by.
 */
import type { Bytes } from '../runs/unpack/bytes.ts';

const mark = Buffer.from('BE');
/** An extra field has 65,535 bytes at most, its own four included. */
const pieceBytes = 60_000;
const fixedBytes = 12;
/** An empty deflate block, then checksum and length of nothing. */
const empty = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/** The compressed bytes with the notes before them. */
export async function* withNotes(notes: string | undefined, compressed: Bytes): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(notes ?? '');
  for (let at = 0; at < bytes.length; at += pieceBytes) yield member(bytes.subarray(at, at + pieceBytes));
  yield* compressed;
}

function member(piece: Buffer): Buffer {
  const head = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 0, 0]);
  head.writeUInt16LE(piece.length + 4, 10);
  const field = Buffer.alloc(4);
  mark.copy(field);
  field.writeUInt16LE(piece.length, 2);
  return Buffer.concat([head, field, piece, empty]);
}

export interface Noted {
  /** Undefined for an object that has none. */
  notes: string | undefined;
  /** All its bytes, those of the notes included. */
  bytes: Bytes;
  /** Ends the source when nobody reads the bytes. */
  end(): Promise<void>;
}

export async function readNotes(source: Bytes): Promise<Noted> {
  const iterator = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  const have = async (length: number): Promise<boolean> => {
    while (head.length < length) {
      const next = await iterator.next();
      if (next.done) return false;
      head = Buffer.concat([head, next.value]);
    }
    return true;
  };
  const pieces: Buffer[] = [];
  let at = 0;
  while (await have(at + fixedBytes + 4)) {
    const isOurs =
      head.readUInt32BE(at) === 0x1f8b0804 &&
      head.subarray(at + fixedBytes, at + fixedBytes + 2).equals(mark);
    if (!isOurs) break;
    const length = head.readUInt16LE(at + fixedBytes + 2);
    const end = at + fixedBytes + 4 + length + empty.length;
    if (!(await have(end))) break;
    pieces.push(head.subarray(at + fixedBytes + 4, end - empty.length));
    at = end;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield head;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return {
    notes: pieces.length === 0 ? undefined : Buffer.concat(pieces).toString(),
    bytes: all(),
    end: async () => void (await iterator.return?.()),
  };
}
