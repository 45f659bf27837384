/**
 * Cuts a stream of pieces where their content says, so that a change moves the cuts near it and no others.
 * Pieces that fit into a chunk stay whole, which spares looking at each of their bytes; larger ones are cut
 * by a gear hash, as FastCDC has it.
 */
import { chunkBytes } from '../../server/src/domain/chunked-archive.ts';

/** Pieces of at most so many bytes stay whole: one always fits behind a chunk that is too small to end. */
export const wholeBytes = chunkBytes.most - chunkBytes.least;

/** A chunk may end behind a whole piece where these bits of its beginning are zero: behind every eighth. */
const endMask = 0xe000_0000 | 0;
/** Bytes of that beginning: of a file in a tar archive, its name. */
const nameBytes = 100;

/** A larger piece is cut where these bits of the hash are zero: every 8 KiB on average, beyond the least. */
const cutMask = 0xfff8_0000 | 0;

/** A number for each byte, the same everywhere: xorshift32 from a fixed beginning. */
const gear = Int32Array.from({ length: 256 }, gearNumbers(0x9e37_79b9));

function gearNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  };
}

/** Chunks of at least `chunkBytes.least` bytes but the last, and at most `chunkBytes.most`. */
export function* chunksOf(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  const held = new HeldBytes();
  for (const piece of pieces) {
    if (piece.length > wholeBytes) yield* cutOf(piece, held);
    else {
      if (held.length + piece.length > chunkBytes.most) yield held.take();
      held.add(piece);
      if (held.length >= chunkBytes.least && mayEndBehind(piece)) yield held.take();
    }
  }
  if (held.length > 0) yield held.take();
}

/** What of the chunk that comes next is known. */
class HeldBytes {
  length = 0;
  /** Of the bytes of a large piece. */
  hash = 0;
  private bytes = Buffer.allocUnsafe(chunkBytes.most);

  add(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  take(): Uint8Array {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.allocUnsafe(chunkBytes.most);
    [this.length, this.hash] = [0, 0];
    return taken;
  }
}

/** FNV-1a of the beginning. */
function mayEndBehind(piece: Uint8Array): boolean {
  let hash = 0x811c_9dc5 | 0;
  const end = Math.min(nameBytes, piece.length);
  for (let at = 0; at < end; at += 1) hash = Math.imul(hash ^ (piece[at] ?? 0), 0x0100_0193);
  return (hash & endMask) === 0;
}

function* cutOf(piece: Uint8Array, held: HeldBytes): Generator<Uint8Array> {
  let from = 0;
  while (from < piece.length) {
    const cut = cutIn(piece, from, held);
    held.add(piece.subarray(from, cut.end));
    held.hash = cut.hash;
    from = cut.end;
    if (cut.isCut) yield held.take();
  }
}

/** How far the chunk goes on in this piece, and whether it ends there. */
function cutIn(
  piece: Uint8Array,
  from: number,
  held: HeldBytes,
): { end: number; hash: number; isCut: boolean } {
  const most = Math.min(piece.length, from + chunkBytes.most - held.length);
  let { hash } = held;
  // Nothing is cut before the least length, and what lies 32 bytes back no longer counts.
  let at = Math.min(most, Math.max(from, from + chunkBytes.least - held.length));
  for (; at < most; at += 1) {
    hash = ((hash << 1) + (gear[piece[at] ?? 0] ?? 0)) | 0;
    if ((hash & cutMask) === 0) return { end: at + 1, hash, isCut: true };
  }
  return { end: at, hash, isCut: held.length + at - from === chunkBytes.most };
}
