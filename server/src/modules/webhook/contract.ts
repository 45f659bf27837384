/** What git hosts told of a service, and what came of it. */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { id as serviceId, requireOneService } from '../service/contract-fields.ts';
import { webhookDeliveryRecord } from './record.ts';

const id = z.object({ webhookDeliveryId: z.string().min(1).max(100) });
const own = {
  class: 'protected',
  resources: [{ kind: 'webhookDelivery', field: 'webhookDeliveryId' }],
} as const;

export const webhookContract = {
  all: query({
    summary: 'Deliveries of git hosts to a service, newest first: the last hundred',
    description:
      'Each with its outcome: queued, skipped and why (branch, watchPaths, [skip ci], …), seen before, ' +
      'or refused (signature, autoDeploy). Deliveries to addresses that no service has are not kept.',
    access: {
      class: 'protected',
      resources: [
        { kind: 'application', field: 'applicationId' },
        { kind: 'compose', field: 'composeId' },
      ],
    },
    input: z
      .object({ applicationId: serviceId.nullish(), composeId: serviceId.nullish(), ...pageInput })
      .superRefine(requireOneService),
    example: { applicationId: 'V1StGXR8Z5jdHi6BmyT3k' },
    output: listOf(webhookDeliveryRecord),
  }),
  one: query({ summary: 'One delivery', access: own, input: id, output: webhookDeliveryRecord }),
  replay: mutation({
    summary: 'Processes a delivery again with the current settings, as if it came now; returns the new one',
    description:
      'For a push that was skipped or refused by settings that have changed since, or one to be deployed ' +
      'again. What was refused for its signature is refused again.',
    access: { ...own, action: 'deploy' },
    input: id,
    output: webhookDeliveryRecord,
    refusals: ['PRECONDITION_FAILED', 'CONFLICT'],
  }),
};
