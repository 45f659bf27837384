/** What changes, as it changes (decisions 14). */
import { z } from 'zod';
import { subscription } from '../../procedure/procedure.ts';
import { eventRecord } from './record.ts';

export const eventContract = {
  stream: subscription({
    summary: 'Everything that changes and that you may see, as it changes; can be resumed for 15 minutes',
    description:
      'Without a position it begins with `position`, which is now, and goes on from there; with one ' +
      '(Last-Event-ID) it gives everything after it, once and in order. A position from more than 15 ' +
      'minutes ago is answered with one `reset`. Each event is shown by what you may read at that moment: ' +
      'one of a kind is shown to whoever may call `<kind>.one` (or `all`, `get`) for it. What you can no ' +
      'longer see (a service moved to a project that you cannot access) is reported as `removed`.',
    access: { class: 'protected', resources: [] },
    input: z.object({}),
    output: eventRecord,
  }),
};
