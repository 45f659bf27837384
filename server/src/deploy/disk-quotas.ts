/** The disk usage of organizations, computed from records and engines. */
import { join } from 'node:path';
import {
  createDiskQuotas,
  type DiskQuotas,
  type DiskStore,
  type MeasuredServer,
} from '../modules/disk-quota/disk-quota.ts';
import type { DeployedKind } from '../domain/names/service-ref.ts';
import type { Clock } from '../ports/clock.ts';
import type { WorkFiles } from '../ports/host/work-files.ts';
import { quotasOf } from './quotas.ts';
import { releasedSpecs, type ReleasedParts } from './released-specs.ts';

export interface DiskStores extends ReleasedParts {
  disk: Omit<DiskStore, 'liveImages'> & {
    liveReleases(organizationId: string): Promise<{ kind: DeployedKind; deploymentId: string }[]>;
  };
  quotas: Parameters<typeof quotasOf>[0]['quotas'];
}

/** Folders of compose services on Berth's own machine, each named by its id. */
export interface ComposeFolders {
  folder: string;
  files: Pick<WorkFiles, 'bytesIn'>;
}

export function diskQuotasOf(
  stores: DiskStores,
  clock: Clock,
  { folder, files }: ComposeFolders,
): DiskQuotas {
  const { disk, deployments } = stores;
  return createDiskQuotas({
    clock,
    folderBytes: (composeId) => files.bytesIn(join(folder, composeId)),
    quotas: quotasOf(stores),
    store: {
      ...disk,
      async liveImages(organizationId) {
        const images = new Set<string>();
        for (const { kind, deploymentId } of await disk.liveReleases(organizationId))
          for (const { image } of await releasedSpecs({ deployments }, kind, deploymentId)) images.add(image);
        return images;
      },
    },
  });
}

const oftenMs = 60_000;
const turnMs = 10 * 60_000;
/** How long a reader waits for a measurement; a later result is shown the next time. */
const waitMs = 10_000;

export interface DiskMeasuring {
  /** Measures all servers if any organization has a limit. */
  turn(): Promise<void>;
  /** Measures for a reader, at most once a minute, and waits for the result for a while. */
  look(): Promise<void>;
}

interface MeasuringParts {
  stores: DiskStores;
  clock: Clock;
  composeFolders: ComposeFolders;
  log: { warn(sentence: string): void };
  hosts: { all(): Promise<MeasuredServer[]> };
}

export function createDiskMeasuring({
  stores,
  clock,
  log,
  hosts,
  composeFolders,
}: MeasuringParts): DiskMeasuring {
  const disk = diskQuotasOf(stores, clock, composeFolders);
  let lastAt = -Infinity;
  let running: Promise<void> | undefined;
  async function measureAll(): Promise<void> {
    lastAt = clock.now();
    for (const host of await hosts.all())
      await disk.measure(host).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        log.warn(`What organizations take of the disk of ${host.key} could not be measured: ${why}`);
      });
  }
  const once = (): Promise<void> =>
    (running ??= measureAll().finally(() => {
      running = undefined;
    }));
  return {
    async turn() {
      if (clock.now() - lastAt < turnMs) return;
      const isLimited = (await stores.quotas.quotas.list({})).some(({ diskBytes }) => diskBytes !== null);
      if (isLimited) await once();
    },
    async look() {
      if (!running && clock.now() - lastAt < oftenMs) return;
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, waitMs);
      await Promise.race([once(), late.promise]);
      clearTimeout(timer);
    },
  };
}
