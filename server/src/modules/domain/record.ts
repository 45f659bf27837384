/** The domain record (interface document, Domain). */
import { z } from 'zod';

const optional = z.string().nullable();

export const domainRecord = z.object({
  domainId: z.string(), host: z.string(), path: z.string(), port: z.number(), https: z.boolean(), certificateType: z.enum(['acme', 'none', 'custom']),
  customCertResolver: optional, applicationId: optional, composeId: optional, serviceName: optional, domainType: z.enum(['application', 'compose', 'preview']),
  previewDeploymentId: optional, internalPath: z.string(), stripPath: z.boolean(), uniqueConfigKey: z.number(), createdAt: z.string(),
}).meta({ id: 'Domain' });

/** What validateDomain found. */
export const dnsVerdict = z.object({
  isValid: z.boolean(), resolvedIps: z.array(z.string()), expectedIp: z.string(), error: z.string().optional().describe('Why it is not valid'), cdnProvider: z.string().optional(),
});
