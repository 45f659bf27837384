/** Backups of volumes of applications and compose services, and of the data of Redis databases. */
import { z } from 'zod';
import { parseObjectPath } from '../../domain/names/object-path.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { id as serviceId, line, requireOneService } from '../service/contract-fields.ts';
import { backupSettings, keyOfObject } from './contract-settings.ts';
import { backupRunRecord } from './record.ts';
import { duringNames, serviceVolume, volumeBackupRecord } from './record-volumes.ts';

const id = z.object({ volumeBackupId: z.string().min(1).max(100) });
const own = { class: 'protected', resources: [{ kind: 'volumeBackup', field: 'volumeBackupId' }] } as const;
const destination = { kind: 'destination', field: 'destinationId' } as const;
const destinationId = z.string().min(1).max(100);

const built = { applicationId: serviceId.nullish(), composeId: serviceId.nullish() };
const builtServices = [
  { kind: 'application', field: 'applicationId' },
  { kind: 'compose', field: 'composeId' },
] as const;
const service = {
  ...built,
  redisId: serviceId.nullish().describe('A Redis database, whose one volume is called data'),
};
const services = [...builtServices, { kind: 'redis', field: 'redisId' }] as const;
const ofService = { class: 'protected', resources: services } as const;

type Owner = Partial<Record<keyof typeof service, string | null | undefined>>;

function checkOwner(owner: Owner, context: z.RefinementCtx): void {
  const fault = (path: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [path], message });
  const [first, ...others] = services.flatMap(({ field }) => (owner[field] ? [field] : []));
  if (first === undefined) fault('applicationId', 'is required, or composeId or redisId');
  for (const other of others) fault(other, `names another service beside ${first}`);
}

const volumeName = line(200)
  .min(1)
  .describe('Its name within the service, as listed by volumeBackup.volumes; of a Redis database: data');
const { schedule, timeZone, prefix, keepLatestCount, alarmAfterHours } = backupSettings;
const settings = {
  schedule,
  timeZone,
  prefix,
  keepLatestCount,
  alarmAfterHours,
  serviceDuring: z
    .enum(duringNames)
    .describe(
      'What happens to the service while the volume is read: it keeps running, and a file that it writes ' +
        'then may be half old and half new; it is paused, with every process halted; or it is stopped, ' +
        'as application.stop does, and started again. Of a Redis database: running, since what it dumps is ' +
        'of one moment anyway',
    ),
};

const example = { applicationId: 'V1StGXR8Z5jdHi6BmyT3k' };

export const volumeBackupContract = {
  create: mutation({
    summary: 'Backs up a volume of an application or compose service, or a Redis database, by schedule',
    description:
      'The object is a compressed tar archive of its files with their owners, rights, links and times (in ' +
      'seconds); sockets are left out, and so are extended attributes. It is made on the server of the ' +
      'service by a Berth container that has this volume read-only and no network. Of a Redis database the ' +
      'object is the compressed dump (RDB) that Redis makes of all it holds at one moment.',
    access: { class: 'protected', resources: [...services, destination], action: 'run' },
    input: z
      .object({
        ...service,
        volumeName,
        ...settings,
        prefix: prefix.optional().meta({
          description:
            'Path below the destination where the objects are stored; may be empty. Absent: the appName ' +
            'of the service',
        }),
        serviceDuring: settings.serviceDuring.default('running'),
        destinationId,
        enabled: z.boolean().default(true),
      })
      .superRefine(checkOwner),
    example: {
      ...example,
      volumeName: 'data',
      destinationId: 'V1StGXR8Z5jdHi6BmyT3k',
      schedule: '0 3 * * *',
      serviceDuring: 'paused',
      keepLatestCount: 7,
    },
    output: volumeBackupRecord,
  }),
  one: query({ summary: 'One backup of a volume', access: own, input: id, output: volumeBackupRecord }),
  all: query({
    summary: 'Every backup of a volume of the services that you reach, newest first',
    access: { class: 'protected', resources: [] },
    input: z.object(pageInput),
    output: listOf(volumeBackupRecord),
  }),
  byService: query({
    summary: 'The backups of the volumes of a service, newest first',
    access: ofService,
    input: z.object({ ...service, ...pageInput }).superRefine(checkOwner),
    example,
    output: listOf(volumeBackupRecord),
  }),
  update: mutation({
    summary: 'Changes a backup of a volume; absent fields stay',
    description: 'Service and volume stay. Objects stored before stay where they are.',
    access: { class: 'protected', resources: [...own.resources, destination], action: 'run' },
    input: id.extend(z.object(settings).partial().shape).extend({
      destinationId: destinationId.optional(),
      enabled: z.boolean().optional(),
    }),
    output: volumeBackupRecord,
  }),
  remove: mutation({
    summary: 'Removes a backup of a volume and its schedule; the stored objects stay',
    access: own,
    input: id,
    output: volumeBackupRecord,
  }),
  run: mutation({
    summary: 'Starts a backup of a volume now and returns the run at once',
    description: 'backup.runLogs follows it; volumeBackup.runs shows its result.',
    access: { ...own, action: 'run' },
    input: id,
    output: backupRunRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  runs: query({
    summary: 'The runs of a backup of a volume, newest first, each with the result of every step',
    access: own,
    input: id.extend(pageInput),
    output: listOf(backupRunRecord),
  }),
  runsByService: query({
    summary: 'The runs of every backup and restore of volumes of a service, newest first',
    access: ofService,
    input: z.object({ ...service, ...pageInput }).superRefine(checkOwner),
    example,
    output: listOf(backupRunRecord),
  }),
  volumes: query({
    summary: 'The volumes of a service that can be backed up, by name',
    description:
      'Those of its live release and of its mounts. A volume that a compose file declares external is ' +
      'not its own. A Redis database has one, called data.',
    access: ofService,
    input: z.object({ ...service, ...pageInput }).superRefine(checkOwner),
    example,
    output: listOf(serviceVolume),
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  restore: mutation({
    summary: 'Starts to restore a stored object into a volume; answers with the run at once',
    description:
      'The object is unpacked into a new volume while the service keeps running. Only when it is complete ' +
      'is the running version released again with the new volume in place of the former one, which also ' +
      'starts a stopped service. If it does not become healthy there, it goes back to the former volume. ' +
      'The former volume is kept, in cleanup.formerVolumes, until volumeBackup.removeFormerVolume. Every ' +
      'later release has the restored volume, even one that goes back to an earlier version. A Redis ' +
      'database gets what the dump holds in place of all it has, into a new volume likewise; its former ' +
      'one is kept until redis.removeFormerVolume. ' +
      'backup.runLogs follows it. The object may be any at the destination, as listed by ' +
      'backup.listFiles, so only Owner and Admin may restore.',
    access: { class: 'admin', resources: [...services, destination], action: 'run' },
    input: z
      .object({
        ...service,
        volumeName,
        destinationId,
        backupFile: ruled(z.string().min(1).max(1000), parseObjectPath).describe(
          'Path of the object, as backup.listFiles gives it',
        ),
        ...keyOfObject,
      })
      .superRefine(checkOwner),
    example: {
      ...example,
      volumeName: 'data',
      destinationId: 'V1StGXR8Z5jdHi6BmyT3k',
      backupFile: 'shop/data-2026-11-20T03-00-00-a1b2c3.tar.gz',
    },
    output: backupRunRecord,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED'],
  }),
  useKeptVolume: mutation({
    summary: 'Gives a volume that outlived its service to another one; answers with the run at once',
    description:
      'The service is released again with it in the place of the volume of that name; one that was never ' +
      'deployed has it from its first deployment on. If it does not become healthy there, it goes back to ' +
      'the volume that it had, which is otherwise kept among the former volumes. The volume must be on the ' +
      'server of the service. backup.runLogs follows the run, and backup.undoRestore takes it back.',
    access: { class: 'admin', resources: builtServices, action: 'run' },
    input: z
      .object({
        ...built,
        volumeName,
        keptVolume: line(300).min(1).describe('As given by cleanup.keptVolumes'),
      })
      .superRefine(requireOneService),
    example: { ...example, volumeName: 'data', keptVolume: 'berth-V1StGXR8Z5jdHi6BmyT3k-data' },
    output: backupRunRecord,
    refusals: ['CONFLICT', 'NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  removeFormerVolume: mutation({
    summary:
      'Removes a volume with the state before a restore of an application or compose service; irreversible',
    access: { class: 'admin', resources: builtServices, action: 'run' },
    input: z
      .object({
        ...built,
        volumeName: line(300)
          .min(1)
          .describe('As given by cleanup.formerVolumes and by previousVolume of the run'),
      })
      .superRefine(requireOneService),
    example: { ...example, volumeName: 'berth-V1StGXR8Z5jdHi6BmyT3k-data' },
    output: z.literal(true),
    refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  }),
};
