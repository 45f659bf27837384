/** The events of every log stream (decisions 1, Streams): lines with their position, then one end with the outcome. */
import { z } from 'zod';

export const logEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('line'), text: z.string(), at: z.string().optional(), stream: z.enum(['stdout', 'stderr']).optional() }),
  z.object({ type: z.literal('end'), outcome: z.string() }),
]).meta({ id: 'LogEvent' });

export type LogEvent = z.infer<typeof logEvent>;
