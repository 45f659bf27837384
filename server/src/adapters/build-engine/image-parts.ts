/** Parts of images of a builder's engine, as its socket gives them (images/recipes/builder/give.pl). */
import { connect } from 'node:net';
import { AppError } from '../../domain/errors.ts';

const longestHead = 32;

export interface ImagePart {
  size: number;
  body: AsyncIterable<Uint8Array>;
}

/** SERVICE_UNAVAILABLE when the builder does not answer, PRECONDITION_FAILED when it lacks the part. */
export async function imagePart(
  socketPath: string,
  kind: 'config' | 'layer',
  digest: string,
  signal: AbortSignal,
): Promise<ImagePart> {
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
    const size = Number(head.subarray(0, end).toString('latin1'));
    if (!Number.isSafeInteger(size)) throw absentPart(kind, digest);
    return { size, body: rest(head.subarray(end + 1), chunks, stop) };
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
