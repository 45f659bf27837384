/** Services as approvals see them. */
import type { Database } from '../../db/database.ts';
import { tableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { Approval } from '../../domain/access/danger.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import { givenVolumes } from '../../domain/names/restored-volumes.ts';
import { subjectOfApplication, subjectOfCompose, subjectOfDatabase } from './subject.ts';

export interface KnownService {
  organizationId: string;
  /** Where it stands. */
  serverKey: string;
  /** Since when that is another machine than before; null for the same one from the beginning. */
  machineSince: string | null;
  subject: string;
  /** Its file is written here, by anybody who may edit it: how its services start is approved too. */
  isRaw: boolean;
  liveDeploymentId: string | null;
  /** Volumes that Berth put in the place of its own, by a restore or from a deleted service. */
  givenVolumes: string[];
  /** Whoever's they are; whether they still hold is not looked at. */
  approvals: Approval[];
}

export interface HostReachStore {
  /** Undefined when it does not exist, and for what never reaches the machine (previews). */
  find(service: ServiceRef): Promise<KnownService | undefined>;
  mounts(service: ServiceRef): Promise<TableRecord<'mount'>[]>;
  approveMount(mountId: string, approval: Approval): Promise<void>;
}

export function createHostReachStore(database: Database): HostReachStore {
  const [applications, composes, databases, mounts, servers] = [
    tableStore(database, 'application'),
    tableStore(database, 'compose'),
    tableStore(database, 'database'),
    tableStore(database, 'mount'),
    tableStore(database, 'server'),
  ];
  const binds = ({ kind, serviceId }: ServiceRef): Promise<TableRecord<'mount'>[]> =>
    kind === 'previewDeployment'
      ? Promise.resolve([])
      : mounts.list({ type: 'bind', [`${kind}Id`]: serviceId });
  const record = {
    async application(applicationId: string) {
      const found = await applications.find({ applicationId });
      return found && { ...found, subject: subjectOfApplication(found), own: [] };
    },
    async compose(composeId: string) {
      const found = await composes.find({ composeId });
      return found && { ...found, subject: subjectOfCompose(found), own: [found.approval] };
    },
    async database(databaseId: string) {
      const found = await databases.find({ databaseId });
      const none = { sourceType: null, own: [], restoredVolumes: {} };
      return found && { ...found, ...none, subject: subjectOfDatabase(found) };
    },
    previewDeployment: async () => undefined,
  };
  return {
    mounts: binds,
    approveMount: async (mountId, approval) => void (await mounts.update({ mountId }, { approval })),
    async find(service) {
      const found = await record[service.kind](service.serviceId);
      if (!found) return undefined;
      const { organizationId, subject, liveDeploymentId, own, serverId, restoredVolumes } = found;
      const server = serverId === null ? undefined : await servers.find({ serverId });
      const approvals = [...own, ...(await binds(service)).map(({ approval }) => approval)];
      return {
        organizationId,
        serverKey: serverKeyOf(found),
        machineSince: server?.machineSince ?? null,
        subject,
        isRaw: service.kind === 'compose' && found.sourceType === 'raw',
        liveDeploymentId,
        givenVolumes: givenVolumes(restoredVolumes),
        approvals: approvals.filter((approval) => approval !== null),
      };
    },
  };
}
