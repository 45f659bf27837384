/** Deliveries of git hosts to a service, and what came of each. */
import { z } from 'zod';

export const outcomes = ['queued', 'skipped', 'duplicate', 'refused'] as const;

export const webhookDeliveryRecord = z
  .object({
    webhookDeliveryId: z.string(),
    applicationId: z.string().nullable(),
    composeId: z.string().nullable(),
    provider: z.string().nullable().describe('null: a call that did not come from a git host'),
    hostDeliveryId: z.string().nullable().describe("The git host's own id of the delivery"),
    summary: z.string().describe('What it told, such as: push to the branch main'),
    outcome: z.enum(outcomes),
    reason: z.string().nullable().describe('Why it was skipped or refused'),
    deploymentId: z.string().nullable().describe('Of a push that was queued'),
    canReplay: z.boolean(),
    replayOf: z.string().nullable().describe('webhookDeliveryId'),
    receivedAt: z.string(),
  })
  .meta({ id: 'WebhookDelivery' });
