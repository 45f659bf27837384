/** Preview deployments of pull requests (interface document, Preview deployments). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { logEvent } from '../../procedure/log-event.ts';
import { mutation, query, subscription } from '../../procedure/procedure.ts';
import { line, requireOneService } from '../service/contract-fields.ts';
import { previewDeploymentRecord, wholePreviewDeployment } from './record.ts';

const id = z.object({ previewDeploymentId: z.string().min(1).max(100) });
const own = {
  class: 'protected',
  resources: [{ kind: 'previewDeployment', field: 'previewDeploymentId' }],
} as const;

export const previewDeploymentContract = {
  all: query({
    summary: 'The preview deployments of an application or compose service, newest first',
    access: {
      class: 'protected',
      resources: [
        { kind: 'application', field: 'applicationId' },
        { kind: 'compose', field: 'composeId' },
      ],
    },
    input: z
      .object({
        applicationId: z.string().min(1).max(100).optional(),
        composeId: z.string().min(1).max(100).optional(),
        ...pageInput,
      })
      .superRefine(requireOneService),
    example: { applicationId: 'V1StGXR8Z5jdHi6BmyT3k' },
    output: listOf(previewDeploymentRecord),
  }),
  one: query({
    summary: 'One preview deployment with its application or compose service',
    access: own,
    input: id,
    output: wholePreviewDeployment,
  }),
  redeploy: mutation({
    summary: 'Queues a rebuild of a preview from the commit it shows',
    access: { ...own, action: 'deploy' },
    input: id.extend({
      title: line(200).default('Rebuild Preview Deployment'),
      description: z.string().max(2000).default(''),
    }),
    output: z.literal(true),
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  killBuild: mutation({
    summary: 'Ends the running build of a preview; does nothing when nothing is being built',
    access: { ...own, action: 'deploy' },
    input: id,
    output: previewDeploymentRecord,
  }),
  start: mutation({
    summary: 'Starts a stopped preview',
    description: 'Waits until it is healthy, at most 60 s.',
    access: own,
    input: id,
    output: previewDeploymentRecord,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  stop: mutation({
    summary: 'Stops a preview; its volumes and its address stay',
    description: 'A new commit of its pull request starts it again.',
    access: own,
    input: id,
    output: previewDeploymentRecord,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  logs: subscription({
    summary: 'The output of a running preview as a live stream',
    access: own,
    input: id.extend({ tail: z.number().int().min(0).max(10_000).default(200) }),
    output: logEvent,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  delete: mutation({
    summary: 'Deletes a preview with its containers, volumes and domain',
    access: own,
    input: id,
    output: z.literal(true),
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
};
