/** Where backups are stored (decisions 7). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { destinationProviders, destinationRecord, remoteProviders } from './record.ts';
import { line, name } from '../service/contract-fields.ts';

const id = z.object({ destinationId: z.string().min(1).max(100) });
const own = { class: 'admin', resources: [{ kind: 'destination', field: 'destinationId' }] } as const;

const hostReach = [
  { field: 'path', when: 'absolutePath', unless: { field: 'provider', is: remoteProviders } },
] as const;

const settings = z.object({
  provider: z
    .enum(destinationProviders)
    .describe(
      's3: a bucket of any service that speaks S3; local: a folder on the server Berth runs on; sftp: a ' +
        'folder of another server; azure: a container of Azure Blob Storage; gcs: a bucket of Google Cloud ' +
        'Storage; b2: a bucket of Backblaze B2 by its own interface',
    ),
  accessKey: z
    .string()
    .max(1000)
    .nullish()
    .describe(
      'Required for s3, azure (name of the storage account) and b2 (ID of the application key); never ' +
        'shown',
    ),
  secretAccessKey: z
    .string()
    .max(20_000)
    .nullish()
    .describe(
      'Required for all but local; never shown. sftp: a password or a private key without a passphrase; ' +
        'gcs: the JSON key of a service account',
    ),
  bucket: line(255).nullish().describe('Required for s3, azure (the container), gcs and b2'),
  region: line(100).nullish().describe('For s3, if its service has regions'),
  endpoint: z
    .string()
    .max(2000)
    .nullish()
    .describe(
      'Required for s3: http or https address of the service, such as ' +
        'https://s3.eu-central-1.amazonaws.com. Required for sftp: sftp://user@host:port/folder, where the ' +
        "folder is an absolute path and, when absent, the user's home. For azure outside the public cloud: " +
        'https://account.blob and the name of that cloud',
    ),
  hostKey: z
    .string()
    .max(10_000)
    .nullish()
    .describe('Required for sftp: the public keys of the server, as `ssh-keyscan -p PORT HOST` prints them'),
  path: z
    .string()
    .max(1024)
    .nullish()
    .describe(
      "For local: a path below the organization's own folder for backups, or empty; with host reach also " +
        'an absolute path of the server. For the others: a prefix inside the bucket or folder, or empty',
    ),
});
/** Of no use for a test, which stores an object of no worth. */
const keys = {
  recipients: z
    .array(z.string().max(200))
    .max(20)
    .nullish()
    .describe(
      'Public keys of age (age1…) that later backups are encrypted for; any of their private keys opens ' +
        'one. None: they are not encrypted. What is stored stays as it is',
    ),
  identity: z
    .string()
    .max(5000)
    .nullish()
    .describe(
      'A private key of age (AGE-SECRET-KEY-1…), or several, one a line, with which Berth restores and ' +
        'tries by itself; never shown. It is added to those that are stored; null forgets all of them',
    ),
};
const example = {
  provider: 's3',
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI',
  bucket: 'backups',
  region: 'eu-central-1',
  endpoint: 'https://s3.eu-central-1.amazonaws.com',
  path: 'berth',
} as const;

export const destinationContract = {
  create: mutation({
    summary: 'Stores where backups go: a bucket of a cloud, or a folder of this or another server',
    description:
      'accessKey and secretAccessKey are never shown again. Fields that the provider has no use for are ' +
      'not kept. A folder that holds data of Berth or of the engine is refused with 403.',
    access: { class: 'admin', hostReach, resources: [] },
    input: settings.extend({ name, ...keys }),
    example: { name: 'Offsite', ...example },
    output: destinationRecord,
  }),
  one: query({
    summary: 'One destination, without its keys',
    access: own,
    input: id,
    output: destinationRecord,
  }),
  all: query({
    summary: 'The destinations of the organization, newest first',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(destinationRecord),
  }),
  update: mutation({
    summary: 'Changes a destination; backups of the past stay where they are',
    description:
      'Absent fields stay, the keys too; null clears. The rules are those of the destination as it will be.',
    access: { ...own, hostReach },
    input: id.extend(settings.partial().shape).extend({ name: name.optional(), ...keys }),
    output: destinationRecord,
  }),
  makeKey: mutation({
    summary: 'Makes a key of age that later backups at a destination are encrypted for as well',
    description:
      'The private key is in this answer alone: print it and keep it apart from the installation. Berth ' +
      'keeps it too, encrypted, so that restores and trials work by themselves. To replace a key, make ' +
      'one, then take the old public key out of `recipients`; what is stored for the old one stays readable.',
    access: own,
    input: id,
    output: z.object({
      recipient: z.string().describe('The public key'),
      identity: z.string().describe('The private key (AGE-SECRET-KEY-1…)'),
      destination: destinationRecord,
    }),
    refusals: ['BAD_REQUEST'],
  }),
  remove: mutation({
    summary: 'Removes a destination; refused while backups use it. What is stored there stays',
    access: own,
    input: id,
    output: destinationRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  testConnection: mutation({
    summary: 'Writes, reads and removes an object at a destination',
    description:
      'Either a stored destination by `destinationId`, with the fields that should differ for the test, or ' +
      'all fields of one that is not stored yet.',
    access: { ...own, hostReach },
    input: settings.partial().extend({ destinationId: id.shape.destinationId.nullish() }),
    example,
    output: z.object({ success: z.literal(true) }),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
};
