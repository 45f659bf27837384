import { AppError } from '../../../domain/errors.ts';
import { earlierLeftOut, newestLines } from '../../../domain/text/line-limits.ts';
import type { LogLine, LogOptions } from '../../../ports/engine/engine.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { readLog } from './log-frames.ts';
import { createLineAssembler, longestLine } from './log-lines.ts';

/**
 * Reading what is there ends by itself, but for a node that does not answer, and now and then for a task that
 * began as it was asked (seen on 20.10): the engine then waits for the end of a log that it has wholly sent.
 * So it is asked again when nothing comes, with more time each time, and not for ever.
 */
const quietLimitsMs = [3_000, 12_000, 45_000] as const;

/** The engine counts `tail` in messages of 16 KiB, of which a line of ours holds up to so many. */
const messagesPerLine = longestLine / (16 * 1024);

/** Lines of each task that are looked through for a text. */
const searchedLines = 10_000;
const wholeLimitMs = 60_000;

export interface ServiceLogOptions extends LogOptions {
  /** What the name is one of; without, a service. */
  of?: 'services' | 'tasks';
  /** Bytes of the lines that are kept when the log is read to its end. */
  maxBytes: number;
}

/** The output of a service's tasks (see the port). */
export async function* serviceLogs(
  client: EngineClient,
  serviceName: string,
  { maxBytes, ...options }: ServiceLogOptions,
): AsyncGenerator<LogLine> {
  if (options.follow === true) {
    yield* rawServiceLogs(client, serviceName, options);
    return;
  }
  const { tail, search } = options;
  const asked = search === undefined ? tail : searchedLines;
  let newest = newestLines<LogLine>({ lines: 0, bytes: 0 });
  await readToEnd(client, serviceName, {
    ...options,
    ...(asked === undefined ? {} : { tail: asked * messagesPerLine }),
    limitMs: wholeLimitMs,
    begin() {
      newest = newestLines({ lines: tail ?? Number.POSITIVE_INFINITY, bytes: maxBytes });
      return (line) => {
        if (search === undefined || line.text.includes(search)) newest.add(line);
      };
    },
  });
  const { lines, leftOut } = newest.result();
  if (leftOut > 0)
    yield {
      at: lines[0]?.at ?? '',
      stream: 'stderr',
      taskId: '',
      nodeId: '',
      text: earlierLeftOut(leftOut, maxBytes),
    };
  yield* lines;
}

export interface WholeLog extends LogOptions, Pick<ServiceLogOptions, 'of'> {
  /** Milliseconds for all of it; without, it may take as long as lines come. */
  limitMs?: number;
  /** Called for each reading, since one may have to be begun anew; gives what takes its lines. */
  begin(): (line: LogLine) => void;
}

/** Reads what there is of a log. SERVICE_UNAVAILABLE when no end of it comes. */
export async function readToEnd(
  client: EngineClient,
  serviceName: string,
  { begin, limitMs, ...options }: WholeLog,
): Promise<void> {
  const whole = limitMs === undefined ? undefined : AbortSignal.timeout(limitMs);
  let last: unknown;
  for (const quietMs of quietLimitsMs) {
    const quiet = new AbortController();
    const timer = setTimeout(() => quiet.abort(), quietMs);
    const limit = AbortSignal.any([quiet.signal, whole].filter((each) => each !== undefined));
    try {
      const take = begin();
      for await (const line of rawServiceLogs(client, serviceName, options, limit)) {
        timer.refresh();
        take(line);
      }
      return;
    } catch (error) {
      if (!limit.aborted) throw error;
      last = error;
    } finally {
      clearTimeout(timer);
    }
    if (whole?.aborted) break;
  }
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    `The log of ${serviceName} could not be read completely within a minute; a server that ran it may ` +
      'be unreachable.',
    { cause: last },
  );
}

/** Lines as the engine sends them: each task's in order, several tasks' mixed. */
export async function* rawServiceLogs(
  client: EngineClient,
  serviceName: string,
  { of = 'services', ...options }: LogOptions & Pick<ServiceLogOptions, 'of'>,
  limit?: AbortSignal,
): AsyncGenerator<LogLine> {
  const { signal } = options;
  if (signal?.aborted) return;
  const closed = new AbortController();
  try {
    const body = await client.open({
      method: 'GET',
      path: `/${of}/${segment(serviceName)}/logs`,
      query: logQuery(options),
      doing: `reading the log of ${serviceName}`,
      signal: AbortSignal.any([closed.signal, signal, limit].filter((each) => each !== undefined)),
    });
    const assembler = createLineAssembler();
    for await (const frame of readLog(body, longestLine)) yield* assembler.push(frame);
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
export function logQuery(options: Pick<LogOptions, 'follow' | 'tail' | 'since'>) {
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
  if (Number.isNaN(milliseconds))
    throw new AppError('BAD_REQUEST', `since: ${iso} is not a time in ISO ` + '8601.');
  const fraction = /\.(\d{1,9})/.exec(iso)?.[1] ?? '';
  return `${Math.floor(milliseconds / 1000)}.${fraction.padEnd(9, '0')}`;
}
