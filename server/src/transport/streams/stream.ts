/** Server-sent events, in the document's form (`line`, `end`) and in tRPC's (`connected`, data, `return`). */
import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { Procedure, StreamEvent } from '../../procedure/procedure.ts';
import { answerHeaders } from '../entrance/answer-headers.ts';
import { errorAnswer, type ErrorAnswer } from '../envelope.ts';
import type { AppError } from '../../domain/errors.ts';
import { drained } from '../../ports/drained.ts';

export interface StreamLimits {
  /** Milliseconds between two signs of life. */
  heartbeatMs: number;
  /** A reader that takes nothing for so many milliseconds is dropped; it resumes by its last event id. */
  unreadMs: number;
}

/** Decisions 1, Streams. */
export const defaultStreamLimits: StreamLimits = { heartbeatMs: 15_000, unreadMs: 10_000 };

export interface StreamDialect {
  open: string;
  event(event: StreamEvent<unknown>): string;
  close: string;
  failure(error: AppError): string;
}

const field = (name: string, value: string): string => `${name}: ${value}\n`;
const json = (value: unknown): string => field('data', JSON.stringify(value));

export const documentDialect: StreamDialect = {
  open: ': open\n\n',
  event: ({ id, data }) => `${field('event', typeOf(data))}${field('id', id)}${json(data)}\n`,
  close: '',
  failure: (error) => `${field('event', 'error')}${json(errorAnswer(error, undefined, 'form-b').body)}\n`,
};

export const trpcDialect: StreamDialect = {
  open: `${field('event', 'connected')}${field('data', '{}')}\n`,
  event: ({ id, data }) => `${json(data)}${field('id', id)}\n`,
  close: `${field('event', 'return')}${field('data', '')}\n`,
  failure: (error) =>
    `${field('event', 'serialized-error')}${json(errorOf(errorAnswer(error, undefined, 'trpc')))}\n`,
};

function errorOf(answer: ErrorAnswer): unknown {
  return typeof answer.body === 'object' && answer.body !== null
    ? Reflect.get(answer.body, 'error')
    : answer.body;
}

function typeOf(data: unknown): string {
  const type: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'type') : undefined;
  return typeof type === 'string' ? type : 'line';
}

/**
 * Sends the events until they end, the reader leaves, or it reads too slowly. What the reader has not taken
 * holds the source back; it is never piled up here.
 */
export async function sendStream(
  reply: FastifyReply,
  events: AsyncIterable<StreamEvent<unknown>>,
  dialect: StreamDialect,
  limits: StreamLimits,
  toError: (error: unknown) => AppError,
): Promise<void> {
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, {
    ...answerHeaders,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  });
  const body = bodyOf(response);
  body.write(dialect.open);
  const heartbeat = setInterval(() => body.write(': still here\n\n'), limits.heartbeatMs);
  const iterator = events[Symbol.asyncIterator]();
  try {
    await pour(iterator, { response, body, dialect, unreadMs: limits.unreadMs });
    body.write(dialect.close);
  } catch (error) {
    body.write(dialect.failure(toError(error)));
  } finally {
    clearInterval(heartbeat);
    body.end();
    // Not awaited: a generator that waits for its next line ends by the request's abort signal. Nobody is
    // left to hear how it ended.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

interface Pouring {
  response: ServerResponse;
  body: Body;
  dialect: StreamDialect;
  unreadMs: number;
}

/**
 * Resolves when the events have ended or the reader is gone. Written without await and race, which would cost
 * several promises for each event and reader.
 */
function pour(
  iterator: AsyncIterator<StreamEvent<unknown>>,
  { response, body, dialect, unreadMs }: Pouring,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const step = (): void => void iterator.next().then(take, reject);
    function goOn(isTaken: boolean): void {
      if (!isTaken) response.destroy();
      if (response.destroyed) resolve();
      else step();
    }
    function take(next: IteratorResult<StreamEvent<unknown>>): void {
      if (next.done || response.destroyed) return resolve();
      try {
        if (next.value.isShared) body.writeShared(dialect, next.value);
        else body.write(dialect.event(next.value));
      } catch (error) {
        return reject(error);
      }
      const full = body.full();
      if (full) void drained(full, unreadMs).then(goOn);
      else step();
    }
    response.once('close', resolve);
    goOn(true);
  });
}

interface Body {
  write(text: string): void;
  /**
   * What goes to many is made once for each dialect, and leaves when all that comes in the same turn is here.
   */
  writeShared(dialect: StreamDialect, event: StreamEvent<unknown>): void;
  /** What has to drain before more is written. */
  full(): Writable | undefined;
  end(): void;
}

/** So much of what goes to many is held back at most. */
const mostTogether = 64;

/**
 * Writes chunks of HTTP/1.1 (RFC 9112, 7.1) itself, and those that go to many on the connection itself: Node
 * frames and gathers each anew for each reader, which with hundreds of them costs more than all the rest.
 */
function bodyOf(response: ServerResponse): Body {
  const isChunked = response.chunkedEncoding;
  response.chunkedEncoding = false;
  let shared: Buffer[] = [];
  function flush(): void {
    const [first, ...others] = shared;
    if (first === undefined) return;
    shared = [];
    // A response has its connection when those before it on the same one have ended.
    const out = response.socket ?? response;
    if (out.destroyed) return;
    if (others.length > 0) out.cork();
    out.write(first);
    for (const chunk of others) out.write(chunk);
    if (others.length > 0) out.uncork();
  }
  const write = (text: string): void => {
    flush();
    if (text !== '') response.write(isChunked ? framed(text) : text);
  };
  return {
    write,
    writeShared(dialect, event) {
      if (!isChunked) return write(dialect.event(event));
      const made = chunks.get(event) ?? new Map<StreamDialect, Buffer>();
      chunks.set(event, made);
      const chunk = made.get(dialect) ?? framed(dialect.event(event));
      made.set(dialect, chunk);
      const count = shared.push(chunk);
      if (count === 1) atEndOfTurn(flush);
      else if (count >= mostTogether) flush();
    },
    full: () => [response.socket ?? response].find((out) => out.writableNeedDrain),
    end() {
      flush();
      response.end(isChunked ? '0\r\n\r\n' : '');
    },
  };
}

const chunks = new WeakMap<StreamEvent<unknown>, Map<StreamDialect, Buffer>>();

const waiting: (() => void)[] = [];

/** Runs the work when no promise has anything more to do; that of all streams together. */
function atEndOfTurn(work: () => void): void {
  if (waiting.push(work) > 1) return;
  process.nextTick(() => {
    for (const each of waiting.splice(0)) each();
  });
}

function framed(text: string): Buffer {
  const length = Buffer.byteLength(text);
  return Buffer.from(`${length.toString(16)}\r\n${text}\r\n`);
}

interface Collected {
  lines: unknown[];
  lastEventId: string | null;
  /** When there was more. */
  note?: string;
}

/** The same events as one JSON answer, for callers that did not ask for a stream, up to so many bytes. */
export async function collectStream(
  { whole }: Pick<Procedure, 'whole'>,
  events: AsyncIterable<StreamEvent<unknown>>,
  limitBytes: number,
): Promise<unknown> {
  if (whole === undefined) return collect(events, limitBytes);
  return whole.output.parse(whole.of(await collectWithEnd(events, limitBytes)));
}

/** Stops at the limit: the caller goes on from the last position. */
async function collect(events: AsyncIterable<StreamEvent<unknown>>, limitBytes: number): Promise<Collected> {
  const lines: unknown[] = [];
  let lastEventId: string | null = null;
  let bytes = 0;
  for await (const { id, data } of events) {
    bytes += sizeOf(data);
    if (bytes > limitBytes && lines.length > 0) {
      const note =
        `There is more: one answer holds at most ${limitBytes} bytes (setting logAnswerLimit). Ask again ` +
        'with this lastEventId, or with Accept: text/event-stream for all of it.';
      return { lines, lastEventId, note };
    }
    lines.push(data);
    lastEventId = id;
  }
  return { lines, lastEventId };
}

/** What is done while it is read has to be done: so beyond the limit lines are only counted. */
async function collectWithEnd(
  events: AsyncIterable<StreamEvent<unknown>>,
  limitBytes: number,
): Promise<unknown[]> {
  const kept: unknown[] = [];
  let bytes = 0;
  let leftOut = 0;
  let end: unknown;
  for await (const { data } of events) {
    bytes += sizeOf(data);
    if (typeOf(data) === 'end') end = data;
    else if (bytes > limitBytes) leftOut += 1;
    else kept.push(data);
  }
  if (leftOut > 0)
    kept.push({
      type: 'line',
      text:
        `[${leftOut} further lines are left out: one answer holds at most ${limitBytes} bytes (setting ` +
        'logAnswerLimit).]',
    });
  return end === undefined ? kept : [...kept, end];
}

function sizeOf(data: unknown): number {
  return Buffer.byteLength(JSON.stringify(data));
}
