/** What clean-ups find and remove, and when they run by themselves. */
import { nextTime } from '../../domain/time/cron.ts';
import { localServer, serverKeyOf } from '../../domain/names/server-key.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import { createCleaning, type Cleaning } from '../../modules/cleanup/cleanup.ts';
import {
  createFormerVolumes,
  type FormerVolume,
  type FormerVolumes,
} from '../../modules/cleanup/former-volumes.ts';
import { formerServerKey } from '../../modules/database/runtime.ts';
import type { Host } from '../../ports/host/host.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';
import type { Product } from '../product.ts';

export interface CleaningUp {
  cleanup: { cleaning: Cleaning; formerVolumes: FormerVolumes };
  /** Each minute: cleans up when its time has come, or when the disk is nearly full. */
  cleanTurn(): Promise<void>;
}

type CleanedGround = Pick<Ground, 'stores' | 'clock'> & {
  config: Pick<Ground['config'], 'data'>;
  adapters: { files: Pick<Ground['adapters']['files'], 'freeBytes'> };
  log: Pick<Ground['log'], 'info' | 'warn' | 'fault'>;
};
type CleanedProduct = Pick<Product, 'databases' | 'turns'> & { settings: Pick<Product['settings'], 'get'> };
interface CleanedMachines {
  hosts: {
    of(serverKey: string): Promise<CleanedHost>;
    find(serverKey: string): Promise<CleanedHost | undefined>;
    all(): Promise<CleanedHost[]>;
  };
  deployments: Pick<Machines['deployments'], 'all' | 'live' | 'isWorking' | 'clear'>;
}

type CleanedHost = Pick<Host, 'key' | 'engine'> & { builder: Pick<Host['builder'], 'remove'> };

export function createCleaningUp(
  ground: CleanedGround,
  product: CleanedProduct,
  machines: CleanedMachines,
): CleaningUp {
  const { stores, clock } = ground;
  const { settings } = product;
  const { hosts, deployments } = machines;
  const cleaning = createCleaning({
    clock,
    host: hosts.of,
    keptImages: (service) => keptImages(ground, product, machines, service),
    removeCache: async (serverKey, organizationId) =>
      (await hosts.of(serverKey)).builder.remove(organizationId),
    async oldDeployments(serverKey) {
      // Their records and logs are on Berth's own machine, wherever their services run.
      if (serverKey !== localServer) return [];
      const { keptDeployments: kept } = await settings.get();
      return (await stores.deployments.crowded(kept)).map(({ service, count }) => ({
        name: `the deployments of the ${service.kind} ${service.serviceId}`,
        count: count - kept,
        remove: async () => void (await deployments.clear(service, kept)),
      }));
    },
  });
  const formerVolumes = formerVolumesOf(ground, product, machines);
  return {
    cleanup: { cleaning, formerVolumes },
    cleanTurn: cleanTurn(ground, product, machines, { cleaning, formerVolumes }),
  };
}

/** As the stage that tidies up after a release counts them. */
async function keptImages(
  { stores }: CleanedGround,
  { settings }: CleanedProduct,
  { deployments }: CleanedMachines,
  service: ServiceRef,
): Promise<ReadonlySet<string> | undefined> {
  const { kind, serviceId } = service;
  if (kind === 'database') return undefined;
  if (kind === 'compose')
    return (await stores.composes.find({ composeId: serviceId })) ? undefined : new Set();
  const record =
    kind === 'application'
      ? await stores.applications.find({ applicationId: serviceId })
      : await stores.previewDeployments.find({ previewDeploymentId: serviceId });
  if (!record) return new Set();
  if (await deployments.isWorking(service)) return undefined;
  const live = await deployments.live(record);
  const released = (await deployments.all(service)).filter(({ status }) => status === 'done');
  const images = [...new Set([live, ...released].flatMap((one) => one?.image ?? []))];
  // Nothing was ever released: what was built may still be.
  return images.length === 0 ? undefined : new Set(images.slice(0, (await settings.get()).keptImages));
}

function formerVolumesOf(
  ground: CleanedGround,
  { databases, settings, turns }: CleanedProduct,
  { hosts }: CleanedMachines,
): FormerVolumes {
  const { stores, clock, log } = ground;
  return createFormerVolumes({
    clock,
    warn: (sentence) => log.warn(sentence),
    days: async () => (await settings.get()).formerVolumeDays,
    found: async (organizationId) => [
      ...(await ofDatabases(ground, organizationId)),
      ...(await ofRestores(ground, organizationId)),
    ],
    async sizes(serverKey) {
      const host = await hosts.find(serverKey);
      const usage = await host?.engine.diskUsage().catch(() => undefined);
      return new Map(usage?.volumes.map(({ name, sizeBytes }) => [name, sizeBytes]));
    },
    async remove({ databaseId, applicationId, composeId, serverKey, volumeName }) {
      if (databaseId === null) {
        await (await hosts.of(serverKey)).engine.removeVolume(volumeName);
        const owner = applicationId === null ? { composeId } : { applicationId };
        await stores.backupRuns.update({ ...owner, previousVolume: volumeName }, { previousVolume: null });
        return;
      }
      await turns.take(databaseId, async () => {
        const present = await databases.find(databaseId);
        if (!present?.formerVolumes.some((one) => one.volumeName === volumeName)) return;
        await (await hosts.find(serverKey))?.engine.removeVolume(volumeName);
        const left = present.formerVolumes.filter((one) => one.volumeName !== volumeName);
        await databases.patch(databaseId, { formerVolumes: left });
      });
    },
  });
}

async function ofDatabases({ stores }: CleanedGround, organizationId?: string): Promise<FormerVolume[]> {
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
async function ofRestores({ stores }: CleanedGround, organizationId?: string): Promise<FormerVolume[]> {
  return (await stores.backupRuns.formerVolumes(organizationId)).map(({ serverId, ...volume }) => ({
    ...volume,
    databaseId: null,
    databaseType: null,
    what: `the ${volume.applicationId === null ? 'compose service' : 'application'} ${volume.name}`,
    serverKey: serverKeyOf({ serverId }),
  }));
}

const urgentEveryMs = 3_600_000;

function cleanTurn(
  { adapters, config, clock, log }: CleanedGround,
  { settings }: CleanedProduct,
  { hosts }: CleanedMachines,
  { cleaning, formerVolumes }: CleaningUp['cleanup'],
): () => Promise<void> {
  let lastLook = clock.now();
  let lastUrgent = 0;
  const clean = async (serverKey: string, caches: boolean): Promise<void> => {
    const { items, bytes, failures } = await cleaning.run(serverKey, { caches });
    if (items.length + failures.length > 0)
      log.info('Cleaned up', { serverKey, removed: items.length, bytes, failures });
  };
  return async () => {
    const { cleanupSchedule, minFreeDisk } = await settings.get();
    const now = clock.now();
    const due = cleanupSchedule === null ? undefined : nextTime(cleanupSchedule, 'UTC', lastLook);
    const isDue = due != null && due <= now;
    const isFull = (await adapters.files.freeBytes(config.data)) < 2 * minFreeDisk;
    lastLook = now;
    if (isFull && now - lastUrgent >= urgentEveryMs) {
      lastUrgent = now;
      await clean(localServer, true);
    }
    if (!isDue) return;
    // One that cannot be reached is no reason to leave the others alone.
    for (const { key } of await hosts.all())
      await clean(key, false).catch((error: unknown) => void log.fault(error, `clean-up of ${key}`));
    await formerVolumes.turn();
  };
}
