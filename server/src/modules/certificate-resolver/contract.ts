/**
 * Certificate resolvers: authorities that domains of the certificateType `custom` get their certificates from
 * (decisions 9).
 */
import { z } from 'zod';
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
    .regex(/^[^\s\p{Cc}](.*[^\s\p{Cc}])?$/u, 'must be one line that neither begins nor ends with a space')
    .describe('What customCertResolver of a domain says'),
  directoryUrl: z
    .url({ protocol: /^https$/, error: 'must be an https address' })
    .max(500)
    .meta({ description: 'ACME directory', examples: ['https://acme.example.com/directory'] }),
  email: z.email('must be an e-mail address').max(254).describe('Contact of the account'),
};
const rootCertificates = ruled(z.string().max(100_000, { abort: true }), parseRootCertificates).describe(
  "PEM; what the https of an authority of one's own is checked with, absent: what everybody trusts",
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
  .describe('External account binding (RFC 8555, 7.3.4), where the authority wants one');

export const certificateResolverContract = {
  create: mutation({
    summary: 'Stores an ACME authority that domains can name as customCertResolver',
    description:
      'Each resolver has an account of its own at the authority, also where another one, or the ' +
      'settings, name the same directory and e-mail.',
    access: { class: 'admin', resources: [] },
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
      'With another key of the account binding the next certificate is asked for with a new account; ' +
      'those that were issued stay.',
    access: own,
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
      'Removes a certificate resolver; refused while a domain, or the previews of an application, name it',
    access: own,
    input: id,
    output: certificateResolverRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
};
