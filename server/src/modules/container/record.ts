/** Containers as they are shown (decisions 10). */
import { z } from 'zod';
import { secretLines } from '../../procedure/secret-fields.ts';

export const containerRecord = z
  .object({
    containerId: z.string().describe('Empty while a task has no container yet'),
    name: z.string(),
    image: z.string(),
    ports: z.string().meta({ description: 'As in `0.0.0.0:8080->80/tcp, 443/tcp`', examples: ['443/tcp'] }),
    state: z.string().meta({ examples: ['running'] }),
    status: z.string().meta({ description: 'As the engine puts it', examples: ['Up 3 hours (healthy)'] }),
    serverId: z.string().nullable().describe('null: this server'),
    node: z.string().optional().describe('Host name of its node in the swarm'),
    labels: z.record(z.string(), z.string()),
    isPlatform: z.boolean().describe("Berth's own; it cannot be restarted here"),
  })
  .meta({ id: 'Container' });

export const serviceContainer = containerRecord.extend({
  configuration: z
    .object({
      image: z.string(),
      command: z.array(z.string()),
      args: z.array(z.string()),
      env: z.array(secretLines()).describe('For members without values'),
      mounts: z.array(
        z.object({ type: z.string(), source: z.string(), target: z.string(), readOnly: z.boolean() }),
      ),
      networks: z.array(z.string()),
      constraints: z.array(z.string()),
      limits: z.object({ cpus: z.number().nullable(), memoryBytes: z.number().nullable() }),
      reservations: z.object({ cpus: z.number().nullable(), memoryBytes: z.number().nullable() }),
    })
    .describe('What its service asks for'),
});
