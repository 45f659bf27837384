export interface Beginning {
  head: Buffer;
  /** All the bytes, those of the head included. */
  whole: AsyncGenerator<Uint8Array>;
  /** Ends the source when nobody reads it to its end. */
  end(): Promise<void>;
}

/** Reads until enough is known, or the source is over. */
export async function beginningOf(
  source: AsyncIterable<Uint8Array>,
  isEnough: (head: Buffer) => boolean,
): Promise<Beginning> {
  const iterator = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (!isEnough(head)) {
    const next = await iterator.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const end = async (): Promise<void> => void (await iterator.return?.());
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await end();
    }
  }
  return { head, whole: whole(), end };
}
