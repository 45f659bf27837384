/** Remote servers of an organization (interface document, Servers; decisions 10). */
import { z } from 'zod';
import { parseMachineAddress } from '../../domain/names.ts';
import { listOf, pageInput } from '../../procedure/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/ruled.ts';
import { metricsConfig, metricsPoint } from './record-monitoring.ts';
import { installation, listedServer, securityReport, serverRecord, serverTypes } from './record.ts';

const id = z.object({ serverId: z.string().min(1).max(100) });
const own = { class: 'admin', resources: [{ kind: 'server', field: 'serverId' }] } as const;
const sshKey = { kind: 'sshKey', field: 'sshKeyId' } as const;

const shape = {
  name: z.string().min(1).max(100),
  description: z.string().max(1000).nullable(),
  ipAddress: ruled(z.string().max(255), parseMachineAddress).describe('IP address or host name'),
  port: z.number().int().min(1).max(65_535).describe('Port of SSH'),
  username: z
    .string()
    .max(64)
    .regex(
      /^[a-zA-Z0-9_][a-zA-Z0-9._@-]*\$?$/,
      'must be the name of a user: letters, digits, ".", "_", "@" and "-", none of the last three first',
    )
    .describe('User that SSH signs in as'),
  sshKeyId: z.string().max(100).nullable().describe('Key that SSH signs in with; setup needs one'),
  serverType: z.enum(serverTypes),
  buildsConcurrency: z.number().int().min(1).max(32).describe('Builds at once'),
};

export const serverContract = {
  create: mutation({
    summary: 'Records a server; nothing is reached or changed on it',
    description: 'description and sshKeyId may be null. Run server.setup to prepare it.',
    access: { class: 'admin', resources: [sshKey] },
    input: z.object({
      ...shape,
      description: shape.description.optional(),
      sshKeyId: shape.sshKeyId.optional(),
      buildsConcurrency: shape.buildsConcurrency.default(1),
    }),
    output: serverRecord,
  }),
  one: query({ summary: 'One server', access: own, input: id, output: serverRecord }),
  all: query({
    summary: 'The servers of the organization, newest first, each with the number of services on it',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(listedServer),
  }),
  update: mutation({
    summary: "Changes a server's record; absent fields stay",
    description:
      'Another address or port is another machine to Berth: its host key is pinned anew at the next ' +
      'contact, and it is inactive until it is set up.',
    access: { class: 'admin', resources: [...own.resources, sshKey] },
    input: id.extend(z.object(shape).partial().shape),
    output: serverRecord,
  }),
  remove: mutation({
    summary: "Removes a server's record; refused while services or certificates stand on it",
    access: own,
    input: id,
    output: serverRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  setup: mutation({
    summary: 'Installs on the server what Berth needs there; refused with 412 without an SSH key',
    access: own,
    input: id,
    output: serverRecord,
    refusals: ['PRECONDITION_FAILED', 'NOT_IMPLEMENTED'],
  }),
  validate: query({
    summary: 'What is installed on the server',
    access: own,
    input: id,
    output: installation,
    refusals: ['NOT_IMPLEMENTED'],
  }),
  security: query({
    summary: 'How the server is secured: firewall, SSH, sudo user, updates, intrusion prevention',
    access: own,
    input: id,
    output: securityReport,
    refusals: ['NOT_IMPLEMENTED'],
  }),
  setupMonitoring: mutation({
    summary: 'Installs monitoring on the server, or changes it',
    description:
      "The configuration is kept with the server's record and shown there as metricsConfig; its token " +
      'is never shown.',
    access: own,
    input: id.extend({ metricsConfig }),
    output: serverRecord,
    refusals: ['NOT_IMPLEMENTED'],
  }),
  getServerMetrics: query({
    summary: "Data points of a server's metrics endpoint",
    description:
      'Berth asks only metrics endpoints of servers registered in the organization: the address must be ' +
      "a server's, and its port the one that its monitoring was set up with. Anything else is refused " +
      'with 403.',
    access: { class: 'admin', resources: [] },
    input: z.object({
      url: z
        .url({ protocol: /^https?$/, error: 'must be an http or https address' })
        .max(2000)
        .describe('Address of the metrics endpoint'),
      token: z.string().max(1000).describe('Token of the metrics endpoint'),
      dataPoints: z
        .preprocess(
          (value) => (typeof value === 'string' && /^[0-9]{1,6}$/.test(value) ? Number(value) : value),
          z.number().int().min(1).max(10_000),
        )
        .describe('Number of points, the newest ones'),
    }),
    output: z.array(metricsPoint),
    refusals: ['NOT_IMPLEMENTED'],
  }),
};
