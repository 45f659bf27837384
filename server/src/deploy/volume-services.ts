/** Applications and compose services as those whose volumes are backed up and restored. */
import { withVolume } from '../domain/names/restored-volumes.ts';
import { deployAndWait } from './deploy-and-wait.ts';
import type { ApplicationRecord, ComposeRecord, TableRecord } from '../db/tables.ts';
import type { DiskRoom } from '../domain/resources/free-disk.ts';
import { serverKeyOf } from '../domain/names/server-key.ts';
import { idFields, type ServiceRef } from '../domain/names/service-ref.ts';
import { presentService, type VolumeServices } from '../modules/backup/volumes/volume-service.ts';
import type { ServiceSpec } from '../ports/engine/engine.ts';
import type { Applications } from '../modules/application/application.ts';
import type { Composes } from '../modules/compose/compose.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import type { Turns } from '../modules/service/turns.ts';
import type { Hosts } from '../ports/host/host.ts';
import type { Queue } from '../ports/queue.ts';

export interface VolumeServiceParts {
  stores: {
    mounts: { list(where: object): Promise<Pick<TableRecord<'mount'>, 'volumeName'>[]> };
  };
  product: {
    applications: Pick<Applications, 'find' | 'patch'>;
    composes: Pick<Composes, 'find' | 'patch'>;
    turns: Turns;
    queue: Pick<Queue, 'wake'>;
  };
  machines: { hosts: Hosts; deployments: Pick<Deployments, 'accept' | 'one'> };
  releasing: {
    live: { liveSpec(application: ApplicationRecord): Promise<ServiceSpec | undefined> };
    runtime: Pick<Kind<ApplicationRecord>, 'start' | 'stop'>;
    runningComposes: {
      liveSpecs: Kind<ComposeRecord>['specs'];
      runtime: Pick<Kind<ComposeRecord>, 'start' | 'stop'>;
    };
  };
  /** Of the volumes of a service; undefined where nobody can tell. */
  roomOf(service: { serverId: string | null }): Promise<DiskRoom | undefined>;
}

/** What both kinds can do. */
interface Kind<R extends ApplicationRecord | ComposeRecord> {
  find(serviceId: string): Promise<R | undefined>;
  specs(record: R): Promise<ServiceSpec[]>;
  start(record: R): Promise<unknown>;
  stop(record: R): Promise<unknown>;
  patch(serviceId: string, patch: Pick<R, 'restoredVolumes'>): Promise<unknown>;
}

/** A kind with its record in hand. */
interface Found {
  record: ApplicationRecord | ComposeRecord;
  specs(): Promise<ServiceSpec[]>;
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
  patch(patch: Pick<ApplicationRecord, 'restoredVolumes'>): Promise<unknown>;
}

export function createVolumeServices(parts: VolumeServiceParts): VolumeServices {
  const { stores, machines, product } = parts;
  const { hosts } = machines;
  const find = finderOf(parts);
  const found = async (ref: ServiceRef): Promise<Found> => presentService(await find(ref));
  return {
    async find(ref) {
      const { record } = (await find(ref)) ?? {};
      return record && { ref, ...record };
    },
    specs: async (ref) => (await found(ref)).specs(),
    async live(ref) {
      const service = await found(ref);
      const { engine, probePath } = await hosts.of(serverKeyOf(service.record));
      return { engine, probePath, specs: await service.specs() };
    },
    recorded: async ({ kind, serviceId }) =>
      (await stores.mounts.list({ [idFields[kind]]: serviceId, type: 'volume' })).flatMap(
        ({ volumeName }) => volumeName ?? [],
      ),
    disk: async (ref) => parts.roomOf((await found(ref)).record),
    start: async (ref) => void (await (await found(ref)).start()),
    stop: async (ref) => void (await (await found(ref)).stop()),
    change: (ref, volumeName, restored) =>
      product.turns.take(ref.serviceId, async () => {
        const { record, patch } = await found(ref);
        await patch({ restoredVolumes: withVolume(record.restoredVolumes, ref, volumeName, restored) });
      }),
    async releaseAgain(ref, title, telling) {
      const { record } = await found(ref);
      if (record.liveDeploymentId === null) return undefined;
      return deployAndWait(
        { ...machines, ...product },
        { ...ref, organizationId: record.organizationId },
        { kind: 'rollback', sourceDeploymentId: record.liveDeploymentId, title, description: '' },
        telling,
      );
    },
    async engines(ref) {
      const service = await find(ref);
      const all = service ? [await hosts.find(serverKeyOf(service.record))] : await hosts.all();
      return all.flatMap((host) => host?.engine ?? []);
    },
  };
}

function finderOf({
  product: { applications, composes },
  releasing: { live, runtime, runningComposes },
}: VolumeServiceParts): (ref: ServiceRef) => Promise<Found | undefined> {
  const application: Kind<ApplicationRecord> = {
    find: applications.find,
    specs: async (record) => [await live.liveSpec(record)].flatMap((spec) => spec ?? []),
    start: runtime.start,
    stop: runtime.stop,
    patch: applications.patch,
  };
  const compose: Kind<ComposeRecord> = {
    find: composes.find,
    specs: runningComposes.liveSpecs,
    start: runningComposes.runtime.start,
    stop: runningComposes.runtime.stop,
    patch: composes.patch,
  };
  return ({ kind, serviceId }) =>
    kind === 'application' ? withRecord(application, serviceId) : withRecord(compose, serviceId);
}

async function withRecord<R extends ApplicationRecord | ComposeRecord>(
  kind: Kind<R>,
  serviceId: string,
): Promise<Found | undefined> {
  const record = await kind.find(serviceId);
  return (
    record && {
      record,
      specs: () => kind.specs(record),
      start: () => kind.start(record),
      stop: () => kind.stop(record),
      patch: (patch) => kind.patch(serviceId, patch),
    }
  );
}
