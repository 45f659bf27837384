/** SSH keys of an organization, for git over ssh and for servers (decisions 12). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { sshKeyRecord } from './record.ts';
import { name } from '../service/contract-fields.ts';

const id = z.object({ sshKeyId: z.string().min(1) });
const description = z.string().max(1000);
const key = [{ kind: 'sshKey', field: 'sshKeyId' }] as const;
/** Members with the grant may choose among the keys; only Owner and Admin change them (decisions 2). */
const reading = { class: 'protected', grant: 'canAccessToSSHKeys' } as const;

export const sshKeyContract = {
  create: mutation({
    summary: 'Stores an SSH key that already exists',
    description:
      'An OpenSSH or PEM private key without passphrase. `publicKey` may be left out; if given it must ' +
      'belong to the private key. The private key is never shown again.',
    access: { class: 'admin', resources: [] },
    input: z.object({
      name,
      description: description.nullish(),
      privateKey: z.string().min(1).max(20_000),
      publicKey: z.string().max(20_000).nullish(),
    }),
    output: sshKeyRecord,
  }),
  generate: mutation({
    summary: 'Creates a new SSH key pair, stores it and returns its public key',
    access: { class: 'admin', resources: [] },
    input: z.object({
      name: name.default('Generated key'),
      description: description.nullish(),
      type: z.enum(['ed25519', 'rsa']).default('ed25519').describe('rsa: 4096 bits'),
    }),
    output: sshKeyRecord,
  }),
  makePair: mutation({
    summary: 'Makes a new SSH key pair without storing it; sshKey.create stores one',
    description: 'The private key stands in this answer and nowhere else.',
    access: { class: 'admin', resources: [] },
    input: z.object({
      type: z.enum(['ed25519', 'rsa']).default('ed25519').describe('rsa: 4096 bits'),
    }),
    output: z.object({
      publicKey: z.string().describe('In OpenSSH form'),
      privateKey: z.string().describe('In OpenSSH form; shown once'),
    }),
  }),
  one: query({
    summary: 'One SSH key, without its private part',
    access: { ...reading, resources: key },
    input: id,
    output: sshKeyRecord,
  }),
  all: query({
    summary: 'The SSH keys of the organization, newest first',
    access: { ...reading, resources: [] },
    input: z.object(pageInput),
    output: listOf(sshKeyRecord),
  }),
  update: mutation({
    summary: 'Renames or describes an SSH key; the pair itself never changes',
    access: { class: 'admin', resources: key },
    input: id.extend({ name: name.optional(), description: description.nullish() }),
    output: sshKeyRecord,
  }),
  remove: mutation({
    summary: 'Removes an SSH key; refused while an application, a compose service or a server uses it',
    refusals: ['PRECONDITION_FAILED'],
    access: { class: 'admin', resources: key },
    input: id,
    output: sshKeyRecord,
  }),
};
