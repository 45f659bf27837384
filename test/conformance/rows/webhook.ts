/** What came of deliveries of git hosts. */
import { any, type Rows } from '../row.ts';

const delivery = {
  webhookDeliveryId: any.id,
  applicationId: '<applicationId>',
  composeId: null,
  provider: 'github',
  hostDeliveryId: 'd-1',
  summary: 'push to the branch next: Fix the door',
  outcome: 'skipped',
  reason: any.text,
  deploymentId: null,
  canReplay: true,
  replayOf: any.textOrNull,
  receivedAt: any.time,
};

export const webhookRows: Rows = [
  { call: 'webhook.all', input: { applicationId: '<applicationId>' }, gives: [delivery] },
  { call: 'webhook.all', input: {}, refused: 'BAD_REQUEST', field: 'applicationId' },
  {
    call: 'webhook.all',
    input: { applicationId: '<foreign.applicationId>' },
    refused: 'FORBIDDEN',
  },
  { call: 'webhook.one', input: { webhookDeliveryId: '<webhookDeliveryId>' }, gives: delivery },
  {
    call: 'webhook.replay',
    input: { webhookDeliveryId: '<webhookDeliveryId>' },
    gives: {
      ...delivery,
      outcome: 'queued',
      reason: null,
      deploymentId: any.id,
      replayOf: '<webhookDeliveryId>',
    },
  },
];
