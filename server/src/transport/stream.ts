/** Server-sent events, in the document's form (`line`, `end`) and in tRPC's (`connected`, data, `return`). */
import type { FastifyReply } from 'fastify';
import type { StreamEvent } from '../procedure/procedure.ts';
import { errorAnswer, type ErrorAnswer } from './envelope.ts';
import type { AppError } from '../domain/errors.ts';

const heartbeatMs = 15_000;
/** A reader that leaves this many bytes unread is dropped; it resumes by its last event id. */
const unreadLimit = 1024 * 1024;

export interface StreamDialect {
  open: string;
  event(event: StreamEvent<unknown>): string;
  close: string;
  failure(error: AppError): string;
}

const field = (name: string, value: string): string => `${name}: ${value}\n`;

export const documentDialect: StreamDialect = {
  open: ': open\n\n',
  event: ({ id, data }) => `${field('event', typeOf(data))}${field('id', id)}${field('data', JSON.stringify(data))}\n`,
  close: '',
  failure: (error) => `${field('event', 'error')}${field('data', JSON.stringify(errorAnswer(error, undefined, 'form-b').body))}\n`,
};

export const trpcDialect: StreamDialect = {
  open: `${field('event', 'connected')}${field('data', '{}')}\n`,
  event: ({ id, data }) => `${field('data', JSON.stringify(data))}${field('id', id)}\n`,
  close: `${field('event', 'return')}${field('data', '')}\n`,
  failure: (error) => `${field('event', 'serialized-error')}${field('data', JSON.stringify(errorOf(errorAnswer(error, undefined, 'trpc'))))}\n`,
};

function errorOf(answer: ErrorAnswer): unknown {
  return typeof answer.body === 'object' && answer.body !== null ? Reflect.get(answer.body, 'error') : answer.body;
}

function typeOf(data: unknown): string {
  const type: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'type') : undefined;
  return typeof type === 'string' ? type : 'line';
}

/** Sends the events until they end, the reader leaves, or it reads too slowly. */
export async function sendStream(reply: FastifyReply, events: AsyncIterable<StreamEvent<unknown>>, dialect: StreamDialect, toError: (error: unknown) => AppError): Promise<void> {
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'keep-alive' });
  response.write(dialect.open);
  const heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatMs);
  const iterator = events[Symbol.asyncIterator]();
  const gone = new Promise<{ done: true; value: undefined }>((resolve) => {
    response.once('close', () => resolve({ done: true, value: undefined }));
  });
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), gone]);
      if (next.done || response.destroyed) break;
      response.write(dialect.event(next.value));
      if (response.writableLength > unreadLimit) {
        response.destroy();
        break;
      }
    }
    response.write(dialect.close);
  } catch (error) {
    response.write(dialect.failure(toError(error)));
  } finally {
    clearInterval(heartbeat);
    response.end();
    // Not awaited for long: a generator that waits for its next line ends by the request's abort signal.
    void iterator.return?.();
  }
}

/** The same events as one JSON answer, for callers that did not ask for a stream. */
export async function collectStream(events: AsyncIterable<StreamEvent<unknown>>): Promise<{ lines: unknown[]; lastEventId: string | null }> {
  const lines: unknown[] = [];
  let lastEventId: string | null = null;
  for await (const { id, data } of events) {
    lines.push(data);
    lastEventId = id;
  }
  return { lines, lastEventId };
}
