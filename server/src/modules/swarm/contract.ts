/** The swarm that services run in (interface document, Swarm; decisions 10). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { query } from '../../procedure/procedure.ts';
import { nodeDetails, nodeRecord, swarmApp } from './record.ts';

const serverId = z
  .string()
  .min(1)
  .max(100)
  .nullish()
  .describe('Another server, whose swarm is meant; default: this one');
const access = {
  class: 'admin',
  resources: [{ kind: 'server', field: 'serverId' }],
  flatRefusal: 'Unauthorized',
} as const;
const refusals = ['Swarm not available', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'] as const;

export const swarmContract = {
  getNodes: query({
    summary: 'The nodes of the swarm, newest first',
    access,
    input: z.object({ serverId, ...pageInput }),
    output: listOf(nodeRecord),
    refusals,
  }),
  getNodeInfo: query({
    summary: 'Everything about one node of the swarm',
    access,
    input: z.object({ nodeId: z.string().min(1).max(200), serverId }),
    output: nodeDetails,
    refusals: ['Node not found', ...refusals],
  }),
  getNodeApps: query({
    summary: 'The services and stacks of the swarm, newest first',
    description:
      "Shows what belongs to the organization. Berth's own services, and those that belong to nothing, " +
      "are shown only to the installation's first organization.",
    access,
    input: z.object({ serverId, ...pageInput }),
    output: listOf(swarmApp),
    refusals,
  }),
};
