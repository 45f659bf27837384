/** Which data of an organization has a backup, a good one, a trial restore and recovery. */
import type { Scope } from '../../../domain/access/permissions.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ServiceKindName } from '../../service/record-lists.ts';
import type { BackupRecord, BackupStore, CoverageStore, KeptOfBackup, PlacedService } from '../store.ts';
import type { VolumeBackups, VolumeOwner } from '../volumes/volume-backup.ts';
import type { lackNames } from '../contract-coverage.ts';

export type Lack = (typeof lackNames)[number];

export interface Covered {
  coverageId: string;
  kind: ServiceKindName;
  serviceId: string;
  name: string;
  projectId: string;
  environmentId: string;
  volumeName: string | null;
  lacking: Lack[];
  lastGoodAt: string | null;
  restoredAt: string | null;
}

export interface CoveragePorts {
  coverage: CoverageStore;
  backups: Pick<BackupStore, 'list'>;
  volumes: Pick<VolumeBackups, 'volumes'>;
}

/** Those that lack most first; `reaches` says which services are asked for. */
export type Coverage = (organizationId: string, reaches: (scope: Scope) => boolean) => Promise<Covered[]>;

export function createCoverage({ coverage, backups, volumes }: CoveragePorts): Coverage {
  return async (organizationId, reaches) => {
    const services = (await coverage.services(organizationId)).filter(
      ({ projectId, environmentId, serviceId }) =>
        reaches({ organizationId, projectId, environmentId, serviceId }),
    );
    const records = Map.groupBy(await backups.list({ organizationId }), serviceOf);
    const kept = new Map((await coverage.kept(organizationId)).map((one) => [one.backupId, one]));
    const all: Covered[] = [];
    for (const service of services) {
      const own = records.get(service.serviceId) ?? [];
      for (const volumeName of await dataOf(volumes, service))
        all.push(
          covered(
            service,
            volumeName,
            own.filter((backup) => volumeName === null || backup.volumeName === volumeName),
            kept,
          ),
        );
    }
    return all.toSorted((one, other) => other.lacking.length - one.lacking.length);
  };
}

const serviceOf = ({ databaseId, applicationId, composeId }: BackupRecord): string =>
  databaseId ?? applicationId ?? composeId ?? '';

/** Names of its volumes; null: a database, which is backed up as one. */
async function dataOf(
  volumes: CoveragePorts['volumes'],
  { kind, serviceId }: PlacedService,
): Promise<(string | null)[]> {
  if (kind !== 'application' && kind !== 'compose') return [null];
  const owner: VolumeOwner = kind === 'compose' ? { composeId: serviceId } : { applicationId: serviceId };
  const found = await volumes.volumes(owner).catch((error: unknown) => {
    // It was removed meanwhile.
    if (error instanceof AppError && error.code === 'PRECONDITION_FAILED') return [];
    throw error;
  });
  return found.map(({ volumeName }) => volumeName);
}

function covered(
  service: PlacedService,
  volumeName: string | null,
  backups: readonly BackupRecord[],
  kept: ReadonlyMap<string, KeptOfBackup>,
): Covered {
  const stored = backups.flatMap(({ backupId }) => kept.get(backupId) ?? []);
  const lastGoodAt = newest(stored.map((one) => one.goodAt));
  const restoredAt = newest(stored.map((one) => one.restoredAt));
  const isOn = backups.some(({ enabled }) => enabled);
  const isTried = volumeName === null && service.kind !== 'application' && service.kind !== 'compose';
  const lacks: Record<Lack, boolean> = {
    backup: !isOn,
    goodBackup: isOn && lastGoodAt === null,
    trial: isTried && service.kind !== 'redis' && restoredAt === null,
    recovery:
      service.kind === 'postgres' &&
      !backups.some(({ sourceType, enabled }) => sourceType === 'stream' && enabled),
  };
  const { serviceId, kind, name, projectId, environmentId } = service;
  return {
    coverageId: volumeName === null ? serviceId : `${serviceId}/${volumeName}`,
    kind,
    serviceId,
    name,
    projectId,
    environmentId,
    volumeName,
    lacking: (Object.keys(lacks) as Lack[]).filter((lack) => lacks[lack]),
    lastGoodAt,
    restoredAt,
  };
}

const newest = (times: readonly (string | null)[]): string | null =>
  times.reduce((last, time) => (time !== null && (last === null || time > last) ? time : last), null);
