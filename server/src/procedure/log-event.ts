/**
 * The events of every log stream (decisions 1, Streams): lines with their position, then one end with the
 * outcome.
 */
import { z } from 'zod';

export const logEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('line'),
      text: z.string(),
      at: z.string().optional(),
      stream: z.enum(['stdout', 'stderr']).optional(),
    }),
    z.object({ type: z.literal('end'), outcome: z.string() }),
  ])
  .meta({ id: 'LogEvent' });

export type LogEvent = z.infer<typeof logEvent>;

/** A log that ends in `success` or another outcome, as one JSON (decisions 7). */
export const wholeLog = {
  output: z.object({ success: z.boolean(), log: z.array(z.string()) }),
  of(events: readonly unknown[]): { success: boolean; log: string[] } {
    const known = events.map((event) => logEvent.parse(event));
    return {
      success: known.some((event) => event.type === 'end' && event.outcome === 'success'),
      log: known.flatMap((event) => (event.type === 'line' ? [event.text] : [])),
    };
  },
};
