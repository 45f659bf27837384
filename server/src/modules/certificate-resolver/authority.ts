/** Whom a proxy asks for the certificate of a domain. */
import type { ResolverStore } from './store.ts';

interface Certified {
  certificateType: 'acme' | 'none' | 'custom';
  customCertResolver: string | null;
  organizationId: string;
}

/** Nulls: the proxy's own choice, and the installation's account. */
type Authority = { directoryUrl: string | null; account: string | null };

export function authorityOf(
  settings: { get(): Promise<{ acmeDirectory: string | null }> },
  resolvers: Pick<ResolverStore, 'find'>,
): (domain: Certified) => Promise<Authority> {
  return async ({ certificateType, customCertResolver, organizationId }) => {
    if (certificateType !== 'custom')
      return { directoryUrl: (await settings.get()).acmeDirectory, account: null };
    const resolver = await resolvers.find({ organizationId, name: customCertResolver ?? '' });
    return {
      directoryUrl: resolver?.directoryUrl ?? null,
      account: resolver?.certificateResolverId ?? null,
    };
  };
}
