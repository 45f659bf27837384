/** Redirects by regular expression on the domains of an application (decisions 5). */
import { z } from 'zod';
import { parseReplacement } from '../../domain/routing/redirect.ts';
import { parseRegex } from '../../domain/routing/regex.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { redirectRecord } from './record.ts';

const regex = ruled(z.string().max(500, { abort: true }), parseRegex).describe(
  'RE2 syntax, as in Go: no look-arounds, back-references, atomic groups or possessive repetitions. ' +
    'Matched against the whole address, such as https://shop.example.com/old?page=2, and, where it begins ' +
    'with ^/, in path and query',
);
const replacement = ruled(z.string().max(500, { abort: true }), parseReplacement).describe(
  'Stands in place of what matched, what stands round it stays; $1 or ${1} is the first group, ${name} ' +
    'a named one (?P<name>…), $$ a dollar. Beginning with / it stays on the same host',
);
const permanent = z.boolean().describe('true: 308, which browsers remember; false: 307');
const own = { class: 'protected', resources: [{ kind: 'redirect', field: 'redirectId' }] } as const;
const ofApplication = {
  class: 'protected',
  resources: [{ kind: 'application', field: 'applicationId' }],
} as const;
const id = z.object({ redirectId: z.string().min(1).max(100) });

export const redirectContract = {
  create: mutation({
    summary:
      'Redirects requests whose address matches a regular expression, on every domain of the ' +
      'application; in effect at once',
    description:
      'Redirects are tried in the order in which they were made; the first that matches answers. Basic ' +
      'authentication comes before them, and http is redirected to https before either where the domain ' +
      'has https.',
    access: ofApplication,
    input: z.object({
      applicationId: z.string().min(1).max(100),
      regex,
      replacement,
      permanent: permanent.default(false),
    }),
    example: {
      applicationId: 'V1StGXR8Z5jdHi6BmyT3k',
      regex: '^https?://www\\.(.+)',
      replacement: 'https://${1}',
      permanent: true,
    },
    refusals: ['SERVICE_UNAVAILABLE'],
    output: redirectRecord,
  }),
  one: query({ summary: 'One redirect', access: own, input: id, output: redirectRecord }),
  byApplicationId: query({
    summary: 'The redirects of an application, newest first',
    access: ofApplication,
    input: z.object({ applicationId: z.string().min(1).max(100), ...pageInput }),
    output: listOf(redirectRecord),
  }),
  update: mutation({
    summary: 'Changes a redirect; in effect at once',
    access: own,
    input: id.extend({
      regex: regex.optional(),
      replacement: replacement.optional(),
      permanent: permanent.optional(),
    }),
    refusals: ['SERVICE_UNAVAILABLE'],
    output: redirectRecord,
  }),
  delete: mutation({
    summary: 'Removes a redirect at once',
    access: own,
    input: id,
    refusals: ['SERVICE_UNAVAILABLE'],
    output: redirectRecord,
  }),
};
