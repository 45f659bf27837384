/**
 * Names of services: one holder each in the whole installation, whatever the kind of service and without
 * regard to case (decisions 4). A compose service is several services of the engine, `<appName>_<service>`
 * each: these names are held too, and every name that its appName begins that way is kept for it, since what
 * services its next file has nobody knows yet.
 */
import { AppError } from '../../domain/errors.ts';
import { appNameKey, reservedAppNames } from '../../domain/names/names.ts';
import type { ServiceNameStore } from './store.ts';

export interface ServiceNames {
  /**
   * Makes the names that a service holds exactly these: its own, and those it still runs under; none when it
   * is gone. `stems` are those among them that names of its services begin with. Part of the caller's
   * transaction, after the service's own row was written, so that two changes of one service follow each
   * other. CONFLICT when another service holds one, or it is reserved.
   */
  keep(
    serviceId: string,
    names: readonly (string | null)[],
    stems?: readonly (string | null)[],
  ): Promise<void>;
}

export type CreateServiceNames = (store: ServiceNameStore) => ServiceNames;

export const createServiceNames: CreateServiceNames = (store) => ({
  keep: (serviceId, names, stems = []) =>
    store.transaction(async () => {
      const wanted = byKey(names);
      const stemKeys = new Set(byKey(stems).keys());
      const held = new Map((await store.list({ serviceId })).map((row) => [row.nameKey, row.isStem]));
      for (const [nameKey, name] of wanted) {
        const isStem = stemKeys.has(nameKey);
        if (held.get(nameKey) === isStem) continue;
        await refuseKept(store, { serviceId, nameKey, isStem }, name);
        if (held.has(nameKey)) await store.update({ nameKey, serviceId }, { isStem });
        else await take(store, { serviceId, nameKey, isStem }, name);
      }
      for (const nameKey of held.keys()) if (!wanted.has(nameKey)) await store.remove({ nameKey, serviceId });
    }),
});

interface HeldName {
  nameKey: string;
  serviceId: string;
  isStem: boolean;
}

async function take(store: ServiceNameStore, held: HeldName, name: string): Promise<void> {
  if (reservedAppNames.includes(held.nameKey)) throw nameTaken(name);
  try {
    // The primary key decides, so that two requests at once cannot both win.
    await store.insert(held);
  } catch (error) {
    throw error instanceof AppError && error.code === 'CONFLICT' ? nameTaken(name, error) : error;
  }
}

/**
 * What another compose service may come to need, and what is there already of what this one may. Two requests
 * at once can pass here; the names that are released are rows of their own, and there one loses.
 */
async function refuseKept(
  store: ServiceNameStore,
  { serviceId, nameKey, isStem }: HeldName,
  name: string,
): Promise<void> {
  if (await store.hasStemOfOthers(serviceId, stemsOf(nameKey))) throw nameTaken(name);
  if (isStem && (await store.hasBelow(serviceId, `${nameKey}_`))) throw nameTaken(name);
}

/** `a_b_c` could be the service `b_c` of `a`, or the service `c` of `a_b`. */
function stemsOf(nameKey: string): string[] {
  return [...nameKey.matchAll(/_/g)].map(({ index }) => nameKey.slice(0, index));
}

function byKey(names: readonly (string | null)[]): Map<string, string> {
  return new Map(names.flatMap((name) => (name === null ? [] : [[appNameKey(name), name] as const])));
}

function nameTaken(appName: string, cause?: unknown): AppError {
  return new AppError(
    'CONFLICT',
    `appName: ${appName} is taken by another service of this installation, or by one of a compose service ` +
      '(names must differ in more than case, and no other name may begin with that of a compose service ' +
      'and "_"). Choose another one.',
    { cause, issues: [{ path: 'appName', message: 'is taken' }] },
  );
}
