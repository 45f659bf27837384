/** The other side of a terminal: opens it as a program or a browser does, and keeps what came. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface TerminalClient {
  socket: WebSocket;
  /** Text frames, in order. */
  frames: Record<string, unknown>[];
  /** What came of standard output and error. */
  stdout(): Buffer;
  stderr(): Buffer;
  type(text: string | Buffer): void;
  tell(frame: object): void;
  /** Resolves when standard output contains it. */
  until(text: string): Promise<void>;
  /** The last frame and the close code. */
  ended: Promise<{ code: number; end: Record<string, unknown> | undefined }>;
}

export interface Refused {
  status: number;
  body: unknown;
}

const limitMs = 60_000;

export function terminalAddress(
  url: string,
  input: Readonly<Record<string, unknown>>,
  kind: 'exec' | 'forward' = 'exec',
): string {
  return `${url.replace(/^http/, 'ws')}/api/${kind}?input=${encodeURIComponent(JSON.stringify(input))}`;
}

/** Opens it, or gives what the handshake was refused with. */
export async function openTerminal(
  url: string,
  input: Readonly<Record<string, unknown>>,
  headers: Record<string, string>,
  kind: 'exec' | 'forward' = 'exec',
): Promise<TerminalClient | Refused> {
  const socket = new WebSocket(terminalAddress(url, input, kind), { headers });
  const client = listening(socket);
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(client));
    socket.once('error', reject);
    socket.once('unexpected-response', (request, response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => {
        request.destroy();
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
      });
    });
  });
}

/** The same where it must be let in. */
export async function opened(...given: Parameters<typeof openTerminal>): Promise<TerminalClient> {
  const client = await openTerminal(...given);
  if ('status' in client) throw new Error(`refused: ${JSON.stringify(client)}`);
  return client;
}

function listening(socket: WebSocket): TerminalClient {
  const frames: Record<string, unknown>[] = [];
  const output: Record<1 | 2, Buffer[]> = { 1: [], 2: [] };
  const waiting = new Set<() => void>();
  const ended = once(socket, 'close', { signal: AbortSignal.timeout(limitMs) }).then(([code]) => ({
    code: Number(code),
    end: frames.find(({ type }) => type === 'end'),
  }));
  // Whoever waits for it is told.
  ended.catch(() => undefined);
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) frames.push(JSON.parse(data.toString()));
    else output[data[0] === 2 ? 2 : 1].push(data.subarray(1));
    for (const look of waiting) look();
  });
  const stdout = (): Buffer => Buffer.concat(output[1]);
  return {
    socket,
    frames,
    stdout,
    stderr: () => Buffer.concat(output[2]),
    type: (text) => socket.send(Buffer.from(text)),
    tell: (frame) => socket.send(JSON.stringify(frame)),
    until: (text) =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(
          () => reject(new Error(`never said ${text}: ${stdout().toString()}`)),
          limitMs,
        );
        const look = (): void => {
          if (!stdout().includes(text)) return;
          clearTimeout(limit);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    ended,
  };
}
