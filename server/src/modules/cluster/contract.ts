/** Servers that are nodes of another server's swarm (decisions 13). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { serverRecord } from '../server/record.ts';
import { clusterNode } from './record.ts';

const serverId = z.string().min(1).max(100);
const nodeInput = z.object({ nodeServerId: serverId.describe('Server that is the node') });
const onNode = { class: 'admin', resources: [{ kind: 'server', field: 'nodeServerId' }] } as const;
const refusals = ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'] as const;

export const clusterContract = {
  join: mutation({
    summary: "Makes a server a node of another server's cluster",
    description:
      'The server gives up its own swarm, so it must have no services. Services of serverId are spread ' +
      'over its nodes from their next release; whatever holds a volume, a folder or a port of the machine ' +
      'stays on serverId itself. The nodes must reach each other at 2377/tcp, 7946/tcp and udp, and ' +
      '4789/udp; nothing else may. Calling it again continues where it stopped.',
    access: {
      class: 'admin',
      resources: [
        { kind: 'server', field: 'serverId' },
        { kind: 'server', field: 'nodeServerId' },
      ],
    },
    input: z.object({
      serverId: serverId.describe('Server whose cluster is joined'),
      nodeServerId: serverId.describe('Server that becomes a node; it must be set up'),
      role: z
        .enum(['worker', 'manager'])
        .default('worker')
        .describe('With three managers the cluster survives the loss of one'),
    }),
    output: clusterNode,
    refusals,
  }),
  nodes: query({
    summary: "The nodes of a server's cluster, the server itself first",
    access: { class: 'admin', resources: [{ kind: 'server', field: 'serverId' }] },
    input: z.object({
      serverId: serverId.describe('Server of the cluster, or a node of it'),
      ...pageInput,
    }),
    output: listOf(clusterNode),
    refusals,
  }),
  drain: mutation({
    summary: 'Moves what runs on a node to the others, each service as in a release, then keeps it empty',
    description:
      'It gets no new tasks from then on. A service whose new task does not become healthy stays where ' +
      'it is, and the answer names it; call it again when that is fixed.',
    access: onNode,
    input: nodeInput,
    output: clusterNode,
    refusals,
  }),
  activate: mutation({
    summary: 'Makes a drained node take tasks again; what runs elsewhere stays there until its next release',
    access: onNode,
    input: nodeInput,
    output: clusterNode,
    refusals,
  }),
  promote: mutation({
    summary: 'Makes a node a manager, which keeps the state of the cluster',
    access: onNode,
    input: nodeInput,
    output: clusterNode,
    refusals,
  }),
  demote: mutation({
    summary: 'Makes a manager a worker',
    access: onNode,
    input: nodeInput,
    output: clusterNode,
    refusals,
  }),
  leave: mutation({
    summary: 'Drains a node, takes it out of its cluster, and sets it up with a swarm of its own again',
    access: onNode,
    input: nodeInput,
    output: serverRecord,
    refusals,
  }),
  remove: mutation({
    summary: 'Takes a node that is lost out of its cluster; refused while it can be reached',
    description:
      'Its record stays as a server that is not set up. Use leave for a node that answers: it moves what ' +
      'runs there first.',
    access: onNode,
    input: nodeInput,
    output: serverRecord,
    refusals,
  }),
};
