/** What is wrong in the organization. */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { alarmRecord } from './record.ts';

export const alarmContract = {
  all: query({
    summary: 'The alarms of the organization that the caller reaches, newest first',
    description:
      'An alarm begins when something is wrong and ends by itself when it no longer is: a service is down ' +
      'or restarts over and over, a server or engine does not answer, disk, certificates, backups without ' +
      'a good run, jobs that wait for too long. Members see those of their services; the others are for ' +
      "Owner and Admin, those of the installation itself for the installation's organization. Ended ones " +
      'are kept for 30 days, the newest thousand. One that begins again within ten minutes of its end is ' +
      'the same alarm: endedAt is null again, and times counts.',
    access: { class: 'protected', resources: [] },
    input: z.object({
      ended: z.boolean().default(false).describe('Includes ended ones'),
      ...pageInput,
    }),
    output: listOf(alarmRecord),
  }),
  acknowledge: mutation({
    summary: 'Acknowledges an alarm; it stays active until its cause is gone',
    access: { class: 'protected', resources: [{ kind: 'alarm', field: 'alarmId' }] },
    input: z.object({ alarmId: z.string().min(1).max(100) }),
    output: alarmRecord,
  }),
};
