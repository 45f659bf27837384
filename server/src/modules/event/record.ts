/**
 * An event (decisions 14). It has only ids: its reader asks for the thing itself, which checks permissions.
 */
import { z } from 'zod';

export const eventKinds = ['created', 'updated', 'removed', 'deployment', 'condition', 'alarm'] as const;
export type EventKind = (typeof eventKinds)[number];

const place = z.string().optional();

export const eventRecord = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('event'),
      id: z.string().describe('The same as the id of the stream: the position to go on after'),
      at: z.string(),
      kind: z.string().describe('The router of the thing: `application`, `postgres`, `domain`, `deployment`'),
      what: z
        .enum(eventKinds)
        .describe(
          '`deployment`: a deployment came to this status and stage; `condition`: what a service is in by ' +
            'the engine (service.all), in `status`',
        ),
      resourceId: z.string(),
      serviceId: place,
      environmentId: place,
      projectId: place,
      status: z.string().optional(),
      stage: z.string().optional(),
    }),
    z
      .object({ type: z.literal('position'), id: z.string() })
      .describe(
        'No event that you may see since the last one; a later connection can resume after this position',
      ),
    z
      .object({ type: z.literal('reset'), id: z.string() })
      .describe('The position is too old or unknown: read everything again; the stream goes on from now'),
  ])
  .meta({ id: 'Event' });

export type ShownEvent = z.infer<typeof eventRecord>;
