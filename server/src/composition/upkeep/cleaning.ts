/** What clean-ups find and remove, and when they run by themselves, joined with records and hosts. */
import { createCleanTurn } from '../../modules/cleanup/clean-turn.ts';
import { createCleaning, type Cleaning } from '../../modules/cleanup/cleanup.ts';
import { createFormerVolumes, type FormerVolumes } from '../../modules/cleanup/former-volumes.ts';
import { createKeptVolumes, type KeptVolumes } from '../../modules/cleanup/kept-volumes.ts';
import { keptImagesOf } from '../../modules/cleanup/kept-images.ts';
import { formerVolumePlaces } from '../../modules/cleanup/former-volume-places.ts';
import { oldDeploymentsOf } from '../../modules/cleanup/old-deployments.ts';
import { createUnknownThings, type UnknownThings } from '../../modules/cleanup/unknown-things.ts';
import { isoTime } from '../../ports/clock.ts';
import type { Host } from '../../ports/host/host.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';
import type { Product } from '../product.ts';

export interface CleaningUp {
  cleanup: {
    cleaning: Cleaning;
    formerVolumes: FormerVolumes;
    keptVolumes: KeptVolumes;
    unknownThings: UnknownThings;
  };
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

type CleanedHost = Pick<Host, 'key' | 'engine' | 'whySilent' | 'freeBytes'> & {
  builder: Pick<Host['builder'], 'remove'>;
};

export function createCleaningUp(
  { stores, clock, adapters, config, log }: CleanedGround,
  { databases, turns, settings }: CleanedProduct,
  { hosts, deployments }: CleanedMachines,
): CleaningUp {
  const cleaning = createCleaning({
    clock,
    host: hosts.of,
    keptImages: keptImagesOf({ stores, deployments, settings }),
    removeCache: async (serverKey, organizationId) =>
      (await hosts.of(serverKey)).builder.remove(organizationId),
    oldDeployments: oldDeploymentsOf({
      crowded: stores.deployments.crowded,
      clear: deployments.clear,
      kept: async () => (await settings.get()).keptDeployments,
    }),
  });
  const formerVolumes = createFormerVolumes({
    ...formerVolumePlaces({ stores, databases, hosts, turns }),
    clock,
    warn: (sentence) => log.warn(sentence),
    days: async () => (await settings.get()).formerVolumeDays,
  });
  return {
    cleanup: {
      cleaning,
      formerVolumes,
      keptVolumes: createKeptVolumes({ stores, hosts }),
      unknownThings: createUnknownThings({
        things: stores.knownThings,
        installation: stores.installation,
        host: hosts.of,
        now: () => isoTime(clock),
      }),
    },
    cleanTurn: createCleanTurn({
      cleaning,
      formerVolumes,
      hosts,
      settings,
      freeBytes: () => adapters.files.freeBytes(config.data),
      clock,
      log,
    }),
  };
}
