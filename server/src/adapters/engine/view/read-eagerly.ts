/**
 * What is read only as fast as it is taken, until its writer has ended. From then on an engine keeps what was
 * written for two seconds and drops the rest without a word (moby, daemon/monitor.go), so it is taken off it
 * at once: at most what fits between the two, a megabyte and a half.
 */

const keptBytes = 256 * 1024;

/** Gives the chunks in their order; `ended` is awaited beside them, and may fail. */
export async function* readEagerly(
  chunks: AsyncIterable<Buffer>,
  ended: Promise<unknown>,
): AsyncGenerator<Buffer> {
  const kept: Buffer[] = [];
  let bytes = 0;
  let hasEnded = false;
  let isOver = false;
  let arrived = Promise.withResolvers<void>();
  let taken = Promise.withResolvers<void>();
  const release = (): void => {
    hasEnded = true;
    taken.resolve();
  };
  // Whoever cannot tell the end knows of none: it is read on as fast as it is taken.
  void ended.then(release, () => undefined);

  const pumping = (async () => {
    try {
      for await (const chunk of chunks) {
        kept.push(chunk);
        bytes += chunk.length;
        arrived.resolve();
        while (bytes > keptBytes && !hasEnded) {
          await taken.promise;
          taken = Promise.withResolvers<void>();
        }
        if (isOver) return;
      }
    } finally {
      isOver = true;
      arrived.resolve();
    }
  })();
  // Told below, to whoever reads.
  pumping.catch(() => undefined);

  try {
    for (;;) {
      const chunk = kept.shift();
      if (chunk) {
        bytes -= chunk.length;
        taken.resolve();
        yield chunk;
      } else if (isOver) break;
      else {
        await arrived.promise;
        arrived = Promise.withResolvers<void>();
      }
    }
    await pumping;
  } finally {
    isOver = true;
    release();
  }
}
