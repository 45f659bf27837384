/** Nodes of the swarm and what runs in it (decisions 10). */
import { z } from 'zod';

const labels = z.record(z.string(), z.string());
const amount = z.object({ cpus: z.number(), memoryBytes: z.number() });
const bound = z.object({ cpus: z.number().nullable(), memoryBytes: z.number().nullable() });
const platform = z.object({ os: z.string(), architecture: z.string() });

export const nodeRecord = z
  .object({
    id: z.string(),
    hostname: z.string(),
    role: z.enum(['manager', 'worker']),
    availability: z.string().meta({ description: 'active, pause or drain', examples: ['active'] }),
    state: z.string().meta({ description: 'ready, down, disconnected or unknown', examples: ['ready'] }),
    version: z.string().describe('Of its engine'),
    resources: amount,
    labels,
    platform,
    leader: z.boolean(),
  })
  .meta({ id: 'SwarmNode' });

export const nodeDetails = nodeRecord.extend({
  specification: z.object({ role: z.enum(['manager', 'worker']), availability: z.string(), labels }),
  status: z.object({ state: z.string(), message: z.string(), address: z.string() }),
  managerStatus: z
    .object({ leader: z.boolean(), reachability: z.string(), address: z.string() })
    .nullable()
    .describe('null for a worker'),
  engine: z.object({
    version: z.string(),
    labels,
    plugins: z.array(z.object({ type: z.string(), name: z.string() })),
  }),
  constraints: z
    .array(z.string())
    .describe('Placement constraints that this node meets, each as a service would write it'),
  createdAt: z.string(),
});

export const swarmApp = z
  .object({
    id: z.string(),
    name: z.string(),
    stack: z.string().nullable().describe('Name of the stack it belongs to'),
    mode: z.enum(['replicated', 'global', 'replicated-job', 'global-job']),
    replicas: z.object({ running: z.number(), desired: z.number() }),
    image: z.string(),
    nodes: z.array(z.string()).describe('Host names of the nodes its tasks run on'),
    networks: z.array(z.string()),
    ports: z.array(
      z.object({
        published: z.number().nullable(),
        target: z.number(),
        protocol: z.string(),
        mode: z.string(),
      }),
    ),
    resources: z.object({ limits: bound, reservations: bound }),
    status: z
      .enum(['running', 'updating', 'degraded', 'stopped'])
      .describe('degraded: fewer tasks run than should'),
    isPlatform: z.boolean().describe("Berth's own"),
  })
  .meta({ id: 'SwarmApp' });
