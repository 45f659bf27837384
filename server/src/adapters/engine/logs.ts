import { AppError } from '../../domain/errors.ts';
import type { LogLine, LogOptions } from '../../ports/engine.ts';
import type { EngineClient } from './engine-client.ts';
import { segment } from './engine-client.ts';
import { readFrames } from './log-frames.ts';
import { createLineAssembler, longestLine } from './log-lines.ts';

/**
 * Reading what is there ends by itself, but for a node that does not answer, and now and then for a task that began as it was asked (seen on 20.10): the engine then waits for the
 * end of a log that it has wholly sent. So it is asked again, with more time each time, and not for ever.
 */
const readLimitsMs = [3_000, 12_000, 45_000] as const;

/** The engine counts `tail` in messages of 16 KiB, of which a line of ours holds up to so many. */
const messagesPerLine = longestLine / (16 * 1024);

/** The output of a service's tasks (see the port). */
export async function* serviceLogs(
  client: EngineClient,
  serviceName: string,
  options: LogOptions,
): AsyncGenerator<LogLine> {
  if (options.follow === true) {
    yield* rawServiceLogs(client, serviceName, options);
    return;
  }
  const messages = options.tail === undefined ? {} : { tail: options.tail * messagesPerLine };
  const lines = await wholeLog(client, serviceName, { ...options, ...messages });
  lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  yield* lines.slice(options.tail === undefined ? 0 : Math.max(0, lines.length - options.tail));
}

async function wholeLog(client: EngineClient, serviceName: string, options: LogOptions): Promise<LogLine[]> {
  let last: unknown;
  for (const limitMs of readLimitsMs) {
    const limit = AbortSignal.timeout(limitMs);
    try {
      return await Array.fromAsync(rawServiceLogs(client, serviceName, options, limit));
    } catch (error) {
      if (!limit.aborted) throw error;
      last = error;
    }
  }
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    `The log of ${serviceName} was not complete after a minute; a server that ran it may be out of reach.`,
    { cause: last },
  );
}

/** Lines as the engine sends them: each task's in order, several tasks' mixed. */
export async function* rawServiceLogs(
  client: EngineClient,
  serviceName: string,
  options: LogOptions,
  limit?: AbortSignal,
): AsyncGenerator<LogLine> {
  const { signal } = options;
  if (signal?.aborted) return;
  const closed = new AbortController();
  try {
    const body = await client.open({
      method: 'GET',
      path: `/services/${segment(serviceName)}/logs`,
      query: logQuery(options),
      doing: `reading the log of ${serviceName}`,
      signal: AbortSignal.any([closed.signal, signal, limit].filter((each) => each !== undefined)),
    });
    const assembler = createLineAssembler();
    for await (const frame of readFrames(body)) yield* assembler.push(frame);
    yield* assembler.flush();
  } catch (error) {
    if (signal?.aborted) return;
    throw error;
  } finally {
    // A reader that stops early must not leave the engine's connection open.
    closed.abort();
  }
}

/** Times are seconds with nanoseconds behind the point (engine API, "Get service logs"). */
function logQuery(options: LogOptions) {
  return {
    stdout: true,
    stderr: true,
    timestamps: true,
    details: true,
    follow: options.follow === true,
    ...(options.tail === undefined ? {} : { tail: options.tail }),
    ...(options.since === undefined ? {} : { since: engineTime(options.since) }),
  };
}

function engineTime(iso: string): string {
  const milliseconds = Date.parse(iso);
  if (Number.isNaN(milliseconds)) throw new AppError('BAD_REQUEST', `since: ${iso} is no time in ISO 8601.`);
  const fraction = /\.(\d{1,9})/.exec(iso)?.[1] ?? '';
  return `${Math.floor(milliseconds / 1000)}.${fraction.padEnd(9, '0')}`;
}
