/** Volumes that outlived their service: listed, given to another service, removed. */
import type { TableRecord } from '../../db/tables.ts';
import { AppError } from '../../domain/errors.ts';
import { organizationLabel } from '../../domain/names/labels.ts';
import {
  idFields,
  ownerOfLabels,
  type DeployedKind,
  type ServiceRef,
} from '../../domain/names/service-ref.ts';
import type { DiskUsage } from '../../ports/engine/engine-disk.ts';
import type { Engine } from '../../ports/engine/engine.ts';

export interface KeptVolume {
  volumeName: string;
  /** Of the deleted service. */
  kind: DeployedKind;
  serviceId: string;
  bytes: number | null;
  /** As the audit log has it; null when its entry is gone. */
  deletedAt: string | null;
}

export interface KeptVolumes {
  /** By name; SERVICE_UNAVAILABLE when the server cannot be reached. */
  all(organizationId: string, serverKey: string): Promise<KeptVolume[]>;
  /** NOT_FOUND for a volume that `all` does not list. */
  require(organizationId: string, serverKey: string, volumeName: string): Promise<void>;
  /** Irreversible. NOT_FOUND for a volume that `all` does not list, CONFLICT while a container has it. */
  remove(organizationId: string, serverKey: string, volumeName: string): Promise<void>;
}

export interface KeptVolumesDeps {
  stores: {
    applications: Finds & Lists;
    composes: Finds & Lists;
    databases: Finds;
    previewDeployments: Finds;
    backupRuns: {
      formerVolumes(organizationId: string): Promise<{ volumeName: string }[]>;
      unfinished(): Promise<Pick<TableRecord<'backup_run'>, 'operation' | 'path'>[]>;
    };
    audit: {
      all(
        organizationId: string,
        filter: { resourceId: string },
      ): Promise<Pick<TableRecord<'audit'>, 'at' | 'procedure' | 'outcome'>[]>;
    };
  };
  hosts: { of(serverKey: string): Promise<{ engine: Pick<Engine, 'diskUsage' | 'removeVolume'> }> };
}

interface Lists {
  list(where: { organizationId: string }): Promise<Pick<TableRecord<'application'>, 'restoredVolumes'>[]>;
}

interface Finds {
  find(where: Record<string, string>): Promise<unknown>;
}

export function createKeptVolumes({ stores, hosts }: KeptVolumesDeps): KeptVolumes {
  async function kept(organizationId: string, serverKey: string): Promise<KeptVolume[]> {
    const { engine } = await hosts.of(serverKey);
    const owned = ownedVolumes(await engine.diskUsage(), organizationId);
    if (owned.length === 0) return [];
    const used = await usedVolumes(stores, organizationId);
    const isGone = new Map<string, boolean>();
    const found: KeptVolume[] = [];
    for (const volume of owned) {
      const { volumeName, kind, serviceId } = volume;
      const gone = isGone.get(serviceId) ?? !(await exists(stores, { kind, serviceId }));
      isGone.set(serviceId, gone);
      if (gone && !used.has(volumeName))
        found.push({ ...volume, deletedAt: await deletedAt(stores, organizationId, serviceId) });
    }
    return found.toSorted((a, b) => (a.volumeName < b.volumeName ? -1 : 1));
  }
  async function require(organizationId: string, serverKey: string, volumeName: string): Promise<void> {
    if ((await kept(organizationId, serverKey)).some((one) => one.volumeName === volumeName)) return;
    throw new AppError(
      'NOT_FOUND',
      `No deleted service has left the volume ${volumeName} on this server, or another service has it by ` +
        'now. cleanup.keptVolumes lists what is there.',
    );
  }
  return {
    all: kept,
    require,
    async remove(organizationId, serverKey, volumeName) {
      await require(organizationId, serverKey, volumeName);
      await (await hosts.of(serverKey)).engine.removeVolume(volumeName);
    },
  };
}

/** What bears the labels of a service of this organization; the organization of a volume never changes. */
function ownedVolumes({ volumes }: DiskUsage, organizationId: string): Omit<KeptVolume, 'deletedAt'>[] {
  return volumes.flatMap(({ name, labels, sizeBytes }) => {
    const owner = labels[organizationLabel] === organizationId ? ownerOfLabels(labels) : undefined;
    return owner === undefined || owner.serviceId === ''
      ? []
      : [{ volumeName: name, ...owner, bytes: sizeBytes }];
  });
}

/** Volumes that another service was given, or will be, and those that such a service can go back to. */
async function usedVolumes(
  { applications, composes, backupRuns }: KeptVolumesDeps['stores'],
  organizationId: string,
): Promise<ReadonlySet<string>> {
  const records = [
    ...(await applications.list({ organizationId })),
    ...(await composes.list({ organizationId })),
  ];
  const returns = (await backupRuns.unfinished()).filter(({ operation }) => operation === 'return');
  return new Set([
    ...records.flatMap(({ restoredVolumes }) => Object.values(restoredVolumes)),
    ...(await backupRuns.formerVolumes(organizationId)).map(({ volumeName }) => volumeName),
    ...returns.map(({ path }) => path),
  ]);
}

const recordsOf = {
  application: 'applications',
  database: 'databases',
  compose: 'composes',
  previewDeployment: 'previewDeployments',
} as const satisfies Record<DeployedKind, keyof KeptVolumesDeps['stores']>;

const exists = async (stores: KeptVolumesDeps['stores'], { kind, serviceId }: ServiceRef): Promise<boolean> =>
  (await stores[recordsOf[kind]].find({ [idFields[kind]]: serviceId })) !== undefined;

async function deletedAt(
  { audit }: KeptVolumesDeps['stores'],
  organizationId: string,
  resourceId: string,
): Promise<string | null> {
  const entries = await audit.all(organizationId, { resourceId });
  const end = entries.find(
    ({ procedure, outcome }) => outcome === 'done' && /\.(delete|remove)$/.test(procedure),
  );
  return end?.at ?? null;
}
