/** A live stream that survives broken connections: it resumes after the last event it saw. */
import type { StreamEvent } from '../server/src/procedure/procedure.ts';
import { BerthError } from './berth-error.ts';
import { answerOf, inputParameter, send, unreachable, type Answer, type Connection } from './call.ts';
import { refusalOf } from './refusal.ts';
import { serverSentEvents } from './server-sent-events.ts';

export interface FollowOptions {
  signal?: AbortSignal | undefined;
  /** Position to go on after; default: from the beginning. */
  lastEventId?: string | undefined;
  /** Milliseconds without a connection after which it gives up with UNREACHABLE. Default one minute. */
  giveUpAfterMs?: number | undefined;
  /**
   * Milliseconds of silence after which a connection counts as broken; Berth sends a sign of life every 15 s.
   * Default 45 s.
   */
  silenceMs?: number | undefined;
  /** POST for a stream that changes something (default GET). */
  method?: 'GET' | 'POST' | undefined;
}

/** Yields events until the stream's end; throws BerthError when Berth refuses or stays away. */
export async function* follow(
  connection: Connection,
  path: string,
  input: unknown,
  options: FollowOptions = {},
): AsyncGenerator<StreamEvent<unknown>> {
  const giveUpAfterMs = options.giveUpAfterMs ?? 60_000;
  let { lastEventId } = options;
  let lostAt: number | undefined;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, 5000)) {
    try {
      for await (const event of oneConnection(connection, path, input, { ...options, lastEventId })) {
        lostAt = undefined;
        pauseMs = 125;
        lastEventId = event.id;
        yield event;
      }
      return;
    } catch (error) {
      options.signal?.throwIfAborted();
      lostAt ??= Date.now();
      if (!mayResume(error) || Date.now() - lostAt > giveUpAfterMs) throw error;
      await pause(pauseMs, options.signal);
    }
  }
}

/** A refusal is final; a broken connection, or a Berth or proxy that restarts, is not. */
function mayResume(error: unknown): boolean {
  return (
    error instanceof BerthError &&
    (error.code === 'UNREACHABLE' ||
      error.httpStatus === 502 ||
      error.httpStatus === 503 ||
      error.httpStatus === 504)
  );
}

async function* oneConnection(
  connection: Connection,
  path: string,
  input: unknown,
  options: FollowOptions,
): AsyncGenerator<StreamEvent<unknown>> {
  const silence = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, silence.signal]) : silence.signal;
  const listen = (): ReturnType<typeof setTimeout> =>
    setTimeout(
      () => silence.abort(new DOMException('No sign of life.', 'TimeoutError')),
      options.silenceMs ?? 45_000,
    );
  let timer = listen();
  const heard = (): void => {
    clearTimeout(timer);
    timer = listen();
  };
  try {
    const headers = {
      accept: 'text/event-stream',
      ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
    };
    const response =
      options.method === 'POST'
        ? await send(connection, path, {
            method: 'POST',
            signal,
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify(input ?? {}),
          })
        : await send(connection, `${path}${inputParameter(input)}`, { signal, headers });
    if (!response.ok || !response.body) {
      await answerOf(response, connection);
      return;
    }
    let isOver = false;
    for await (const { event, id, data } of serverSentEvents(
      pieces(response.body, heard, (cause) => unreachable(connection, signal, cause)),
    )) {
      const value: unknown = JSON.parse(data);
      if (event === 'error') throw refusalOf(500, value);
      isOver = event === 'end';
      yield { id: id ?? options.lastEventId ?? '', data: value };
    }
    if (!isOver) throw new BerthError('UNREACHABLE', `The stream from ${connection.url} broke off.`);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

async function* pieces(
  body: NonNullable<Answer['body']>,
  heard: () => void,
  toError: (cause: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    const reader = body.getReader();
    // A reader: Safari has no iteration of a stream.
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      if (value) yield value;
    }
  } catch (cause) {
    throw toError(cause);
  }
}

/** Waits; throws the signal's reason as soon as it fires. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('Called off.'));
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
