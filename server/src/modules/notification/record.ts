/** The notification record; what is secret in a channel's settings is never in an answer (decisions 17). */
import { z } from 'zod';
import { factEventNames } from '../../domain/states/fact.ts';
import { perKind } from '../../procedure/input/kind-settings.ts';
import { channelNames, channels, type ChannelName } from './channels/channels.ts';

/** A value for each kind of channel, by its name. */
export const perChannel = <T>(make: (name: ChannelName) => T): Record<ChannelName, T> =>
  perKind(channelNames, make);

export const notificationRecord = z
  .object({
    notificationId: z.string(),
    name: z.string(),
    channel: z.enum(channelNames),
    enabled: z.boolean(),
    events: z.array(z.enum(factEventNames)),
    ...perChannel((name) => channels[name].shown.nullable()),
    waiting: z.number().int().describe('Messages that wait to be sent, summaries that still gather included'),
    lastSentAt: z.string().nullable(),
    lastError: z.string().nullable().describe('Why the newest attempt failed; null when it did not'),
    lastErrorAt: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'Notification' });
