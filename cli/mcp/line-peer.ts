/**
 * One end of a JSON-RPC 2.0 connection with a message a line, as the Model Context Protocol has it over
 * standard input and output (modelcontextprotocol.io, "Transports", "stdio").
 */
import type { Readable, Writable } from 'node:stream';

export type Params = Readonly<Record<string, unknown>>;

/** Answers one method; the signal aborts when the other end takes its request back, or ends. */
export type Handler = (params: Params, signal: AbortSignal) => unknown;

export interface LinePeer {
  /** Rejects when the other end refuses or ends. */
  request(method: string, params: object): Promise<unknown>;
  /** Resolves when the other end closes, or at the signal of `openPeer`. */
  readonly ended: Promise<void>;
}

export interface PeerOptions {
  stdin: Readable;
  stdout: Writable;
  handlers: Readonly<Record<string, Handler>>;
  signal: AbortSignal;
}

/** Codes of JSON-RPC 2.0. */
const faults = { parse: -32_700, method: -32_601, params: -32_602, internal: -32_603 } as const;

/** Thrown by a handler for parameters that name nothing. */
export class ParamsFault extends Error {}

interface Waiting {
  resolve(result: unknown): void;
  reject(reason: Error): void;
}

export function openPeer({ stdin, stdout, handlers, signal }: PeerOptions): LinePeer {
  const running = new Map<unknown, AbortController>();
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const send = (message: object): void =>
    void stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

  async function answer(id: unknown, method: string, params: Params): Promise<void> {
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    if (!handler) return send(faultOf(id, faults.method, `There is no method ${method}.`));
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const result = await handler(params, controller.signal);
      if (!controller.signal.aborted) send({ id, result });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const code = error instanceof ParamsFault ? faults.params : faults.internal;
      if (!controller.signal.aborted) send(faultOf(id, code, text));
    } finally {
      running.delete(id);
    }
  }

  function take(line: string): void {
    const message = parsed(line);
    if (message === undefined) return send(faultOf(null, faults.parse, 'That is not a line of JSON.'));
    const { id, method, params, result, error } = message;
    if (typeof method === 'string') {
      const given = Object(params);
      if (method === 'notifications/cancelled') running.get(given.requestId)?.abort();
      else if (id !== undefined) void answer(id, method, given);
    } else if (typeof id === 'number') settle(waiting, id, result, error);
  }

  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      for (const controller of running.values()) controller.abort();
      for (const { reject } of waiting.values()) reject(new Error('The assistant ended.'));
      waiting.clear();
      resolve();
    };
    onLines(stdin, take, end);
    signal.addEventListener('abort', end, { once: true });
  });
  return {
    ended,
    request: (method, params) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        send({ id: last, method, params });
      }),
  };
}

function settle(waiting: Map<number, Waiting>, id: number, result: unknown, error: unknown): void {
  const one = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) one?.resolve(result);
  else one?.reject(new Error(String(Object(error).message)));
}

const faultOf = (id: unknown, code: number, message: string): object => ({ id, error: { code, message } });

function parsed(line: string): Params | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object(value) : undefined;
  } catch {
    return undefined;
  }
}

function onLines(stdin: Readable, take: (line: string) => void, end: () => void): void {
  let rest = '';
  stdin.setEncoding('utf8');
  stdin.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') take(line);
  });
  stdin.once('end', end);
}
