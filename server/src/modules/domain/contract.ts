/** Domains (interface document, Domains; decisions 9). */
import { z } from 'zod';
import { appNamePattern } from '../../domain/names.ts';
import { listOf, pageInput } from '../../procedure/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { domainRecord } from './record.ts';

const text = (max: number): z.ZodString => z.string().max(max);
const own = { class: 'protected', resources: [{ kind: 'domain', field: 'domainId' }] } as const;
const id = z.object({ domainId: text(100).min(1) });
const changeable = {
  path: text(2000).optional(), port: z.number().int().min(1).max(65_535).optional(), https: z.boolean().optional(),
  certificateType: z.enum(['acme', 'none', 'custom']).optional(), customCertResolver: text(200).nullish(), serviceName: text(100).nullish(),
  domainType: z.enum(['application', 'compose', 'preview']).optional(), internalPath: text(2000).nullish(), stripPath: z.boolean().optional(),
};

export const domainContract = {
  create: mutation({
    summary: 'Routes a host and path to a service; in effect at once',
    access: { class: 'protected', resources: [{ kind: 'application', field: 'applicationId' }] },
    input: z.object({ host: text(1024).min(1), ...changeable, applicationId: text(100).nullish(), composeId: text(100).nullish(), previewDeploymentId: text(100).nullish() }),
    output: domainRecord,
  }),
  update: mutation({ summary: 'Changes a route; in effect at once', access: own, input: id.extend({ host: text(1024).min(1), ...changeable }), output: domainRecord }),
  one: query({ summary: 'One domain', access: own, input: id, output: domainRecord }),
  byApplicationId: query({
    summary: 'The domains of an application, newest first',
    access: { class: 'protected', resources: [{ kind: 'application', field: 'applicationId' }] },
    input: z.object({ applicationId: text(100).min(1), ...pageInput }),
    output: listOf(domainRecord),
  }),
  delete: mutation({ summary: 'Removes a route at once', access: own, input: id, output: domainRecord }),
  generateDomain: mutation({
    summary: 'A test host name that resolves to the server\'s address',
    access: { class: 'protected', resources: [] },
    input: z.object({ appName: z.string().regex(appNamePattern, 'must be 1 to 63 letters, digits, - or _'), serverId: text(100).nullish() }),
    output: z.string(),
  }),
};
