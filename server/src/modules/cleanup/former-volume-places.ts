/** Where former volumes are kept: in the records of databases, and in the runs of restores. */
import type { DatabaseRecord } from '../../db/tables.ts';
import { formerServerKey, serverKeyOf } from '../../domain/names/server-key.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { FormerVolume, FormerVolumePorts } from './former-volumes.ts';

interface VolumeHost {
  engine: Pick<Engine, 'diskUsage' | 'removeVolume'>;
}

interface RestoredVolume {
  applicationId: string | null;
  composeId: string | null;
  name: string;
  serverId: string | null;
  volumeName: string;
  since: string;
}

export interface FormerVolumePlacesDeps {
  stores: {
    databases: { list(where: { organizationId?: string }): Promise<DatabaseRecord[]> };
    backupRuns: {
      formerVolumes(organizationId?: string): Promise<RestoredVolume[]>;
      update(
        where: { applicationId?: string | null; composeId?: string | null; previousVolume: string },
        patch: { previousVolume: null },
      ): Promise<unknown>;
    };
  };
  databases: {
    find(databaseId: string): Promise<DatabaseRecord | undefined>;
    patch(databaseId: string, patch: Pick<DatabaseRecord, 'formerVolumes'>): Promise<unknown>;
  };
  hosts: {
    of(serverKey: string): Promise<VolumeHost>;
    find(serverKey: string): Promise<VolumeHost | undefined>;
  };
  turns: { take<T>(serviceId: string, work: () => Promise<T>): Promise<T> };
}

export function formerVolumePlaces(
  parts: FormerVolumePlacesDeps,
): Pick<FormerVolumePorts, 'found' | 'sizes' | 'remove'> {
  const { hosts } = parts;
  return {
    found: async (organizationId) => [
      ...(await ofDatabases(parts, organizationId)),
      ...(await ofRestores(parts, organizationId)),
    ],
    async sizes(serverKey) {
      const host = await hosts.find(serverKey);
      const usage = await host?.engine.diskUsage().catch(() => undefined);
      return new Map(usage?.volumes.map(({ name, sizeBytes }) => [name, sizeBytes]));
    },
    remove: (volume) =>
      volume.databaseId === null
        ? removeOfRestore(parts, volume)
        : removeOfDatabase(parts, volume.databaseId, volume),
  };
}

async function ofDatabases(
  { stores }: Pick<FormerVolumePlacesDeps, 'stores'>,
  organizationId?: string,
): Promise<FormerVolume[]> {
  const found = await stores.databases.list(organizationId === undefined ? {} : { organizationId });
  return found.flatMap((database) =>
    database.formerVolumes.map(({ volumeName, since, ...former }) => ({
      databaseId: database.databaseId,
      databaseType: database.kind,
      applicationId: null,
      composeId: null,
      what: `the database ${database.name}`,
      name: database.name,
      serverKey: formerServerKey(database, former),
      volumeName,
      since,
    })),
  );
}

/** What restores of volumes of applications and compose services left. */
async function ofRestores(
  { stores }: Pick<FormerVolumePlacesDeps, 'stores'>,
  organizationId?: string,
): Promise<FormerVolume[]> {
  return (await stores.backupRuns.formerVolumes(organizationId)).map(({ serverId, ...volume }) => ({
    ...volume,
    databaseId: null,
    databaseType: null,
    what: `the ${volume.applicationId === null ? 'compose service' : 'application'} ${volume.name}`,
    serverKey: serverKeyOf({ serverId }),
  }));
}

async function removeOfRestore(
  { stores, hosts }: Pick<FormerVolumePlacesDeps, 'stores' | 'hosts'>,
  { applicationId, composeId, serverKey, volumeName }: FormerVolume,
): Promise<void> {
  await (await hosts.of(serverKey)).engine.removeVolume(volumeName);
  const owner = applicationId === null ? { composeId } : { applicationId };
  await stores.backupRuns.update({ ...owner, previousVolume: volumeName }, { previousVolume: null });
}

async function removeOfDatabase(
  { databases, hosts, turns }: Pick<FormerVolumePlacesDeps, 'databases' | 'hosts' | 'turns'>,
  databaseId: string,
  { serverKey, volumeName }: FormerVolume,
): Promise<void> {
  await turns.take(databaseId, async () => {
    const present = await databases.find(databaseId);
    if (!present?.formerVolumes.some((one) => one.volumeName === volumeName)) return;
    await (await hosts.find(serverKey))?.engine.removeVolume(volumeName);
    const left = present.formerVolumes.filter((one) => one.volumeName !== volumeName);
    await databases.patch(databaseId, { formerVolumes: left });
  });
}
