/** A template as its folder describes it (`template.yml`), and as it is answered. */
import { z } from 'zod';
import { id, line, name, serverId } from '../service/contract-fields.ts';

export const templateName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be the name of a template, such as uptime-kuma')
  .max(60);

/**
 * password: letters and digits for people, 24 unless `length` says otherwise; key: 64 hex digits; hex,
 * base64: of `length` random bytes; username: a letter, then letters and digits in lower case; jwt: signed
 * (HS256) with another variable; host, address, scheme: of a domain; https: true or false, as the scheme.
 */
export const generators = [
  'password',
  'key',
  'hex',
  'base64',
  'uuid',
  'username',
  'jwt',
  'host',
  'address',
  'scheme',
  'https',
] as const;

const variableName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable, such as DB_PASSWORD')
  .meta({ examples: ['DB_PASSWORD'] });

const variable = z.strictObject({
  name: variableName,
  description: z.string().max(500),
  generate: z
    .enum(generators)
    .nullable()
    .default(null)
    .describe('How the value is generated when the template is used; null: value is used'),
  length: z
    .number()
    .int()
    .min(1)
    .max(512)
    .nullable()
    .default(null)
    .describe('Characters of a password or username, random bytes of hex and base64; null: the default'),
  alphabet: z
    .string()
    .min(2)
    .max(128)
    .nullable()
    .default(null)
    .describe('Characters that a password has; null: letters and digits'),
  claims: z
    .record(z.string().max(100), z.union([z.string().max(1000), z.number(), z.boolean()]))
    .nullable()
    .default(null)
    .describe('Claims of a jwt; iat and exp (in ten years) are added where absent'),
  signedWith: variableName.nullable().default(null).describe('Variable whose value signs a jwt'),
  domain: z
    .string()
    .max(60)
    .nullable()
    .default(null)
    .describe('Domain that host, address, scheme and https are of; null: the first'),
  value: z
    .string()
    .max(10_000)
    .default('')
    .describe('Without another one. ${NAME} stands for the value of another variable of the template'),
  required: z.boolean().default(false).describe('Whether a value has to be given or generated'),
  pattern: z
    .string()
    .max(300)
    .nullable()
    .default(null)
    .describe('Regular expression that a given value matches as a whole; null: any value'),
  message: z.string().max(300).default('').describe('What is said of a value that does not match'),
  secret: z.boolean().default(false).describe('Whether the form hides what is typed'),
});

const told = {
  title: z.string().min(1).max(60),
  description: z.string().max(500),
  website: z.url({ protocol: /^https?$/ }).max(500),
  tags: z
    .array(
      z
        .string()
        .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower case, such as self-hosted')
        .max(40),
    )
    .max(20)
    .default([])
    .describe('Words to find it by'),
};

const port = z.number().int().min(1).max(65_535);

const domain = z.strictObject({
  name: templateName.describe('What template.create calls it in hosts'),
  service: z.string().max(100).describe('Service of the file that it leads to'),
  port,
  path: z
    .string()
    .max(1000)
    .regex(/^\/[^\r\n]*$/, 'must begin with / and be one line')
    .default('/'),
  description: z.string().max(200).default(''),
});

const file = z.strictObject({
  path: z
    .string()
    .max(500)
    .regex(/^[^\r\n/][^\r\n]*$/, 'must be a relative path')
    .meta({ description: 'Path beside the compose file, as the file names it', examples: ['conf/app.toml'] }),
  mountPath: z
    .string()
    .max(500)
    .nullable()
    .default(null)
    .describe('Where each service has it; null: below /run/berth, and where the file mounts it'),
  content: z
    .string()
    .min(1)
    .max(500_000)
    .describe('Its text. ${NAME} of a variable of the template stands for its value; other names stay'),
  secret: z
    .boolean()
    .default(false)
    .describe('Whether its text is never shown again; so is each that contains a generated secret'),
});

const details = {
  firstSignIn: z
    .string()
    .min(1)
    .max(1000)
    .describe('Who signs in first, with what, and what to do before others find the address'),
  instructions: z
    .string()
    .max(4000)
    .default('')
    .describe('What to do after it was created. ${NAME} stands for a variable that is no secret'),
  files: z.array(file).max(50).default([]).describe('Files beside the compose file'),
  variables: z.array(variable).max(300).default([]),
};

/** The file `template.yml`. */
export const templateFile = z.strictObject({
  ...told,
  service: z.string().max(100).optional().describe('Service of the file that its first domain leads to'),
  port: port.optional(),
  domains: z.array(domain).max(20).default([]).describe('Domains, after that of service and port'),
  ...details,
});

export const templateRecord = z
  .object({
    name: z.string(),
    ...told,
    icon: z.string().nullable().describe('A picture as a data address; null: none'),
    images: z.array(z.string()).describe('What is pulled'),
    catalogue: z
      .object({ templateCatalogueId: z.string(), name: z.string() })
      .nullable()
      .describe("The organization's catalogue that it is of; null: it is one of Berth's own"),
  })
  .meta({ id: 'Template' });

export const wholeTemplate = templateRecord
  .extend({
    service: z.string().nullable().describe('Service that its first domain leads to; null: it has no domain'),
    port: port.nullable(),
    domains: z.array(domain).describe('All of them, the first one first'),
    ...details,
    file: z.string().describe('The compose file'),
  })
  .meta({ id: 'WholeTemplate' });

/** A template that is sent whole, as its folder has it. */
export const templateDefinition = templateFile.extend({
  name: templateName,
  file: z.string().min(1).max(65_536).describe('The compose file'),
  icon: z.string().max(20_000).nullable().default(null).describe('Text of an SVG picture; null: none'),
});

export const newFromTemplate = z.object({
  template: templateName.optional().describe('One of template.all; absent: definition'),
  templateCatalogueId: id.optional().describe("Catalogue that template is of; absent: one of Berth's own"),
  definition: templateDefinition
    .optional()
    .describe('A template of your own, whole, in place of one of template.all'),
  environmentId: id,
  name: name.optional().describe('Of the service; absent: that of the template'),
  serverId,
  host: line(1024).min(1).optional().describe('Where it answers; absent: a generated test name'),
  hosts: z
    .record(z.string().max(60), line(1024).min(1))
    .default({})
    .meta({
      description:
        'Hosts of its further domains by their names. Absent: with a path that of the first, else a ' +
        'generated test name where the first has one',
      examples: [{ api: 'api.example.com' }],
    }),
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
    domainId: z.string().nullable().describe('Of its first domain; null where it has none'),
    deploymentId: z.string(),
    address: z.string().nullable().describe('Where it answers once it is deployed; null without a domain'),
    domains: z
      .array(z.object({ name: z.string(), domainId: z.string(), address: z.string() }))
      .describe('All of its domains'),
    firstSignIn: z.string().describe('Who signs in first'),
    instructions: z.string().describe('What to do now; also in the description of the service'),
  })
  .meta({ id: 'CreatedFromTemplate' });

export type ListedTemplate = z.infer<typeof templateRecord>;
export type Template = z.infer<typeof wholeTemplate>;
export type TemplateVariable = Template['variables'][number];
export type TemplateDefinition = z.infer<typeof templateDefinition>;
