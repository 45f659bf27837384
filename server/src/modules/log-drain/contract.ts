/** Where the output of services goes besides Berth: syslog, Loki. */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { line, name } from '../service/contract-fields.ts';
import { drainTypes, logDrainRecord } from './record.ts';

const id = z.object({ logDrainId: z.string().min(1).max(100) });
const drain = { kind: 'logDrain', field: 'logDrainId' } as const;
const project = { kind: 'project', field: 'projectId' } as const;
const own = { class: 'admin', resources: [drain] } as const;

const fields = {
  name,
  address: line(2000)
    .min(1)
    .describe(
      'host:port of a syslog server; the address that Loki takes lines at, such as ' +
        'https://loki.example.com/loki/api/v1/push',
    ),
  projectId: z
    .string()
    .min(1)
    .max(100)
    .nullish()
    .describe('The services of this project alone; null: of the whole organization'),
  username: line(200).nullish().describe('Of Loki: for sign-in by Basic'),
  password: line(2000).nullish().describe('Of Loki: for sign-in by Basic; never shown again'),
};

const behaviour =
  'What applications, databases and compose services write from then on is sent within seconds, in the ' +
  'order of each task. syslog gets messages of RFC 5424 (by TCP counted as RFC 6587 has it, by UDP one a ' +
  'datagram and cut at 2,048 bytes), with organization, project, environment, service, task and stream; ' +
  'Loki gets them as labels. While the address does not answer up to 10,000 lines or 8 MB wait and are ' +
  'tried again; what comes beyond that is dropped and counted, and a line says so once the address answers ' +
  "again. Addresses are judged as those of buckets are: the platform's own networks are never reached.";

export const logDrainContract = {
  create: mutation({
    summary: 'Sends the output of services to a syslog server or to Loki',
    description: behaviour,
    access: { class: 'admin', resources: [project] },
    input: z.object({
      ...fields,
      type: z.enum(drainTypes).describe('syslog by TCP or UDP, or the HTTP form of Loki'),
      enabled: z.boolean().default(true),
    }),
    example: { name: 'central', type: 'syslogTcp', address: 'logs.example.com:601' },
    output: logDrainRecord,
    refusals: ['CONFLICT'],
  }),
  one: query({
    summary: 'One log drain with its counts and its last error',
    access: own,
    input: id,
    output: logDrainRecord,
  }),
  all: query({
    summary: 'The log drains of the organization, newest first',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(logDrainRecord),
  }),
  update: mutation({
    summary: 'Changes a log drain; absent fields stay, the password too, null clears what is optional',
    description:
      'The type stays. With another host the password has to be given again. What waits goes to the new ' +
      'address; switching it off drops what waits.',
    access: { class: 'admin', resources: [drain, project] },
    input: id.extend({
      ...fields,
      name: name.optional(),
      address: fields.address.optional(),
      enabled: z.boolean().optional(),
    }),
    output: logDrainRecord,
  }),
  remove: mutation({
    summary: 'Removes a log drain and what waits for it',
    access: own,
    input: id,
    output: logDrainRecord,
  }),
  test: mutation({
    summary: 'Sends one line now; by TCP and HTTP it is known to be taken, by UDP only to be sent',
    access: own,
    input: id,
    output: z.object({ success: z.literal(true) }),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
};
