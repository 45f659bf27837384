/** Parts of images of a builder's engine, as its socket gives them (images/recipes/builder/give.pl). */
import { connect } from 'node:net';
import { AppError } from '../../domain/errors.ts';

const longestHead = 32;

export interface ImagePart {
  size: number;
  /** Never more than `size`: what a builder sends beyond it fails. It may be less. */
  body: AsyncIterable<Uint8Array>;
}

/** SERVICE_UNAVAILABLE when the builder does not answer, PRECONDITION_FAILED when it lacks the part. */
export async function imagePart(
  socketPath: string,
  kind: 'config' | 'layer',
  digest: string,
  signal: AbortSignal,
): Promise<ImagePart> {
  // One that is aborted already would tell nobody any more.
  signal.throwIfAborted();
  const socket = connect({ path: socketPath });
  const stop = (): void => void socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', stop));
  socket.write(`${kind} ${digest.slice('sha256:'.length)}\n`);
  const chunks: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]();
  try {
    let head = Buffer.alloc(0);
    while (!head.includes('\n')) {
      const next = await chunks.next();
      if (next.done === true || head.length > longestHead) throw absentPart(kind, digest);
      head = Buffer.concat([head, next.value]);
    }
    const end = head.indexOf('\n');
    const said = head.subarray(0, end).toString('latin1');
    if (!/^\d{1,15}$/.test(said)) throw absentPart(kind, digest);
    const size = Number(said);
    return { size, body: atMost(size, rest(head.subarray(end + 1), chunks, stop)) };
  } catch (cause) {
    stop();
    signal.throwIfAborted();
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      'The builder does not answer, so the image that it built cannot be fetched; deploy again.',
      { cause },
    );
  }
}

/** In an archive, what goes beyond the size would stand there as further files. */
async function* atMost(size: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The builder sent more than the ${size} bytes that it announced; the image was not imported. ` +
          'Deploy again with a clean cache.',
      );
    yield chunk;
  }
}

async function* rest(
  first: Buffer,
  chunks: AsyncIterator<Buffer>,
  stop: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  } finally {
    stop();
  }
}

function absentPart(kind: string, digest: string): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `The builder does not have the ${kind} ${digest} of the image that it built; deploy again.`,
  );
}
