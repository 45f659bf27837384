import type { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import { taskNameLabel, taskServiceLabel } from '../../../domain/names/labels.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { engineError } from '../client/engine-error.ts';

/** One event (engine API, "Monitor events"): one JSON text after another, with line breaks between. */
const event = z.looseObject({
  Type: z.string(),
  Actor: z.looseObject({ Attributes: z.record(z.string(), z.string()).nullish() }).nullish(),
});

/** Checks of health are events of their own several times a second; only their verdicts are asked for. */
const filters = {
  type: ['container', 'service'],
  event: ['create', 'update', 'remove', 'start', 'die', 'oom', 'health_status', 'pause', 'unpause'],
};
const doing = 'listening to its events';
/** Longer than any event: a container's has all its labels. */
const longestEvent = 1024 * 1024;

/** See `Engine.changes`. */
export async function* changes(client: EngineClient, signal: AbortSignal): AsyncIterable<string | undefined> {
  try {
    const body = await client.open({ method: 'GET', path: '/events', query: { filters }, doing, signal });
    yield undefined;
    for await (const line of linesOf(body)) {
      const name = serviceOf(line);
      if (name !== undefined) yield name;
    }
  } catch (cause) {
    if (signal.aborted) return;
    throw cause instanceof AppError ? cause : engineError(doing, client.place, cause);
  }
  if (!signal.aborted)
    throw new AppError('SERVICE_UNAVAILABLE', `The engine ${client.place} ended the stream of its events.`);
}

async function* linesOf(body: Readable): AsyncIterable<string> {
  let rest = '';
  for await (const chunk of body.setEncoding('utf8')) {
    const lines = `${rest}${String(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longestEvent) rest = '';
    yield* lines;
  }
}

/** The service that an event is about; undefined for a container of none, and for what is no event. */
function serviceOf(line: string): string | undefined {
  if (line.trim() === '') return undefined;
  const parsed = event.safeParse(fromJson(line));
  const attributes = parsed.data?.Actor?.Attributes ?? {};
  if (parsed.data?.Type === 'service') return attributes['name'];
  // A container has the labels of its image, too: only the name shows that it is of a task.
  const task = attributes[taskNameLabel];
  return (task && attributes['name'] === task && attributes[taskServiceLabel]) || undefined;
}

function fromJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
