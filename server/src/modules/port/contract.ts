/** Ports of applications that the servers publish beside the proxy (decisions 5). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { portRecord } from './record.ts';

const port = z.number().int().min(1).max(65_535);
const protocol = z.enum(['tcp', 'udp']);
const publishMode = z
  .enum(['ingress', 'host'])
  .describe(
    'ingress: through the routing mesh, on every server; host: on the server of the task, which a new ' +
      'version then has to replace stop-first',
  );
const own = { class: 'protected', resources: [{ kind: 'port', field: 'portId' }] } as const;
const ofApplication = {
  class: 'protected',
  resources: [{ kind: 'application', field: 'applicationId' }],
} as const;
const hostReach = [{ field: 'publishedPort', when: 'below1024' }] as const;
const id = z.object({ portId: z.string().min(1) });
const answer = portRecord.extend({
  notice: z
    .string()
    .nullable()
    .describe('Says so when the port is published in a mode other than the one asked for'),
});

export const portContract = {
  create: mutation({
    summary: 'Publishes a port of an application from its next deploy',
    description:
      'Where the routing mesh does not work, ingress becomes host and `notice` says so. A reserved or ' +
      'taken port is refused with 409.',
    access: { ...ofApplication, hostReach },
    input: z.object({
      applicationId: z.string().min(1),
      publishedPort: port,
      targetPort: port,
      protocol: protocol.default('tcp'),
      publishMode: publishMode.default('ingress'),
    }),
    output: answer,
    refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  }),
  one: query({
    summary: 'One published port',
    access: own,
    input: id,
    output: portRecord,
  }),
  byApplicationId: query({
    summary: 'The published ports of an application, newest first',
    access: ofApplication,
    input: z.object({ applicationId: z.string().min(1), ...pageInput }),
    output: listOf(portRecord),
  }),
  update: mutation({
    summary: 'Changes a published port; it takes effect at the next deploy',
    access: { ...own, hostReach },
    input: id.extend({
      publishedPort: port.optional(),
      targetPort: port.optional(),
      protocol: protocol.optional(),
      publishMode: publishMode.optional(),
    }),
    output: answer,
    refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  }),
  delete: mutation({
    summary: 'Removes a published port; it is closed at the next deploy',
    access: own,
    input: id,
    output: portRecord,
  }),
};
