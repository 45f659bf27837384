/** Domains (interface document, Domains; decisions 9). */
import { z } from 'zod';
import { appNamePattern } from '../../domain/names/names.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { dnsVerdict, domainRecord, loggedRequest, requestsByMinute, wholeDomain } from './record.ts';
import { line } from '../service/contract-fields.ts';
import { recordPlan, recordsInput } from '../dns-record/contract-part.ts';

const own = { class: 'protected', resources: [{ kind: 'domain', field: 'domainId' }] } as const;
const ofRecords = {
  class: 'admin',
  resources: [
    { kind: 'domain', field: 'domainId' },
    { kind: 'server', field: 'serverId' },
  ],
} as const;
const id = z.object({ domainId: line(100).min(1) });
const changeable = {
  path: line(2000).optional(),
  port: z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .nullish()
    .describe(
      'Of the service. Absent or null: for an application the port that its image exposes (80 for a static ' +
        'site), and 3000 until a build has shown one; for a compose service 3000',
    ),
  https: z.boolean().optional(),
  certificateType: z
    .enum(['acme', 'none', 'custom'])
    .optional()
    .describe(
      'Required when https is true. acme: issued automatically; custom: issued by customCertResolver; ' +
        'none: an uploaded certificate that covers the host',
    ),
  customCertResolver: line(200).nullish().describe('Name of a certificate resolver of the organization'),
  serviceName: line(100).nullish().describe('Service within the compose file'),
  domainType: z.enum(['application', 'compose', 'preview']).optional(),
  internalPath: line(2000).nullish(),
  stripPath: z.boolean().optional(),
  hstsMaxAge: z
    .number()
    .int()
    .min(0)
    .max(100_000_000)
    .nullish()
    .describe(
      'Strict-Transport-Security: for how many seconds browsers insist on https for this host; such as ' +
        '31536000, a year. null: not sent. 0 makes them forget it',
    ),
  requestHeaders: z
    .record(z.string().max(100), z.string().max(1000))
    .optional()
    .meta({
      description:
        "Headers that the service gets with each request, in place of the client's own headers of that name",
      examples: [{ 'X-Tenant': 'shop' }],
    }),
  maxBodyBytes: z
    .number()
    .int()
    .min(1)
    .max(1024 ** 4)
    .nullish()
    .describe('Largest body of a request; a larger one is answered with 413. null: any'),
  allowedAddresses: z
    .array(line(100))
    .max(500)
    .optional()
    .describe('Addresses and networks that may ask, others are answered with 403; empty: all'),
  deniedAddresses: z
    .array(line(100))
    .max(500)
    .optional()
    .describe('Addresses and networks that are answered with 403, whether allowed or not'),
  maintenance: z
    .boolean()
    .optional()
    .describe('Answers every request with 503 and the maintenance page; nothing reaches the service'),
  maintenancePage: z.string().max(40_000).nullish().describe('HTML; null: a plain sentence'),
  errorPages: z
    .record(z.string().max(20), z.string().max(40_000))
    .optional()
    .meta({
      description:
        "HTML in place of errors, of the proxy's and of the service's, by status; 4xx and 5xx stand for " +
        'all that have none of their own',
      examples: [{ '404': '<h1>Not here</h1>', '5xx': '<h1>Back soon</h1>' }],
    }),
  responseHeaders: z
    .record(z.string().max(100), z.string().max(1000))
    .optional()
    .meta({
      description: "Headers of every answer, in place of the service's; an empty value takes one away",
      examples: [{ 'X-Frame-Options': 'DENY', 'X-Powered-By': '' }],
    }),
  compression: z
    .boolean()
    .optional()
    .describe('Packs texts by zstd or gzip for clients that take it; streams of events stay as they are'),
  trustedProxies: z
    .array(line(100))
    .max(500)
    .nullish()
    .describe(
      'Proxies in front whose X-Forwarded headers the service gets: cloudflare, fastly, private, addresses ' +
        'and networks. null: those of the setting trustedProxies; empty: none',
    ),
  allowOnDemand: line(1000)
    .nullish()
    .meta({
      description:
        'Serves host names of customers too: before the first certificate of a host that leads here, Berth ' +
        'asks this path of the service with `?domain=<host>`; 200 to 299 allows it, anything else, or no ' +
        'answer within 4 seconds, does not. Needs https with `acme`, and the path `/`. null: no others',
      examples: ['/berth/allow'],
    }),
};

export const domainContract = {
  create: mutation({
    summary: 'Routes a host and path to a service; in effect at once',
    description:
      'The service is named by applicationId, or with the domainType `compose` by composeId and ' +
      'serviceName, or with `preview` by previewDeploymentId. Host and path are unique on each server.',
    access: {
      class: 'protected',
      resources: [
        { kind: 'application', field: 'applicationId' },
        { kind: 'compose', field: 'composeId' },
        { kind: 'previewDeployment', field: 'previewDeploymentId' },
      ],
    },
    input: z.object({
      host: line(1024).min(1),
      ...changeable,
      applicationId: line(100).nullish(),
      composeId: line(100).nullish(),
      previewDeploymentId: line(100).nullish(),
    }),
    example: {
      host: 'shop.example.com',
      applicationId: 'V1StGXR8Z5jdHi6BmyT3k',
      https: true,
      certificateType: 'acme',
    },
    output: domainRecord,
    refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  }),
  update: mutation({
    summary: 'Changes a route; in effect at once',
    description:
      '`host` is always sent; other absent fields stay. What the domain belongs to, and so domainType, ' +
      'never changes.',
    access: own,
    input: id.extend({ host: line(1024).min(1), ...changeable }),
    output: domainRecord,
    refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  }),
  one: query({
    summary: 'One domain, with the state of its certificate',
    description:
      'An ACME authority is asked when the DNS points to this server, and again automatically after a ' +
      'refusal: first after 10 minutes, then less and less often; domain.update asks again at once.',
    access: own,
    input: id,
    output: wholeDomain,
  }),
  requests: query({
    summary: 'How many requests a domain had by status, and how long they took, minute by minute',
    description: 'Kept for a day; there within a second or two.',
    access: own,
    input: id.extend({
      since: z.iso
        .datetime({ offset: true, error: 'must be a time such as 2026-01-01T00:00:00Z' })
        .optional()
        .describe('Default: an hour ago'),
    }),
    output: requestsByMinute,
  }),
  accessLog: query({
    summary: 'The last requests of a domain, oldest first',
    description:
      'Two files of at most 8 MiB are kept for each service. Neither query strings nor client addresses ' +
      'are recorded.',
    access: own,
    input: id.extend({ tail: z.number().int().min(1).max(1000).default(100) }),
    output: z.array(loggedRequest),
  }),
  byApplicationId: query({
    summary: 'The domains of an application, newest first',
    access: { class: 'protected', resources: [{ kind: 'application', field: 'applicationId' }] },
    input: z.object({ applicationId: line(100).min(1), ...pageInput }),
    output: listOf(domainRecord),
  }),
  byComposeId: query({
    summary: 'The domains of a compose service, newest first',
    access: { class: 'protected', resources: [{ kind: 'compose', field: 'composeId' }] },
    input: z.object({ composeId: line(100).min(1), ...pageInput }),
    output: listOf(domainRecord),
  }),
  delete: mutation({
    summary: 'Removes a route at once',
    access: own,
    input: id,
    output: domainRecord,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  generateDomain: mutation({
    summary: 'A free host name that leads to the server',
    description:
      '`<name>-<project>` below the base domain of the project of the service with this appName, else of ' +
      "the server, else, on Berth's own machine, of the setting baseDomain; without one a test name of " +
      "sslip.io that resolves to the server's address.",
    access: { class: 'protected', resources: [{ kind: 'server', field: 'serverId' }] },
    input: z.object({
      appName: z.string().regex(appNamePattern, 'must be 1 to 63 letters, digits, - or _'),
      serverId: line(100).nullish().describe('A server other than this one'),
    }),
    output: z.string(),
    refusals: ['PRECONDITION_FAILED'],
  }),
  validateDomain: mutation({
    summary: 'Checks whether a host name points to the server',
    description:
      'DNS is asked through the setting dnsResolver, for IPv4 and IPv6. For a wildcard, a name below it ' +
      'is looked up. Without serverIp, serverId and projectId it is to lead where a domain of the ' +
      'organization with this host stands, else where the services of the base domain are that it lies ' +
      "in, else to Berth's own machine. Behind a content delivery network, or a proxy of the setting " +
      'trustedProxies, the DNS shows only that: it is valid, and cdnProvider names it.',
    access: {
      class: 'protected',
      resources: [
        { kind: 'server', field: 'serverId' },
        { kind: 'project', field: 'projectId' },
      ],
    },
    input: z.object({
      domain: line(1024).min(1),
      serverIp: z
        .union([z.ipv4(), z.ipv6()], 'must be an IP address')
        .nullish()
        .describe('Address to which it is to lead'),
      serverId: line(100).nullish().describe("Server to which it is to lead; null: Berth's own machine"),
      projectId: line(100)
        .optional()
        .describe('Project to whose services it is to lead, or a base domain of it'),
    }),
    output: dnsVerdict,
  }),
  planRecords: query({
    summary: 'Which DNS records Berth would set so that a domain or base domain leads to its server',
    description:
      'Reads the zone at the DNS provider of the organization that serves it, and changes nothing. Each ' +
      'record that Berth makes has a TXT record beside it that says so; records without one are never ' +
      'changed or removed.',
    access: ofRecords,
    input: recordsInput,
    example: { domainId: 'V1StGXR8Z5jdHi6BmyT3k' },
    output: recordPlan,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  applyRecords: mutation({
    summary: 'Sets the DNS records of the plan that was shown',
    description:
      'Refused with 409 when the zone has changed since domain.planRecords, or has records of others in ' +
      'the way. A change that is broken off is finished within some minutes. The records go with the ' +
      'domain; those of a base domain that nobody has saved after a day go as well.',
    access: ofRecords,
    input: recordsInput.extend({
      digest: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'must be the digest of domain.planRecords')
        .describe('digest of domain.planRecords'),
    }),
    example: {
      domainId: 'V1StGXR8Z5jdHi6BmyT3k',
      digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
    output: recordPlan,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
};
