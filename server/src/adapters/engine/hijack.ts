/**
 * A call of the engine that turns its connection into one of raw bytes both ways (engine API, "Attach to a
 * container", Hijacking).
 */
import { request as startRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EngineRequest } from './engine-request.ts';
import { engineError } from './engine-error.ts';

const headLimitMs = 30_000;

/** Ending the connection's own side tells the engine that no input follows; its output still comes. */
export function hijack(
  { socketPath, place }: { socketPath: string; place: string },
  { method, path, query = {}, doing, signal }: EngineRequest,
): Promise<Duplex> {
  const words = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown): void =>
      reject(signal?.aborted ? signal.reason : engineError(doing, place, cause));
    const request = startRequest({
      socketPath,
      method,
      path: `${path}?${words.toString()}`,
      headers: { host: 'engine', connection: 'Upgrade', upgrade: 'tcp', 'content-length': '0' },
      timeout: headLimitMs,
    });
    const abort = (): void => void request.destroy();
    signal?.addEventListener('abort', abort, { once: true });
    request.once('timeout', abort);
    request.once('error', failed);
    request.once('upgrade', (_answer, socket, head) => {
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
    request.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text = (text + piece).slice(0, 4096);
      });
      answer.once('end', () => failed({ statusCode: answer.statusCode, json: { message: messageIn(text) } }));
    });
    request.end();
  });
}

function messageIn(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) return String(parsed.message);
  } catch {
    // No JSON: the text itself is the reason.
  }
  return text.trim();
}
