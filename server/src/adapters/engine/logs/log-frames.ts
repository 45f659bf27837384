/**
 * The engine's log stream (engine API, "Attach to a container", stream format): frames of an 8-byte head and
 * a message, cut anywhere by the transport.
 */

/** Kinds of a frame; 3 is the engine speaking about the log itself. */
export type FrameKind = 'stdout' | 'stderr' | 'engine';

export interface Frame {
  kind: FrameKind;
  body: Buffer;
}

const headLength = 8;
const newline = 0x0a;

/**
 * A message is at most 16 KiB of a container's output plus its details; anything far above is not this
 * format.
 */
const longestFrame = 8 * 1024 * 1024;

/** Reads frames from chunks; throws when the stream is not in the frame format. */
export async function* readFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (;;) {
      const length = bodyLength(rest, start);
      if (length === undefined || rest.length < start + headLength + length) break;
      yield {
        kind: kindOf(rest.readUInt8(start)),
        body: rest.subarray(start + headLength, start + headLength + length),
      };
      start += headLength + length;
    }
    rest = rest.subarray(start);
  }
}

function bodyLength(buffer: Buffer, start: number): number | undefined {
  if (buffer.length < start + headLength) return undefined;
  const length = buffer.readUInt32BE(start + 4);
  if (length > longestFrame) throw new Error(`a log frame of ${length} bytes is not one`);
  return length;
}

function kindOf(type: number): FrameKind {
  if (type === 2) return 'stderr';
  return type === 3 ? 'engine' : 'stdout';
}

/**
 * A log with times. What a terminal wrote comes without frames, line by line (same place), and engines before
 * 23.0 do not say in which of the two they answer. A line begins with a digit of its time, no frame does.
 */
export async function* readLog(chunks: AsyncIterable<Buffer>, longestLine: number): AsyncGenerator<Frame> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    if (first.done === true) return;
    const { value } = first;
    async function* whole(): AsyncGenerator<Buffer> {
      yield value;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        yield next.value;
    }
    const beginsWithTime = /^\d/.test(value.subarray(0, 1).toString('latin1'));
    yield* beginsWithTime ? readLines(whole(), longestLine) : readFrames(whole());
  } finally {
    await iterator.return?.();
  }
}

async function* readLines(chunks: AsyncIterable<Buffer>, longestLine: number): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      yield { kind: 'stdout', body: rest.subarray(0, end + 1) };
      rest = rest.subarray(end + 1);
    }
    // A line that does not end is held as far as it is shown.
    if (rest.length > 2 * longestLine) rest = Buffer.from(rest.subarray(0, longestLine + 1));
  }
  if (rest.length > 0) yield { kind: 'stdout', body: rest };
}
