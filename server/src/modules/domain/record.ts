/** The domain record (interface document, Domain). */
import { z } from 'zod';
import { certificateTypes } from '../../domain/certificates/certificate-type.ts';

const optional = z.string().nullable();

export const domainRecord = z
  .object({
    domainId: z.string(),
    host: z.string(),
    path: z.string(),
    port: z.number(),
    ownPort: z
      .number()
      .nullable()
      .describe('As it was set; null: port is the one that the service has without it'),
    https: z.boolean(),
    certificateType: z.enum(certificateTypes),
    customCertResolver: optional,
    applicationId: optional,
    composeId: optional,
    serviceName: optional,
    domainType: z.enum(['application', 'compose', 'preview']),
    previewDeploymentId: optional,
    internalPath: z.string(),
    stripPath: z.boolean(),
    uniqueConfigKey: z.number(),
    createdAt: z.string(),
    hstsMaxAge: z.number().nullable(),
    requestHeaders: z.record(z.string(), z.string()),
    maxBodyBytes: z.number().nullable(),
    allowedAddresses: z.array(z.string()),
    deniedAddresses: z.array(z.string()),
    maintenance: z.boolean(),
    maintenancePage: z.string().nullable(),
    errorPages: z.record(z.string(), z.string()),
    responseHeaders: z.record(z.string(), z.string()),
    compression: z.boolean(),
    trustedProxies: z.array(z.string()).nullable(),
    allowOnDemand: optional.describe(
      "Path of the service that says which of its customers' host names are served as well; null: none",
    ),
    onDemandOf: optional.describe(
      'Id of the domain whose service allowed this host; it follows that domain. null: a person made it',
    ),
  })
  .meta({ id: 'Domain' });

/** What became of the certificate of a domain's host. */
export const certificateState = z.object({
  status: z
    .enum(['none', 'pending', 'issued', 'failed'])
    .describe("none: no https, or no certificate but the server's own; pending: asked for, or about to be"),
  issuer: optional,
  expiresAt: optional.describe('ISO 8601'),
  error: optional.describe(
    'Why there is none yet, or why the present one was not renewed or is not trusted, and what to do',
  ),
  step: z
    .enum(['find', 'order', 'serve'])
    .nullable()
    .describe(
      'How far it is. find: an authority would not find the host yet, so none is asked; order: the ' +
        'authority is asked, or refused; serve: it is there; null: none is wanted or uploaded',
    ),
  nextTryAt: optional.describe('When a failed one is tried again by itself (ISO 8601)'),
});

/** With the state of its certificate. */
export const wholeDomain = domainRecord
  .extend({
    certificate: certificateState,
    refusedNames: z
      .array(
        z.object({
          host: z.string(),
          reason: z.string().describe('Why it was not allowed'),
          at: z.string().describe('When it was last asked for (ISO 8601)'),
        }),
      )
      .describe(
        'With allowOnDemand: the last 20 hosts that lead to this domain and were not allowed, newest ' +
          'first; since Berth was started',
      ),
  })
  .meta({ id: 'WholeDomain' });

/** Requests of a domain by the minute. */
export const requestsByMinute = z.object({
  domainId: z.string(),
  since: z.string(),
  minutes: z
    .array(
      z.object({
        minute: z.string().describe('Its beginning'),
        requests: z.number(),
        statuses: z
          .record(z.string(), z.number())
          .describe('How many by status; 499: the client left before the answer'),
        p50: z.number().describe('Milliseconds, as p95 and p99; within five percent'),
        p95: z.number(),
        p99: z.number(),
        bytes: z.number().describe('Of the answers'),
      }),
    )
    .describe('Minutes with requests, oldest first'),
});

export const loggedRequest = z.object({
  at: z.string(),
  method: z.string(),
  host: z.string(),
  path: z.string().describe('Without its query'),
  status: z.number(),
  durationMs: z.number(),
  bytes: z.number(),
});

/** What validateDomain found. */
export const dnsVerdict = z.object({
  isValid: z.boolean(),
  resolvedIps: z.array(z.string()),
  expectedIp: z.string(),
  error: z.string().optional().describe('Why it is not valid'),
  hint: z
    .string()
    .optional()
    .describe('What is to be mended although it is valid: records that lead elsewhere'),
  cdnProvider: z.string().optional().describe('What stands in front: a network for content, a trusted proxy'),
  machines: z
    .array(
      z.object({
        serverId: z.string().nullable().describe("null: Berth's own machine"),
        address: z.string().nullable().describe('IP address; null while nobody knows it'),
        isLed: z.boolean().describe('The name leads to it'),
      }),
    )
    .describe('Machines to one of which the name is to lead'),
});
