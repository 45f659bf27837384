/** A node of a cluster as its managers tell it. */
import { z } from 'zod';

export const clusterNode = z
  .object({
    nodeId: z.string().describe('In the swarm'),
    serverId: z.string().nullable().describe('Null for a node that joined without Berth'),
    name: z.string().describe("Of the server's record; the host name where there is none"),
    isHead: z.boolean().describe('Whether it is the server that services name'),
    role: z.enum(['manager', 'worker']),
    isLeader: z.boolean(),
    availability: z
      .enum(['active', 'pause', 'drain'])
      .describe('pause: no new tasks; drain: no tasks at all'),
    state: z.enum(['ready', 'down', 'disconnected', 'unknown']),
    message: z.string().describe('Why it is in that state; empty without a reason'),
    address: z.string(),
    tasks: z.number().describe("Running tasks of services there, Berth's own not counted"),
  })
  .meta({ id: 'ClusterNode' });
