/** A template as its folder describes it (`template.yml`), and as it is answered. */
import { z } from 'zod';
import { id, line, name, serverId } from '../service/contract-fields.ts';

export const templateName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be the name of a template, such as uptime-kuma')
  .max(60);

/**
 * password: for people, 24 letters and digits; key: 64 hex digits; host, address, scheme: of its domain;
 * https: true or false, as the scheme.
 */
export const generators = ['password', 'key', 'host', 'address', 'scheme', 'https'] as const;

const variable = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/)
    .meta({ examples: ['DB_PASSWORD'] }),
  description: z.string().max(200),
  generate: z
    .enum(generators)
    .nullable()
    .default(null)
    .describe('How the value is generated when the template is used; null: value is used'),
  value: z.string().max(200).default('').describe('Without another one'),
});

const told = {
  title: z.string().max(60),
  description: z.string().max(200),
  website: z.url({ protocol: /^https$/ }),
};

/** The file `template.yml`. */
export const templateFile = z.strictObject({
  ...told,
  service: z.string().describe('Service of the file that its domain leads to'),
  port: z.number().int().min(1).max(65_535),
  firstSignIn: z
    .string()
    .max(400)
    .describe('Who signs in first, with what, and what to do before others find the address'),
  variables: z.array(variable).default([]),
});

export const templateRecord = z
  .object({
    name: z.string(),
    ...told,
    images: z.array(z.string()).describe('What is pulled'),
  })
  .meta({ id: 'Template' });

export const wholeTemplate = templateRecord
  .extend({
    ...templateFile.pick({ service: true, port: true, firstSignIn: true }).shape,
    file: z.string().describe('The compose file'),
  })
  .extend({ variables: z.array(variable) })
  .meta({ id: 'WholeTemplate' });

export const newFromTemplate = z.object({
  template: templateName,
  environmentId: id,
  name: name.optional().describe('Of the service; absent: that of the template'),
  serverId,
  host: line(1024).min(1).optional().describe('Where it answers; absent: a generated test name'),
  https: z
    .boolean()
    .optional()
    .describe(
      'With a certificate that is issued automatically. Absent: true for a host of yours, false for a ' +
        'generated name and for localhost',
    ),
  variables: z
    .record(z.string().max(100), z.string().max(10_000))
    .default({})
    .meta({
      description: 'Values in place of those that the template has or generates',
      examples: [{ ADMIN_USER: 'nina' }],
    }),
});

export const createdFromTemplate = z
  .object({
    composeId: z.string(),
    name: z.string(),
    appName: z.string(),
    domainId: z.string(),
    deploymentId: z.string(),
    address: z.string().describe('Where it answers once it is deployed'),
  })
  .meta({ id: 'CreatedFromTemplate' });

export type Template = z.infer<typeof wholeTemplate>;
