/** Reads a stream in pieces of a wanted size; holds one chunk of it at a time. */
export interface ByteReader {
  /** Exactly that many bytes (keep it small), or undefined at the very end of the stream. */
  take(length: number): Promise<Buffer | undefined>;
  /**
   * That many bytes in whatever chunks they come; what the reader does not consume is skipped by `finish`.
   */
  body(length: number): { chunks: AsyncIterable<Uint8Array>; finish(): Promise<void> };
}

/** `onCutOff` makes the error for a stream that ends too early. */
export function createByteReader(stream: AsyncIterable<Uint8Array>, onCutOff: () => Error): ByteReader {
  const iterator = stream[Symbol.asyncIterator]();
  let chunk: Uint8Array = new Uint8Array(0);

  const more = async (): Promise<boolean> => {
    while (chunk.length === 0) {
      const next = await iterator.next();
      if (next.done === true) return false;
      chunk = next.value;
    }
    return true;
  };

  const some = async (limit: number): Promise<Uint8Array> => {
    if (!(await more())) throw onCutOff();
    const piece = chunk.subarray(0, limit);
    chunk = chunk.subarray(piece.length);
    return piece;
  };

  return {
    take: async (length) => {
      if (!(await more())) return undefined;
      const pieces: Uint8Array[] = [];
      for (let rest = length; rest > 0; ) {
        const piece = await some(rest);
        pieces.push(piece);
        rest -= piece.length;
      }
      return Buffer.concat(pieces);
    },
    body: (length) => {
      let rest = length;
      const next = async () => {
        const piece = await some(rest);
        rest -= piece.length;
        return piece;
      };
      const chunks = async function* () {
        while (rest > 0) yield await next();
      };
      const finish = async () => {
        while (rest > 0) await next();
      };
      return { chunks: chunks(), finish };
    },
  };
}
