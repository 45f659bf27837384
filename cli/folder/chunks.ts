/**
 * Cuts a stream where its content says (a gear hash, as FastCDC has it), so that a change moves the cuts near
 * it and no others.
 */
import { chunkBytes } from '../../server/src/domain/chunked-archive.ts';

/** A cut where these bits of the hash are zero: every 8 KiB on average, beyond the least. */
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
  let held = Buffer.allocUnsafe(chunkBytes.most);
  let length = 0;
  let hash = 0;
  for (const piece of pieces) {
    let from = 0;
    while (from < piece.length) {
      const cut = cutIn(piece, from, { length, hash });
      held.set(piece.subarray(from, cut.end), length);
      length += cut.end - from;
      from = cut.end;
      hash = cut.hash;
      if (!cut.isCut) continue;
      yield held.subarray(0, length);
      held = Buffer.allocUnsafe(chunkBytes.most);
      [length, hash] = [0, 0];
    }
  }
  if (length > 0) yield held.subarray(0, length);
}

/** How far the chunk goes on in this piece, and whether it ends there. */
function cutIn(
  piece: Uint8Array,
  from: number,
  held: { length: number; hash: number },
): { end: number; hash: number; isCut: boolean } {
  const most = Math.min(piece.length, from + chunkBytes.most - held.length);
  let hash = held.hash;
  // Nothing is cut before the least length, and what lies 32 bytes back no longer counts.
  let at = Math.min(most, Math.max(from, from + chunkBytes.least - held.length));
  for (; at < most; at += 1) {
    hash = ((hash << 1) + (gear[piece[at] ?? 0] ?? 0)) | 0;
    if ((hash & cutMask) === 0) return { end: at + 1, hash, isCut: true };
  }
  return { end: at, hash, isCut: held.length + at - from === chunkBytes.most };
}
