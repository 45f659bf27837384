/** Zones of a stored DNS provider: reached by its credential, which no error repeats. */
import type { ZoneAccess } from '../../domain/dns/zone.ts';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { hideInErrors } from '../../domain/secrets/hide-in-errors.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import { dnsKindOf, settingsOf } from './dns-provider.ts';
import { dnsKinds } from './kinds/kinds.ts';
import type { DnsProviderRecord, DnsProviderStore } from './store.ts';
import { createWays, type WayDeps } from './way.ts';

export type Connect = (provider: DnsProviderRecord) => ZoneAccess;

/** Errors of a provider never repeat its credential. */
export function createConnect(deps: WayDeps): Connect {
  const ways = createWays(deps);
  return (provider) => {
    const kind = dnsKinds[dnsKindOf(provider)];
    const settings = settingsOf(provider);
    const access = kind.connect(settings, ways(kind, { organizationId: provider.organizationId }));
    const guarded = <T>(work: () => Promise<T>): Promise<T> => hideInErrors(settings, kind.secrets, work);
    return {
      find: (candidates) => guarded(() => access.find(candidates)),
      read: (at) => guarded(() => access.read(at)),
      add: (record) => guarded(() => access.add(record)),
      remove: (record) => guarded(() => access.remove(record)),
    };
  };
}

/** Writes down at the provider how its work went. */
export async function noted<T>(
  { store, clock }: { store: Pick<DnsProviderStore, 'update'>; clock: Clock },
  { dnsProviderId, organizationId }: DnsProviderRecord,
  work: () => Promise<T>,
): Promise<T> {
  const note = (change: Partial<DnsProviderRecord>): Promise<number> =>
    store.update({ dnsProviderId, organizationId }, change);
  try {
    const made = await work();
    await note({ lastUsedAt: isoTime(clock), lastError: null, lastErrorAt: null });
    return made;
  } catch (error) {
    if (error instanceof AppError)
      await note({ lastError: sentenceOf(error).slice(0, 1000), lastErrorAt: isoTime(clock) });
    throw error;
  }
}
