/** Certificate orders of the product, whose names are looked up in a bind9 of this machine. */
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { createNameResolver } from '../../server/src/adapters/dns/name-resolver.ts';
import { createLego } from '../../server/src/adapters/acme/lego.ts';
import { createOutgoing } from '../../server/src/adapters/outgoing/outgoing.ts';
import type { Stores } from '../../server/src/composition/stores.ts';
import { createCertifying, type Certifying } from '../../server/src/composition/upkeep/certifying.ts';
import { createBaseDomains } from '../../server/src/modules/base-domain/base-domain.ts';
import { createBases } from '../../server/src/modules/certificate-order/bases.ts';
import { createByDns, type ByDns } from '../../server/src/modules/certificate-order/by-dns.ts';
import { createSettings } from '../../server/src/modules/settings/settings.ts';
import type { Clock } from '../../server/src/ports/clock.ts';
import type { Standing } from '../../server/src/domain/access/permissions.ts';
import type { ChangeRoutes, Route } from '../../server/src/ports/proxy.ts';

export interface CertifyingWorld {
  stores: Stores;
  clock: Clock;
  changeRoutes: ChangeRoutes;
  /** Port of the name server. */
  dnsPort: number;
  legoPath?: string;
  /** Those of every organization. */
  standing?: Standing;
  onFault(error: unknown): void;
  onFact(text: string): void;
}

/** May reach loopback addresses, and nothing else that is private. */
export const localOutgoing = () =>
  createOutgoing({
    policyOf: async () => ({ reachesPrivate: true, allowed: ['127.0.0.0/8'], platform: [] }),
    lookUp: async () => ['127.0.0.1'],
  });

export function certifyingOf(world: CertifyingWorld): { certifying: Certifying; byDns: ByDns } {
  const { stores, clock, changeRoutes, dnsPort } = world;
  const settings = createSettings(stores.settings);
  const baseDomains = createBaseDomains({ store: stores.baseDomains, settings: settings.get });
  const bases = createBases({
    placed: baseDomains.placed,
    settings: settings.get,
    installation: stores.organizations.first,
    store: stores.certificateOrders,
  });
  const byDns = createByDns({
    orders: (serverId) => stores.certificateOrders.list({ serverId }),
    certificates: stores.certificates.shown,
    base: bases.base,
    clock,
  });
  const certifying = createCertifying({
    stores,
    clock,
    bases,
    byDns,
    settings,
    config: { url: 'http://localhost:3000' },
    installation: { installationId: 'installation0001' },
    adapters: {
      names: createNameResolver(),
      outgoing: localOutgoing(),
      lego: createLego({
        legoPath: world.legoPath ?? '/usr/bin/lego',
        scratch: tmpdir(),
        outgoing: localOutgoing(),
      }),
    },
    log: { fault: (error) => (world.onFault(error), String(error)) },
    accounts: {
      events: { tellAll: async () => undefined },
      organizations: { standing: async () => world.standing ?? 'installation' },
    },
    notifying: { tell: async ({ event, sentence }) => world.onFact(`${event}: ${sentence}`) },
    changeRoutes,
    nameServerAddress: (address) => `${address}:${dnsPort}`,
  });
  return { certifying, byDns };
}

/** Sets the base domain of a project, or else that of the installation. */
export async function setBase(stores: Stores, baseDomain: string | null, projectId?: string): Promise<void> {
  if (projectId === undefined)
    await createSettings(stores.settings).update({ baseDomain }, { role: 'owner' });
  else await stores.projects.update({ projectId }, { baseDomain });
}

/** By host: the id of its certificate, or what the proxy does instead. */
export const servedBy = (routes: readonly Route[]): Record<string, string> =>
  Object.fromEntries(
    routes.map(({ host, certificate }) => {
      if (certificate?.source === 'uploaded') return [host, certificate.certificateId];
      if (certificate?.source !== 'acme') return [host, 'internal'];
      return [host, certificate.isWithheld ? 'waits' : 'asks'];
    }),
  );

/** TXT records that the name server has. */
export async function textsOf(dnsPort: number, name: string): Promise<string[]> {
  const dns = new Resolver();
  dns.setServers([`127.0.0.1:${dnsPort}`]);
  return (await dns.resolveTxt(name).catch(() => [])).map((parts) => parts.join(''));
}
