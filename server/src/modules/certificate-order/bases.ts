/** Base domains whose wildcard certificates Berth orders. */
import type { SharedBase } from '../../domain/certificates/by-dns.ts';
import type { OrderedBase } from './automatic.ts';
import type { OrderRecord, OrderStore } from './store.ts';

export interface BaseDeps {
  /** Of projects and servers, with the servers of their services. */
  placed(): Promise<OrderedBase[]>;
  settings(): Promise<{ baseDomain: string | null; cloud: boolean }>;
  /** The installation's own organization. */
  installation(): Promise<string | undefined>;
  store: Pick<OrderStore, 'isNeeded'>;
}

export interface Bases {
  /** The base domain of the installation, for services on Berth's own machine. */
  base(): Promise<SharedBase | null>;
  bases(): Promise<OrderedBase[]>;
  /** Whether an automatic order has a base domain or a domain left that it is for. */
  isNeeded(order: OrderRecord): Promise<boolean>;
}

export function createBases({ placed, settings, installation, store }: BaseDeps): Bases {
  const base: Bases['base'] = async () => {
    const { baseDomain, cloud } = await settings();
    const organizationId = baseDomain === null || cloud ? undefined : await installation();
    return baseDomain === null || organizationId === undefined
      ? null
      : { domain: baseDomain, organizationId };
  };
  const bases: Bases['bases'] = async () => {
    const shared = await base();
    return [...(shared ? [{ ...shared, serverId: null }] : []), ...(await placed())];
  };
  return {
    base,
    bases,
    async isNeeded(order) {
      const { organizationId, serverId, names } = order;
      const isOfBase = (await bases()).some(
        (each) =>
          each.organizationId === organizationId &&
          each.serverId === serverId &&
          names.includes(`*.${each.domain}`),
      );
      return isOfBase || store.isNeeded(order);
    },
  };
}
