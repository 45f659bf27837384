/** Users of HTTP basic authentication on the domains of an application (decisions 5). */
import { z } from 'zod';
import { parsePassword, parseUsername } from '../../domain/secrets/basic-auth.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { basicAuthRecord } from './record.ts';

const username = ruled(z.string().max(100, { abort: true }), parseUsername).describe('Without any of { } :');
const password = ruled(z.string().max(200), parsePassword).describe(
  'At most 72 bytes; kept as a bcrypt hash, never shown',
);
const own = { class: 'protected', resources: [{ kind: 'basicAuth', field: 'basicAuthId' }] } as const;
const ofApplication = {
  class: 'protected',
  resources: [{ kind: 'application', field: 'applicationId' }],
} as const;
const id = z.object({ basicAuthId: z.string().min(1).max(100) });

export const basicAuthContract = {
  create: mutation({
    summary: 'Asks for a user name and password on every domain of the application; in effect at once',
    description:
      'The sign-in comes before redirects and the service; the service does not get the Authorization ' +
      'header. Where the domain has https, http is redirected there first. Services of the same ' +
      'environment reach the application inside its network without it.',
    access: ofApplication,
    input: z.object({ applicationId: z.string().min(1).max(100), username, password }),
    refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
    output: basicAuthRecord,
  }),
  one: query({
    summary: 'One basic auth user of an application, without the password',
    access: own,
    input: id,
    output: basicAuthRecord,
  }),
  byApplicationId: query({
    summary: 'The basic auth users of an application, newest first',
    access: ofApplication,
    input: z.object({ applicationId: z.string().min(1).max(100), ...pageInput }),
    output: listOf(basicAuthRecord),
  }),
  update: mutation({
    summary: 'Changes the name or the password of a user; in effect at once',
    access: own,
    input: id.extend({ username: username.optional(), password: password.optional() }),
    refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
    output: basicAuthRecord,
  }),
  delete: mutation({
    summary: 'Removes a user at once; without any the application is open to everybody again',
    access: own,
    input: id,
    refusals: ['SERVICE_UNAVAILABLE'],
    output: basicAuthRecord,
  }),
};
