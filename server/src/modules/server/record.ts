/** The server record (decisions 10) and what its checks answer. */
import { z } from 'zod';
import { monitoring } from './record-monitoring.ts';

const optional = z.string().nullable();

export const serverTypes = ['deploy', 'build'] as const;

export const serverRecord = z
  .object({
    serverId: z.string(),
    name: z.string(),
    description: optional,
    ipAddress: z.string(),
    port: z.number(),
    username: z.string(),
    sshKeyId: optional,
    serverType: z.enum(serverTypes),
    status: z
      .enum(['active', 'inactive'])
      .describe('inactive until its set-up is done, and again when its address changes'),
    hostKeyFingerprint: optional.describe('Host key, pinned at the first contact; null before it'),
    setupStatus: z.enum(['idle', 'running', 'done', 'error']).describe('How the last set-up ended'),
    setupStage: optional.describe('Stage that it is at, or ended at'),
    setupError: optional.describe('Why it failed, and what to do'),
    buildsConcurrency: z.number(),
    metricsConfig: monitoring.nullable(),
    clusterServerId: optional.describe(
      'Server whose cluster it is a node of; null while it has a swarm of its own',
    ),
    trusted: z
      .boolean()
      .describe('Whether its Owners and Admins may reach the machine itself; of a cluster, if all nodes are'),
    baseDomain: optional.describe('null: none of its own'),
    createdAt: z.string(),
  })
  .meta({ id: 'Server' });

export const listedServer = serverRecord.extend({
  totalServices: z.number().describe('Applications, databases and compose services on it'),
});

/** A service that stands on a server, by its record. */
export const standingService = z.object({
  kind: z.enum(['application', 'compose', 'database']),
  serviceId: z.string(),
  name: z.string(),
  appName: z.string().describe('Name of its service, or of its services up to "-", on the engine'),
});

export const forgottenServer = serverRecord.extend({
  forgotten: z.array(standingService).describe('Services that lost their records with it'),
  formerNodes: z
    .array(z.string())
    .describe('Names of servers that were nodes of its cluster and have to be set up again'),
});

const program = z.object({ enabled: z.boolean(), version: optional });

/** What is installed on a server. */
export const installation = z.object({
  containerRuntime: program.extend({ accessible: z.boolean() }),
  rclone: program,
  nixpacks: program,
  buildpacks: program,
  railpack: program,
  isServiceNetworkInstalled: z.boolean(),
  isSwarmInstalled: z.boolean(),
  isMainDirectoryInstalled: z.boolean(),
});

/** How a server is secured. */
export const securityReport = z.object({
  firewall: z.object({
    installed: z.boolean(),
    active: z.boolean(),
    defaultIncoming: z.enum(['deny', 'allow']).nullable(),
  }),
  ssh: z.object({
    enabled: z.boolean(),
    keyAuth: z.boolean(),
    permitRootLogin: optional,
    passwordAuth: z.boolean(),
  }),
  nonRootUser: z.object({ hasValidSudoUser: z.boolean() }),
  automaticUpdates: z.object({ installed: z.boolean(), active: z.boolean() }),
  intrusionPrevention: z.object({ installed: z.boolean(), active: z.boolean() }),
  swarmPorts: z
    .object({
      restricted: z.boolean().describe('Whether only these can reach them'),
      allowedFrom: z.array(z.string()).describe('Addresses of the nodes of its swarm'),
    })
    .describe('2377/tcp, 7946/tcp and udp, 4789/udp, as the packet filter has them'),
});
