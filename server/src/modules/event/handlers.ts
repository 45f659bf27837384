import type { CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { eventContract } from './contract.ts';
import type { Events } from './event.ts';

export function eventHandlers(events: Events): Handlers<typeof eventContract, CallContext> {
  return { stream: (context) => events.stream(context) };
}
