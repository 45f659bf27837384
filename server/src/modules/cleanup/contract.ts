/** What of Berth's own takes disk and is of no use any more. */
import { deployedKinds } from '../../domain/names/service-ref.ts';
import { deletedKinds } from '../unfinished-deletion/record.ts';
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { line } from '../service/contract-fields.ts';

const serverId = z
  .string()
  .min(1)
  .max(100)
  .nullish()
  .describe("A server of the organization; absent: Berth's own machine");
const access = {
  class: 'installation',
  resources: [{ kind: 'server', field: 'serverId' }],
} as const;

const ofServer = { ...access, class: 'admin' } as const;

export const cleanupKinds = ['image', 'container', 'buildCache', 'deployments'] as const;

const found = z
  .object({
    items: z.array(
      z.object({
        kind: z.enum(cleanupKinds),
        name: z.string(),
        bytes: z.number().nullable().describe('null: not known before it is removed'),
        reason: z.string(),
      }),
    ),
    bytes: z.number().describe('Of everything together, as far as it is known'),
    failures: z.array(z.string()).describe('What could not be removed, and why'),
  })
  .meta({ id: 'Cleanup' });

const caches = z
  .boolean()
  .default(false)
  .describe('Build caches of organizations that do not build now, too: their next build starts from scratch');

export const cleanupContract = {
  preview: query({
    summary: 'Shows what a clean-up would free; removes nothing',
    description:
      'Images that Berth built and neither runs nor keeps to return to, containers of Berth that ended a ' +
      'day ago, build caches, deployments beyond the newest keptDeployments of a service with their ' +
      'logs. What Berth did not make is never listed and never touched, nor are volumes with data.',
    access,
    input: z.object({ serverId, caches }),
    output: found,
    refusals: ['SERVICE_UNAVAILABLE', 'PRECONDITION_FAILED'],
  }),
  run: mutation({
    summary: 'Removes what cleanup.preview shows; answers what was removed',
    description:
      'Runs automatically by cleanupSchedule, and with build caches when less than twice minFreeDisk is ' +
      'free, once an hour at most.',
    access,
    input: z.object({ serverId, caches }),
    output: found,
    refusals: ['SERVICE_UNAVAILABLE', 'PRECONDITION_FAILED'],
  }),
  others: query({
    summary: "Things on a machine that bear Berth's label and not the id of this installation",
    description:
      'Services, networks, volumes and containers of another installation, or of a Berth from before ' +
      'things bore an id that no record names. They are listed and never touched.',
    access,
    input: z.object({ serverId, ...pageInput }),
    output: listOf(
      z
        .object({
          kind: z.enum(['service', 'network', 'volume', 'container']),
          name: z.string(),
          installationId: z.string().nullable().describe('null: made before things bore an id'),
        })
        .meta({ id: 'ThingOfOthers' }),
    ),
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  unknown: query({
    summary: 'Services with the id of this installation that none of its records names',
    description:
      'They are stopped when they are found, and removed a day later. Those that were there before this ' +
      'installation could know of them (after a restore, on a server that was added later) go on and stay ' +
      'until somebody removes them.',
    access: { class: 'installation', resources: [] },
    input: z.object(pageInput),
    output: listOf(
      z
        .object({
          serverKey: z.string().describe("local for Berth's own machine, else a serverId"),
          name: z.string(),
          owner: z.string().describe('Kind and id that its labels name'),
          seenAt: z.string(),
          removedAt: z.string().nullable().describe('null: only cleanup.removeUnknown removes it'),
        })
        .meta({ id: 'UnknownService' }),
    ),
  }),
  removeUnknown: mutation({
    summary: 'Removes a service that cleanup.unknown lists; its volumes stay',
    access,
    input: z.object({ serverId, name: line(200).min(1) }),
    output: z.boolean(),
    refusals: ['SERVICE_UNAVAILABLE', 'NOT_FOUND'],
  }),
  unfinished: query({
    summary: 'Deletions that removed a service whose containers go on, the oldest first',
    description:
      'Its record stays, and the deletion is tried again each minute until nothing of the service is left. ' +
      'Starting or deploying the service ends that. The alarm `deletionUnfinished` tells of it.',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(
      z
        .object({
          serviceId: z.string(),
          kind: z.enum(deletedKinds),
          name: z.string(),
          serverKey: z.string().describe("local for Berth's own machine, else a serverId"),
          since: z.string(),
          reason: z.string().describe('What kept the last attempt from its end'),
          triedAt: z.string(),
          tries: z.number().int(),
        })
        .meta({ id: 'UnfinishedDeletion' }),
    ),
  }),
  giveUp: mutation({
    summary: "Says that a former incarnation of this installation has ended; its servers are this one's then",
    description:
      'An incarnation begins with each restore of the installation. A server that another one keeps is ' +
      'refused, with the name of that incarnation, until it is given up.',
    access: { class: 'installation', resources: [] },
    input: z.object({
      incarnationId: z.string().min(1).max(100).describe('As the refusal of the server names it'),
    }),
    output: z.boolean(),
    refusals: ['BAD_REQUEST'],
  }),
  keptVolumes: query({
    summary: 'Volumes that outlived their service, by name',
    description:
      'A deletion without deleteVolumes keeps them. They stay until cleanup.removeKeptVolume, or until ' +
      'volumeBackup.useKeptVolume gives one to another application or compose service.',
    access: ofServer,
    input: z.object({ serverId, ...pageInput }),
    output: listOf(
      z
        .object({
          volumeName: z.string(),
          kind: z.enum(deployedKinds).describe('Kind of the deleted service'),
          serviceId: z.string().describe('Id of the deleted service'),
          bytes: z.number().nullable().describe('null: the engine cannot tell'),
          deletedAt: z.string().nullable().describe('null: the audit log no longer has it'),
        })
        .meta({ id: 'KeptVolume' }),
    ),
    refusals: ['SERVICE_UNAVAILABLE', 'PRECONDITION_FAILED'],
  }),
  removeKeptVolume: mutation({
    summary: 'Removes a volume that outlived its service, with its data; irreversible',
    access: ofServer,
    input: z.object({ serverId, volumeName: line(300).min(1).describe('As given by cleanup.keptVolumes') }),
    output: z.literal(true),
    refusals: ['SERVICE_UNAVAILABLE', 'NOT_FOUND', 'CONFLICT'],
  }),
  formerVolumes: query({
    summary: 'Volumes with the state before a restore or upgrade, the oldest first',
    description:
      'They stay until removeFormerVolume of their database kind (of volumeBackup for those of ' +
      'applications and compose services), or until they are as old as the setting ' +
      'formerVolumeDays says (never, unless it is set). After 30 days each is a warning in the log.',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(
      z
        .object({
          databaseId: z.string().nullable(),
          databaseType: z.string().nullable(),
          applicationId: z.string().nullable(),
          composeId: z.string().nullable(),
          name: z.string(),
          volumeName: z.string(),
          bytes: z.number().nullable().describe('null: the engine cannot tell, or cannot be reached'),
          since: z.string(),
          ageDays: z.number().int(),
          removedAt: z.string().nullable().describe('When the setting removes it; null: never'),
        })
        .meta({ id: 'FormerVolumeOfService' }),
    ),
  }),
};
