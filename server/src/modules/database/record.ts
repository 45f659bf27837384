/** The database record of a kind (interface document, Database; decisions 6). */
import { revision, serviceStatus } from '../service/contract-fields.ts';
import { z } from 'zod';
import type { DatabaseKindName } from '../../domain/database-kind.ts';
import { secretLines, secretText } from '../../procedure/secret-fields.ts';
import { named, only } from '../../procedure/input/shape.ts';
import { backupRecord } from '../backup/record.ts';
import { deploymentRecord } from '../deployment/record.ts';
import { mountRecord } from '../mount/record.ts';
import { environmentOfService } from '../service/record-environment.ts';
import { liveRecord, pendingChanges } from '../service/record-live.ts';
import type { DatabaseKind } from './kinds.ts';

const optional = z.string().nullable();
const formerVolume = z
  .object({
    volumeName: z.string(),
    dataVersion: optional,
    containerImage: z.string(),
    since: z.string(),
    serverId: optional
      .optional()
      .describe("Server that it is on, null: Berth's own machine; absent: where the database is"),
  })
  .meta({ id: 'FormerVolume' });
/** Those that only some kinds have. */
const shownFields = { databaseName: z.string(), databaseUser: z.string(), replicaSets: z.boolean() } as const;
const ownFields = { ...shownFields, databaseRootPassword: secretText() } as const;

/** What `create` answers: the document's list, without passwords. */
export function createdRecordOf<const R extends DatabaseKind>(row: R) {
  return z.object({
    ...named<R['id'], z.ZodString>(row.id, z.string()),
    name: z.string(),
    appName: z.string(),
    ...only<typeof shownFields, R['fields']>(shownFields, row.fields),
    containerImage: z.string(),
    applicationStatus: serviceStatus,
    createdAt: z.string(),
  });
}

export function databaseRecordOf<const R extends DatabaseKind>(row: R, kind: DatabaseKindName) {
  return z
    .object({
      ...named<R['id'], z.ZodString>(row.id, z.string()),
      name: z.string(),
      appName: z.string(),
      description: z.string(),
      ...only<typeof ownFields, R['fields']>(ownFields, row.fields),
      databasePassword: secretText(),
      containerImage: z.string(),
      environmentId: z.string(),
      serverId: optional,
      applicationStatus: serviceStatus,
      env: secretLines(),
      memoryLimit: optional,
      memoryReservation: optional,
      cpuLimit: optional,
      cpuReservation: optional,
      pidsLimit: z.number().nullable(),
      command: optional,
      args: z.array(z.string()),
      externalPort: z.number().nullable(),
      revision,
      createdAt: z.string(),
      dataVersion: optional.describe(
        'Version of the server that last wrote the data, as it said itself; null before the first deployment',
      ),
      formerVolumes: z
        .array(formerVolume)
        .describe(
          'Volumes with the data as it was before an upgrade, a restore or a move; they stay until ' +
            'removeFormerVolume',
        ),
    })
    .meta({ id: capital(kind) });
}

/** The record with what hangs on it, as `one` gives it. */
export function wholeDatabaseOf<R extends DatabaseKind>(
  record: ReturnType<typeof databaseRecordOf<R>>,
  kind: DatabaseKindName,
) {
  return record
    .extend({
      live: liveRecord,
      pendingChanges,
      environment: environmentOfService,
      mounts: z.array(mountRecord),
      backups: z.array(backupRecord),
      deployments: z.array(deploymentRecord),
      connection: z.object({
        internal: secretText('For services of the same environment'),
        external: secretText('From outside, through externalPort; null without one').nullable(),
      }),
    })
    .meta({ id: `${capital(kind)}Details` });
}

function capital(kind: DatabaseKindName): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}
