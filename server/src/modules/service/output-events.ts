/** The output of services as the events of a stream: one service's, or several woven together. */
import type { LogLine } from '../../ports/engine/engine.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { LogEvent } from '../../procedure/log-event.ts';
import type { StreamEvent } from '../../procedure/procedure.ts';

export interface ServiceOutput {
  read(options: { since: string | undefined }): Promise<Iterable<OutputLine> | AsyncIterable<OutputLine>>;
  follow(options: { since: string | undefined; signal: AbortSignal }): AsyncIterable<OutputLine>;
}

export interface OutputLine extends LogLine {
  /** Of a compose service: which of its file. */
  serviceName?: string;
}

/** From the position that the caller resumes after; the position of a line is its time. */
export async function* outputEvents(
  { lastEventId: since, follow, signal }: Pick<CallContext, 'lastEventId' | 'follow' | 'signal'>,
  output: ServiceOutput,
): AsyncGenerator<StreamEvent<LogEvent>> {
  const lines = follow ? output.follow({ since, signal }) : await output.read({ since });
  for await (const { at, stream, text, taskId, nodeId, serviceName } of lines) {
    if (since !== undefined && at <= since) continue;
    const task = taskId === '' ? {} : { task: taskId };
    const node = nodeId === '' ? {} : { node: nodeId };
    const service = serviceName === undefined ? {} : { service: serviceName };
    yield { id: at, data: { type: 'line', text, at, stream, ...task, ...node, ...service } };
  }
}

/** What any of them gives, as it comes; of each at most one is held, and all end with whoever reads. */
export async function* woven<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const held: { value: T; taken: () => void }[] = [];
  let fault: { cause: unknown } | undefined;
  let [left, isOver] = [sources.length, false];
  let arrived = Promise.withResolvers<void>();
  const pump = async (source: AsyncIterable<T>): Promise<void> => {
    try {
      for await (const value of source) {
        const { promise, resolve } = Promise.withResolvers<void>();
        held.push({ value, taken: resolve });
        arrived.resolve();
        await promise;
        if (isOver) return;
      }
    } catch (cause) {
      fault ??= { cause };
    } finally {
      left -= 1;
      arrived.resolve();
    }
  };
  for (const source of sources) void pump(source);
  let given: { taken: () => void } | undefined;
  try {
    while (left > 0 || held.length > 0) {
      const next = held.shift();
      if (next) {
        given = next;
        yield next.value;
        given = undefined;
        next.taken();
      } else if (fault) throw fault.cause;
      else {
        await arrived.promise;
        arrived = Promise.withResolvers<void>();
      }
    }
    if (fault) throw fault.cause;
  } finally {
    isOver = true;
    given?.taken();
    for (const { taken } of held) taken();
  }
}
