/** Which data of an organization has a backup, a good one, a trial restore and recovery. */
import type { Scope } from '../../../domain/access/permissions.ts';
import { composeRef } from '../../../domain/names/service-ref.ts';
import type { ServiceSpec } from '../../../ports/engine/engine.ts';
import type { ServiceKindName } from '../../service/record-lists.ts';
import type { BackupRecord, BackupStore, CoverageStore, KeptOfBackup, PlacedService } from '../store.ts';
import { volumesIn } from '../volumes/volume-service.ts';
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
  encrypted: boolean | null;
  lastGoodAt: string | null;
  restoredAt: string | null;
}

export interface CoveragePorts {
  coverage: CoverageStore;
  backups: Pick<BackupStore, 'list'>;
  /** What the engine keeps running of a compose service, by the settings of its live deployment. */
  specsOfRelease(settings: string | null): readonly ServiceSpec[];
}

/** Those that lack most first; `reaches` says which services are asked for. */
export type Coverage = (organizationId: string, reaches: (scope: Scope) => boolean) => Promise<Covered[]>;

export function createCoverage({ coverage, backups, specsOfRelease }: CoveragePorts): Coverage {
  return async (organizationId, reaches) => {
    const services = (await coverage.services(organizationId)).filter(
      ({ projectId, environmentId, serviceId }) =>
        reaches({ organizationId, projectId, environmentId, serviceId }),
    );
    const records = Map.groupBy(await backups.list({ organizationId }), serviceOf);
    const kept = new Map((await coverage.kept(organizationId)).map((one) => [one.backupId, one]));
    const volumes = await volumesOf({ coverage, specsOfRelease }, organizationId);
    const all = services.flatMap((service) => {
      const own = records.get(service.serviceId) ?? [];
      return dataOf(volumes, service).map((volumeName) =>
        covered(
          service,
          volumeName,
          own.filter((backup) => volumeName === null || backup.volumeName === volumeName),
          kept,
        ),
      );
    });
    return all.toSorted((one, other) => other.lacking.length - one.lacking.length);
  };
}

const serviceOf = ({ databaseId, applicationId, composeId }: BackupRecord): string =>
  databaseId ?? applicationId ?? composeId ?? '';

/** Names of the volumes of each service; as many statements for many services as for few. */
async function volumesOf(
  { coverage, specsOfRelease }: Pick<CoveragePorts, 'coverage' | 'specsOfRelease'>,
  organizationId: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const all = new Map<string, Set<string>>();
  const add = (serviceId: string, names: Iterable<string>): void => {
    all.set(serviceId, new Set([...(all.get(serviceId) ?? []), ...names]));
  };
  for (const { serviceId, volumeName } of await coverage.mounted(organizationId))
    add(serviceId, [volumeName]);
  for (const { composeId, restoredVolumes, settings } of await coverage.releases(organizationId)) {
    const service = { ref: composeRef(composeId), restoredVolumes };
    add(composeId, volumesIn(service, specsOfRelease(settings)).keys());
  }
  return all;
}

/** Names of its volumes; null: a database, which is backed up as one. */
const dataOf = (
  volumes: ReadonlyMap<string, ReadonlySet<string>>,
  { kind, serviceId }: PlacedService,
): (string | null)[] =>
  kind === 'application' || kind === 'compose' ? [...(volumes.get(serviceId) ?? [])].toSorted() : [null];

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
    key: stored.some(({ isLocked }) => isLocked),
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
    encrypted: stored.length === 0 ? null : stored.every(({ isEncrypted }) => isEncrypted),
    lastGoodAt,
    restoredAt,
  };
}

const newest = (times: readonly (string | null)[]): string | null =>
  times.reduce((last, time) => (time !== null && (last === null || time > last) ? time : last), null);
