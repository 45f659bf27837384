import { AppError } from '../errors.ts';

/**
 * All bytes of an answer that somebody else's machine gives; throws SERVICE_UNAVAILABLE above `limit`, and
 * ends the source then. `what` begins the sentence.
 */
export async function limitedBytes(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  what: string,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of source) {
    bytes += piece.length;
    if (bytes > limit)
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `${what} is larger than ${limit} bytes, the most that is read of it.`,
      );
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
