/** Remote servers of an organization (interface document, Servers; decisions 10). */
import { z } from 'zod';
import { parseMachineAddress } from '../../domain/names/names.ts';
import { logEvent } from '../../procedure/log-event.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query, subscription } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { serverBaseDomain } from '../base-domain/contract-field.ts';
import { metricsConfig, metricsPoint, metricsRange } from './record-monitoring.ts';
import {
  forgottenServer,
  installation,
  listedServer,
  securityReport,
  serverRecord,
  serverTypes,
  standingService,
} from './record.ts';
import { line, name } from '../service/contract-fields.ts';

const id = z.object({ serverId: z.string().min(1).max(100) });
const own = { class: 'admin', resources: [{ kind: 'server', field: 'serverId' }] } as const;
const sshKey = { kind: 'sshKey', field: 'sshKeyId' } as const;

const shape = {
  name,
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
    summary: 'Records a server; the server itself is not contacted or changed',
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
      'Another address or port is another machine: its host key is pinned again at the next ' +
      'contact, it is inactive until it is set up, and no longer trusted. One that services run on becomes ' +
      'no build server. A base domain that is, or lies above or below, that of the installation or of ' +
      'another organization is refused.',
    access: { class: 'admin', resources: [...own.resources, sshKey] },
    input: id.extend({
      ...z.object(shape).partial().shape,
      baseDomain: serverBaseDomain.optional(),
    }),
    output: serverRecord,
    refusals: ['PRECONDITION_FAILED', 'CONFLICT'],
  }),
  trustHostKey: mutation({
    summary: "Pins the server's host key with this fingerprint in place of the one that is pinned",
    description:
      'A server that presents a host key other than the pinned one is refused, with both fingerprints. ' +
      'Verify the new one first: "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub" on the server prints it.',
    access: own,
    input: id.extend({
      fingerprint: z
        .string()
        .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must be as ssh-keygen prints it: SHA256: and 43 characters')
        .meta({ examples: ['SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU'] }),
    }),
    output: serverRecord,
  }),
  setTrusted: mutation({
    summary: 'Says that the organization of the server owns the machine, or withdraws that',
    description:
      'Owners and Admins of its organization may then bind its folders, publish ports below 1024 and ' +
      "approve what compose files ask of it, for services there; Berth's own machine stays closed to them. " +
      'A head counts as trusted only if all nodes of its cluster are. ' +
      'Another address, port or host key ends it. ' +
      'When the trust ends, approvals no longer count: what runs keeps running, but its next deployment is ' +
      'refused. Refused before the host key of the server is known.',
    access: {
      class: 'installationOwner',
      resources: [{ kind: 'server', field: 'serverId', acrossOrganizations: true }],
    },
    input: id.extend({ trusted: z.boolean() }),
    output: serverRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  remove: mutation({
    summary: "Removes a server's record; refused while it has services or certificates",
    access: own,
    input: id,
    output: serverRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  services: query({
    summary: 'The services whose records name the server, as a deletion or server.forget would find them',
    access: own,
    input: id.extend(pageInput),
    output: listOf(standingService),
  }),
  forget: mutation({
    summary: 'Removes the records of a lost server and of everything on it, without reaching the server',
    description:
      'For a server that does not come back. Applications, compose services and databases on it, their ' +
      'previews, domains, mounts, schedules and backup plans lose their records; server.services lists ' +
      'them before. Objects at backup destinations stay, and are restored into services elsewhere. ' +
      'Whatever still runs on the machine continues, and Berth never removes it by itself, not even when ' +
      'the machine is added again. Servers that were nodes of its cluster have to be set up again.',
    access: own,
    input: id.extend({
      name: line(200).min(1).describe('Name of the server, as a confirmation'),
    }),
    output: forgottenServer,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE', 'CONFLICT'],
  }),
  setup: mutation({
    summary: 'Installs on the server what Berth needs there; refused with 412 without an SSH key',
    description:
      'A durable job: setupStatus, setupStage and setupError of the record show how far it is, setupLogs ' +
      'what it does. What is already there is used as it is; a second set-up changes nothing, and an ' +
      'interrupted one continues. While one is under way, no second one begins.',
    access: own,
    input: id,
    output: serverRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  setupLogs: subscription({
    summary: "The log of the server's last set-up as a live stream that can be resumed",
    access: own,
    input: id,
    output: logEvent,
  }),
  validate: query({
    summary: 'What is installed on the server, as it is at this moment',
    access: own,
    input: id,
    output: installation,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  security: query({
    summary: 'How the server is secured: firewall, SSH, sudo user, updates, intrusion prevention',
    access: own,
    input: id,
    output: securityReport,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  setupMonitoring: mutation({
    summary: 'Installs monitoring on the server, or changes it; returns when it measures',
    description:
      'A program of Berth (the service berth-monitoring) measures the machine and its containers. It ' +
      'opens no port: it is asked through the SSH connection. The configuration is kept with the record ' +
      'and shown there as metricsConfig; its token is never shown. When a value goes over its threshold, ' +
      'urlCallback gets a POST, signed with the token as webhooks are.',
    access: own,
    input: id.extend({ metricsConfig }),
    output: serverRecord,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  getServerMetrics: query({
    summary: "Data points of a server's metrics endpoint",
    description:
      'Berth asks only metrics endpoints of servers registered in the organization: the address must be ' +
      "a server's, and its port the one that its monitoring was set up with. Anything else is refused " +
      'with 403. The endpoint is reached through the SSH connection, whatever the path of the address.',
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
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  metrics: query({
    summary: 'What was measured of a server, oldest first, without its token',
    description:
      "Without serverId: of Berth's own machine, which only the installation's organization may see. The " +
      'last half hour is as it was measured, the last 24 hours are by the minute, and what is older is by ' +
      'the quarter hour.',
    access: { class: 'admin', resources: [{ kind: 'server', field: 'serverId' }] },
    example: { serverId: 'V1StGXR8Z5jdHi6BmyT3k' },
    input: z.object({
      serverId: z.string().min(1).max(100).nullish().describe("Absent or null: Berth's own machine"),
      ...metricsRange,
    }),
    output: z.array(metricsPoint),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
};
