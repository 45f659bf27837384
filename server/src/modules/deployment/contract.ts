/** Deployments (decisions 5). */
import { z } from 'zod';
import { logEvent } from '../../procedure/log-event.ts';
import { listOf, pageInput } from '../../procedure/page.ts';
import { mutation, query, subscription } from '../../procedure/procedure.ts';
import { deploymentRecord } from './record.ts';

const id = z.object({ deploymentId: z.string().min(1).max(100) });
const own = { class: 'protected', resources: [{ kind: 'deployment', field: 'deploymentId' }] } as const;

export const deploymentContract = {
  all: query({
    summary: 'The deployments of an application, newest first',
    access: { class: 'protected', resources: [{ kind: 'application', field: 'applicationId' }] },
    input: z.object({ applicationId: z.string().min(1).max(100), ...pageInput }),
    output: listOf(deploymentRecord),
  }),
  one: query({ summary: 'One deployment', access: own, input: id, output: deploymentRecord }),
  readLogs: query({
    summary: 'The log of a deployment',
    access: own,
    input: id.extend({ tail: z.number().int().min(1).max(100_000).optional().describe('Only the last lines') }),
    output: z.array(z.string()),
  }),
  logs: subscription({ summary: 'The log of a deployment as a live stream that can be resumed', access: own, input: id, output: logEvent }),
  rollback: mutation({
    summary: 'Releases an earlier deployment again: its image with the settings it had',
    access: { ...own, action: 'deploy' },
    input: id,
    output: deploymentRecord,
    refusals: ['PRECONDITION_FAILED', 'NOT_IMPLEMENTED'],
  }),
};
