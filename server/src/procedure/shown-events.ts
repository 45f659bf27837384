import type { Actor } from './context.ts';
import type { StreamEvent } from './procedure.ts';
import type { RegisteredProcedure } from './registry.ts';
import { shownTo } from './secret-fields.ts';

/** The events of a stream by their schema, as this caller may read them. */
export async function* shownEvents(
  target: RegisteredProcedure,
  actor: Actor,
  events: AsyncIterable<StreamEvent<unknown>>,
): AsyncIterable<StreamEvent<unknown>> {
  for await (const event of events)
    yield { id: event.id, data: shownTo(actor, target, target.procedure.output.parse(event.data)) };
}
