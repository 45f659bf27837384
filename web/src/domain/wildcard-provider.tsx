/** The DNS provider that a wildcard host with an automatic certificate needs, and the way to add one. */
import type { ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { useAsk } from '../live/api.ts';

export function WildcardProvider(): ReactElement | null {
  // Those who may not see the providers get the words of the server.
  const { data } = useAsk('dnsProvider.all', {}, { retry: false });
  if (!data) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-12 text-muted" data-wildcard-provider>
      {data.length === 0
        ? 'Authorities check a wildcard by DNS records, which Berth sets by an account at your DNS provider.'
        : `Ordered by ${data.map(({ name }) => name).join(' or ')}, whichever serves the zone.`}
      <Go to="/settings/dns-providers">{data.length === 0 ? 'Add a DNS provider' : 'DNS providers'}</Go>
    </p>
  );
}
