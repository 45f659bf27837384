/**
 * A WebSocket of Berth: a program in a container, or a connection to a port of one (docs/guide/terminal.md).
 */
import { credentials, inputParameter, type Connection } from '../../client/call.ts';
import type { WebSocket } from 'ws';
import { refusalOf } from '../../client/refusal.ts';
import { BerthError } from '../../client/berth-error.ts';

export interface SocketEnd {
  reason: string;
  message: string;
  /** Of the program; absent when nobody knows it. */
  exitCode?: number | undefined;
}

/** Takes a piece of output; no further one comes before it has resolved. */
export type TakeOutput = (bytes: Uint8Array, from: 'output' | 'errors') => Promise<void>;

export interface BerthSocket {
  /** Resolves when it has left this process. */
  send(bytes: Uint8Array): Promise<void>;
  /** A control frame. */
  tell(frame: object): void;
  close(): void;
  /** Once everything was taken. */
  ended: Promise<SocketEnd>;
}

export interface SocketOptions {
  path: 'exec' | 'forward';
  input: unknown;
  take: TakeOutput;
  signal: AbortSignal;
}

const errorsMark = 2;
const gone: SocketEnd = { reason: 'away', message: 'The connection to Berth ended.' };

/** Throws BerthError when it is refused, or nobody answers. */
export async function openSocket(
  connection: Connection,
  { path, input, take, signal }: SocketOptions,
): Promise<BerthSocket> {
  signal.throwIfAborted();
  // Loaded by what talks with a container alone.
  const { WebSocket: Client } = await import('ws');
  const address = connection.url.replace(/\/+$/, '').replace(/^http/, 'ws');
  const socket = new Client(`${address}/api/${path}${inputParameter(input)}`, {
    headers: credentials(connection),
  });
  let end: SocketEnd | undefined;
  let taken = Promise.resolve();
  const ended = new Promise<SocketEnd>((resolve, reject) => {
    socket.on('close', () => void taken.then(() => resolve(end ?? gone), reject));
  });
  // Whoever waits for it is told.
  ended.catch(() => undefined);
  socket.on('error', () => undefined);
  socket.on('message', (data, isBinary) => {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(Object(data));
    if (!isBinary) {
      end = endOf(bytes.toString()) ?? end;
      return;
    }
    socket.pause();
    taken = taken
      .then(() => take(bytes.subarray(1), bytes[0] === errorsMark ? 'errors' : 'output'))
      .finally(() => socket.resume());
    taken.catch(() => socket.terminate());
  });
  await hasOpened(socket, connection, signal);
  return {
    ended,
    send: (bytes) => new Promise((resolve) => socket.send(bytes, { binary: true }, () => resolve())),
    tell(frame) {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
    },
    close: () => socket.close(1000),
  };
}

/** Throws what the handshake was refused with. */
async function hasOpened(socket: WebSocket, connection: Connection, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onStop = (): void => {
      reject(signal.reason);
      socket.terminate();
    };
    signal.addEventListener('abort', onStop, { once: true });
    socket.once('open', () => {
      signal.removeEventListener('abort', onStop);
      resolve();
    });
    socket.once('unexpected-response', (request, response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('close', () => {
        request.destroy();
        reject(refusalOf(response.statusCode ?? 0, jsonOf(text)));
      });
    });
    socket.once('error', (cause) =>
      reject(
        new BerthError(
          'UNREACHABLE',
          `Berth at ${connection.url} cannot be reached. Check the address and that it runs.`,
          { cause },
        ),
      ),
    );
  });
}

function endOf(text: string): SocketEnd | undefined {
  const frame: unknown = jsonOf(text);
  if (typeof frame !== 'object' || frame === null || Reflect.get(frame, 'type') !== 'end') return undefined;
  const [reason, message, exitCode]: unknown[] = ['reason', 'message', 'exitCode'].map((name) =>
    Reflect.get(frame, name),
  );
  return {
    reason: String(reason),
    message: String(message),
    exitCode: typeof exitCode === 'number' ? exitCode : undefined,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
