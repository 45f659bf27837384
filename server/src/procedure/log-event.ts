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
      message: z.string().optional().describe('The text without its time'),
      stage: z.string().optional().describe('Of a deployment: the stage it was written in'),
      level: z.enum(['error', 'warning', 'info']).optional(),
      stream: z.enum(['stdout', 'stderr']).optional(),
      task: z.string().optional().describe('Of a running service: the task that wrote it'),
      node: z.string().optional().describe('Of a running service: the id of the node that the task ran on'),
      service: z.string().optional().describe('Of a compose service: the service of its file'),
    }),
    z.object({ type: z.literal('end'), outcome: z.string() }),
  ])
  .meta({ id: 'LogEvent' });

/** A line of a log that is read by position. */
export const positionedLine = z
  .object({
    position: z.number().int().describe('After the line: to go on from, or to read what stands before it'),
    text: z.string(),
    message: z.string().describe('The text without its time'),
    at: z.string().optional(),
    stage: z.string().optional(),
    level: z.enum(['error', 'warning', 'info']),
  })
  .meta({ id: 'PositionedLine' });

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
