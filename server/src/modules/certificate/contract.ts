/** Certificates that people upload (interface document, Certificates; decisions 9). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { certificateRecord } from './record.ts';
import { name } from '../service/contract-fields.ts';

const id = z.object({ certificateId: z.string().min(1).max(100) });
const own = { class: 'admin', resources: [{ kind: 'certificate', field: 'certificateId' }] } as const;
const pem = z.string().min(1).max(200_000);

export const certificateContract = {
  create: mutation({
    summary: 'Stores a certificate with its private key; the key is never shown again',
    description:
      'PEM, in the order leaf, intermediates and, if you like, root; the chain may stand in ' +
      'certificateData or in certificateChain. A domain with https and certificateType `none` on the ' +
      'same server uses ' +
      ('the certificate that covers its host: if there are several, an unexpired one, preferring the ' +
        "host's own name to a wildcard (which stands for one label), then the longest-lived. `acme` and " +
        '`custom` domains get theirs automatically.'),
    access: { class: 'admin', resources: [{ kind: 'server', field: 'serverId' }] },
    input: z.object({
      name,
      certificateData: pem.describe('PEM'),
      privateKey: pem.describe('PEM, without a passphrase'),
      certificateChain: z.string().max(200_000).nullish().describe('PEM of the chain after the leaf'),
      serverId: z
        .string()
        .min(1)
        .max(100)
        .nullish()
        .describe('Server it is for; required in a cloud installation, else this one'),
    }),
    output: certificateRecord,
    refusals: ['Invalid certificate', 'Key mismatch', 'Certificate expired'],
  }),
  one: query({
    summary: 'One certificate, without its private key',
    access: own,
    input: id,
    output: certificateRecord,
  }),
  all: query({
    summary: 'The certificates of the organization, newest first',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(certificateRecord),
  }),
  remove: mutation({
    summary: 'Removes a certificate; refused while a domain uses it',
    description:
      'One that another certificate has replaced is not in use. One of a certificate order is not renewed ' +
      'any more: its order goes with it.',
    access: own,
    input: id,
    output: certificateRecord,
    refusals: ['Certificate in use'],
  }),
};
