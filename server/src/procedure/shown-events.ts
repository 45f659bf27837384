import type { AccessWatch } from './access-watch.ts';
import type { Actor } from './context.ts';
import type { StreamEvent } from './procedure.ts';
import type { RegisteredProcedure } from './registry.ts';
import { hasSecrets, shownTo } from './secret-fields.ts';

/**
 * The events of a stream by their schema, as this caller may read them, until they end or the caller may no
 * longer have them. Written out, with one promise for each event: a generator and a race would cost a stream
 * that many follow several more for each event and reader.
 */
export function shownEvents(
  target: RegisteredProcedure,
  actor: Actor,
  events: AsyncIterable<StreamEvent<unknown>>,
  access: Pick<AccessWatch, 'lost' | 'start' | 'stop'> | undefined,
): AsyncIterable<StreamEvent<unknown>> {
  const show = showing(target, actor);
  return {
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]();
      let resolve = (_found: IteratorResult<StreamEvent<unknown>, undefined>): void => undefined;
      let reject = (_error: unknown): void => undefined;
      async function end(): Promise<void> {
        access?.stop();
        await Promise.resolve(iterator.return?.()).catch(() => undefined);
      }
      function fail(error: unknown): void {
        // Not awaited: a generator that waits for its next line ends by the signal.
        void end();
        reject(error);
      }
      function take(found: IteratorResult<StreamEvent<unknown>, undefined>): void {
        if (found.done) access?.stop();
        try {
          resolve(found.done ? found : { done: false, value: show(found.value) });
        } catch (error) {
          fail(error);
        }
      }
      access?.start();
      access?.lost.addEventListener('abort', () => fail(access.lost.reason), { once: true });
      return {
        next: () =>
          new Promise((onFound, onError) => {
            resolve = onFound;
            reject = onError;
            if (access?.lost.aborted) fail(access.lost.reason);
            else iterator.next().then(take, fail);
          }),
        async return() {
          const ended = end();
          if (!access) await ended;
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** One of them as the caller may read it. */
function showing(
  target: RegisteredProcedure,
  actor: Actor,
): (event: StreamEvent<unknown>) => StreamEvent<unknown> {
  const isOneForAll = !hasSecrets(target.procedure);
  return (event) =>
    event.isShared && isOneForAll
      ? parsedOnce(target, event)
      : { id: event.id, data: shownTo(actor, target, target.procedure.output.parse(event.data)) };
}

/** By the events as their procedure gave them. */
const known = new WeakMap<StreamEvent<unknown>, StreamEvent<unknown>>();

function parsedOnce({ procedure }: RegisteredProcedure, event: StreamEvent<unknown>): StreamEvent<unknown> {
  const present = known.get(event);
  if (present) return present;
  const parsed = { id: event.id, data: procedure.output.parse(event.data), isShared: true } as const;
  known.set(event, parsed);
  return parsed;
}
