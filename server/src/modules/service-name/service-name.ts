/**
 * Names of services: one holder each in the whole installation, whatever the kind of service and without
 * regard to case (decisions 4).
 */
import { AppError } from '../../domain/errors.ts';
import { appNameKey, reservedAppNames } from '../../domain/names.ts';
import type { ServiceNameStore } from './store.ts';

export interface ServiceNames {
  /**
   * Makes the names that a service holds exactly these: its own, and the one it still runs under; none when
   * it is gone. Part of the caller's transaction, after the service's own row was written, so that two
   * changes of one service follow each other. CONFLICT when another service holds one, or it is reserved.
   */
  keep(serviceId: string, names: readonly (string | null)[]): Promise<void>;
}

export function createServiceNames(store: ServiceNameStore): ServiceNames {
  async function take(serviceId: string, nameKey: string, name: string): Promise<void> {
    if (reservedAppNames.includes(nameKey)) throw nameTaken(name);
    try {
      // The primary key decides, so that two requests at once cannot both win.
      await store.insert({ nameKey, serviceId });
    } catch (error) {
      throw error instanceof AppError && error.code === 'CONFLICT' ? nameTaken(name, error) : error;
    }
  }
  return {
    keep: (serviceId, names) =>
      store.transaction(async () => {
        const wanted = new Map(
          names.flatMap((name) => (name === null ? [] : [[appNameKey(name), name] as const])),
        );
        const held = new Set((await store.list({ serviceId })).map(({ nameKey }) => nameKey));
        for (const [nameKey, name] of wanted) if (!held.has(nameKey)) await take(serviceId, nameKey, name);
        for (const nameKey of held) if (!wanted.has(nameKey)) await store.remove({ nameKey, serviceId });
      }),
  };
}

function nameTaken(appName: string, cause?: unknown): AppError {
  return new AppError(
    'CONFLICT',
    `appName: ${appName} is taken by another service of this installation (names differ in more than ` +
      'case). Choose another one.',
    { cause, issues: [{ path: 'appName', message: 'is taken' }] },
  );
}
