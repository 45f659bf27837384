/**
 * A call of the engine that turns its connection into one of raw bytes both ways (engine API, "Attach to a
 * container", Hijacking).
 */
import { request as startRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EngineRequest } from './engine-request.ts';
import { engineError } from './engine-error.ts';
import { addressOf, EngineAnswerError, textOf, wordsOf } from './engine-http.ts';

const headLimitMs = 30_000;
const refusalLimit = 4096;

/** Ending the connection's own side tells the engine that no input follows; its output still comes. */
export function hijack(
  {
    socketPath,
    place,
    whySilent,
  }: { socketPath: string; place: string; whySilent?: (() => string | undefined) | undefined },
  request: EngineRequest,
): Promise<Duplex> {
  const { doing, signal } = request;
  const body = request.body === undefined ? '' : JSON.stringify(request.body);
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown): void =>
      reject(signal?.aborted ? signal.reason : engineError(doing, place, cause, whySilent?.()));
    const call = startRequest({
      ...addressOf(socketPath, request),
      method: request.method,
      headers: {
        host: 'engine',
        connection: 'Upgrade',
        upgrade: 'tcp',
        'content-length': Buffer.byteLength(body),
        ...(body === '' ? {} : { 'content-type': 'application/json' }),
      },
      timeout: headLimitMs,
    });
    const abort = (): void => void call.destroy();
    signal?.addEventListener('abort', abort, { once: true });
    call.once('timeout', abort);
    call.once('error', failed);
    call.once('upgrade', (_answer, socket, head) => {
      socket.setTimeout(0);
      signal?.removeEventListener('abort', abort);
      const cut = (): void => void socket.destroy();
      signal?.addEventListener('abort', cut, { once: true });
      socket.once('close', () => signal?.removeEventListener('abort', cut));
      // A connection that breaks off shows in what is read; without a listener it would end this process.
      socket.on('error', () => undefined);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    call.once('response', (answer) => {
      void textOf(answer, refusalLimit).then(
        (text) => failed(new EngineAnswerError(answer.statusCode ?? 0, wordsOf(text))),
        failed,
      );
    });
    call.end(body);
  });
}
