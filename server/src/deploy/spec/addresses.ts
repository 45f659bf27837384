/** Where a service answers by its domains, oldest first. */
import { addressOf } from '../../domain/routing/address.ts';
import type { Host } from '../../ports/host/host.ts';
import type { DomainRecord } from '../release/release-inputs.ts';

const most = 5;

export const addressesOf = (
  domains: readonly DomainRecord[],
  { proxyPorts }: Pick<Host, 'proxyPorts'>,
): string[] =>
  domains
    .toSorted((left, right) => (left.createdAt < right.createdAt ? -1 : 1))
    .slice(0, most)
    .map((domain) => addressOf(domain, proxyPorts));
