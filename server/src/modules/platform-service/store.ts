/** Ids that the engine of each server gave to the platform's own services: by these they are found again. */
import type { Database } from '../../db/database.ts';
import { tableStore } from '../../db/table-store.ts';

export interface PlatformServiceStore {
  /** Undefined while it was never made. */
  idOf(serverKey: string, name: string): Promise<string | undefined>;
  /** Nothing is written when it is so already. */
  keep(serverKey: string, name: string, engineId: string): Promise<void>;
}

export function createPlatformServiceStore(database: Database): PlatformServiceStore {
  const services = tableStore(database, 'platform_service');
  const idOf: PlatformServiceStore['idOf'] = async (serverKey, name) =>
    (await services.find({ serverKey, name }))?.engineId;
  return {
    idOf,
    keep: (serverKey, name, engineId) =>
      database.transaction(async () => {
        const present = await idOf(serverKey, name);
        if (present === engineId) return;
        if (present === undefined) await services.insert({ serverKey, name, engineId });
        else await services.update({ serverKey, name }, { engineId });
      }),
  };
}
