/**
 * Certificate resolvers: authorities that domains of the certificateType `custom` get their certificates from
 * (decisions 9).
 */
import { z } from 'zod';
import { controlCharacters } from '../../domain/text/control-characters.ts';
import { parseRootCertificates } from '../../domain/certificates/root-certificates.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { certificateResolverRecord } from './record.ts';

const id = z.object({ certificateResolverId: z.string().min(1).max(100) });
const own = {
  class: 'admin',
  resources: [{ kind: 'certificateResolver', field: 'certificateResolverId' }],
} as const;
const shape = {
  name: z
    .string()
    .min(1)
    .max(100)
    .regex(
      new RegExp(`^[^\\s${controlCharacters}](.*[^\\s${controlCharacters}])?$`),
      'must be one line that neither begins nor ends with a space',
    )
    .describe('Name by which customCertResolver of a domain refers to it'),
  directoryUrl: z
    .url({ protocol: /^https$/, error: 'must be an https address' })
    .max(500)
    .meta({ description: 'ACME directory', examples: ['https://acme.example.com/directory'] }),
  email: z.email('must be an e-mail address').max(254).describe('Contact of the account'),
};
const rootCertificates = ruled(z.string().max(100_000, { abort: true }), parseRootCertificates).describe(
  'PEM; roots to verify the HTTPS of a private authority; absent: the public roots',
);
const eab = z
  .object({
    keyId: z.string().min(1).max(500),
    hmacKey: z
      .string()
      .min(1)
      .max(1000)
      .regex(/^[A-Za-z0-9_-]+={0,2}$/, 'must be base64url')
      .meta({ examples: ['bm90LWEta2V5'] }),
  })
  .describe('External account binding (RFC 8555, 7.3.4), if the authority requires one');

export const certificateResolverContract = {
  create: mutation({
    summary: 'Stores an ACME authority that domains can name as customCertResolver',
    description:
      'Each resolver has an account of its own at the authority, even if another one, or the settings, ' +
      'name the same directory and e-mail. The proxy itself asks the directory and whatever it names, so ' +
      "only Owners and Admins of the installation's organization may store one.",
    access: { class: 'installation', resources: [] },
    input: z.object({ ...shape, eab: eab.nullish(), rootCertificates: rootCertificates.nullish() }),
    output: certificateResolverRecord,
    refusals: ['CONFLICT'],
  }),
  one: query({
    summary: 'One certificate resolver, without its secret',
    access: own,
    input: id,
    output: certificateResolverRecord,
  }),
  all: query({
    summary: 'The certificate resolvers of the organization, newest first',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(certificateResolverRecord),
  }),
  update: mutation({
    summary: 'Changes a certificate resolver; domains that name it follow a new name',
    description:
      "After a change of the account binding's key the next certificate is requested with a new " +
      'account; those already issued stay.',
    access: { ...own, class: 'installation' },
    input: id.extend({
      ...z.object(shape).partial().shape,
      eab: eab.nullish().describe('null removes the binding'),
      rootCertificates: rootCertificates.nullish(),
    }),
    output: certificateResolverRecord,
    refusals: ['CONFLICT'],
  }),
  remove: mutation({
    summary:
      'Removes a certificate resolver; refused while a domain, the previews of an application or a ' +
      'certificate order name it',
    access: own,
    input: id,
    output: certificateResolverRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
};
