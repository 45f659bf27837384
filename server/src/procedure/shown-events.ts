import type { Actor } from './context.ts';
import type { StreamEvent } from './procedure.ts';
import type { RegisteredProcedure } from './registry.ts';
import { hasSecrets, shownTo } from './secret-fields.ts';

/**
 * The events of a stream by their schema, as this caller may read them. Written out: a generator would cost a
 * stream that many follow several promises more for each event and reader.
 */
export function shownEvents(
  target: RegisteredProcedure,
  actor: Actor,
  events: AsyncIterable<StreamEvent<unknown>>,
): AsyncIterable<StreamEvent<unknown>> {
  const isOneForAll = !hasSecrets(target.procedure);
  const show = (event: StreamEvent<unknown>): StreamEvent<unknown> =>
    event.isShared && isOneForAll
      ? parsedOnce(target, event)
      : { id: event.id, data: shownTo(actor, target, target.procedure.output.parse(event.data)) };
  return {
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]();
      const end = (): void => void Promise.resolve(iterator.return?.()).catch(() => undefined);
      return {
        next: () =>
          iterator.next().then((found) => {
            if (found.done) return found;
            try {
              return { done: false, value: show(found.value) };
            } catch (error) {
              end();
              throw error;
            }
          }),
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
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
