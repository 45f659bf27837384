/** Who is told what happens (decisions 17). */
import { z } from 'zod';
import { factEventNames } from '../../domain/states/fact.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { channelNames, channels } from './channels/channels.ts';
import { notificationRecord, perChannel } from './record.ts';
import { name } from '../service/contract-fields.ts';

const id = z.object({ notificationId: z.string().min(1).max(100) });
const own = { class: 'admin', resources: [{ kind: 'notification', field: 'notificationId' }] } as const;

const shared = {
  name,
  events: z.array(z.enum(factEventNames)).min(1).max(factEventNames.length).describe('What is told'),
};

const delivery =
  'Messages are stored together with their event and sent in order, each retried until it is accepted, ' +
  'for up to three days, with the same id in every attempt. In five minutes at most one message is sent ' +
  'for one event and subject, and at most twenty in all; the rest is combined into one summary. Addresses ' +
  "are checked as those of buckets are: the platform's own networks are never reached, private ones only " +
  'as the settings allow.';

export const notificationContract = {
  create: mutation({
    summary: 'Adds a channel that receives events of the organization',
    description:
      'Give the settings of the channel under its own name, such as {channel: "slack", slack: {…}}. ' +
      delivery,
    access: { class: 'admin', resources: [] },
    input: z.object({
      ...shared,
      channel: z.enum(channelNames),
      enabled: z.boolean().default(true),
      ...perChannel((name) => channels[name].input.nullish().describe(`Of ${channels[name].label}`)),
    }),
    example: {
      name: 'On call',
      channel: 'webhook',
      events: ['deploymentFailed', 'serviceDown', 'backupFailed'],
      webhook: channels.webhook.example,
    },
    output: notificationRecord,
    refusals: ['CONFLICT'],
  }),
  one: query({
    summary: 'One channel with its last error, without its secrets',
    access: own,
    input: id,
    output: notificationRecord,
  }),
  all: query({
    summary: 'The channels of the organization, newest first',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(notificationRecord),
  }),
  update: mutation({
    summary: 'Changes a channel; absent fields stay, secrets too, null clears what is optional',
    description:
      'The kind of a channel cannot be changed. If its secrets would go to another host, they have to ' +
      'be given again. Waiting messages are sent with the new settings; switching a channel off drops them.',
    access: own,
    input: id.extend({
      name: shared.name.optional(),
      events: shared.events.optional(),
      enabled: z.boolean().optional(),
      ...perChannel((name) => channels[name].changes.nullish().describe(`Of ${channels[name].label}`)),
    }),
    output: notificationRecord,
  }),
  remove: mutation({
    summary: 'Removes a channel and its waiting messages',
    access: own,
    input: id,
    output: notificationRecord,
  }),
  test: mutation({
    summary: 'Sends a test message now and waits for its answer',
    access: own,
    input: id,
    output: z.object({ success: z.literal(true) }),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
};
