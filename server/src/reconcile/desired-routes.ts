/**
 * The routes of a server as they should be, from everything that decides them; a fixed number of statements.
 */
import type { OrderedNames } from '../domain/certificates/by-dns.ts';
import { localServer, serverIdOf } from '../domain/names/server-key.ts';
import type { HostRules, OwnHost } from '../modules/own-host/own-host.ts';
import type { SettingsService } from '../modules/settings/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Route } from '../ports/proxy.ts';
import type { StoredCertificate, StoredResolver } from './certificates.ts';
import { routesOf, type DesiredRoute, type LeadsTo } from './routes.ts';

export interface RoutesParts {
  stores: {
    /** Every domain of the server, in a stable order. */
    domains: { routed(serverKey: string): Promise<DesiredRoute[]> };
    certificates: { ofServer(serverKey: string): Promise<StoredCertificate[]> };
    certificateOrders: { list(where: { serverId: string | null }): Promise<OrderedNames[]> };
    certificateResolvers: { list(where: object): Promise<StoredResolver[]> };
    organizations: { first(): Promise<string | undefined> };
  };
  settings: Pick<SettingsService, 'get'>;
  clock: Clock;
  hostRules: Pick<HostRules, 'allowed'>;
  ownHost: Pick<OwnHost, 'routed'>;
  leadsTo: LeadsTo;
  /** Hosts for which no authority is to be asked now. */
  withheld(): Promise<ReadonlySet<string>>;
}

export async function desiredRoutes(
  serverKey: string,
  { stores, settings, clock, hostRules, ownHost, leadsTo, withheld }: RoutesParts,
): Promise<Route[]> {
  const { domains, certificates, certificateOrders, certificateResolvers, organizations } = stores;
  const installation = serverKey === localServer ? await organizations.first() : undefined;
  const { baseDomain } = await settings.get();
  const sources = {
    certificates: await certificates.ofServer(serverKey),
    orders: await certificateOrders.list({ serverId: serverIdOf(serverKey) }),
    base:
      installation === undefined || baseDomain === null
        ? null
        : { domain: baseDomain, organizationId: installation },
    resolvers: await certificateResolvers.list({}),
    settings: await settings.get(),
    withheld: await withheld(),
  };
  const isAllowed = await hostRules.allowed(serverKey);
  const routed = (await domains.routed(serverKey)).filter(({ asciiHost }) => isAllowed(asciiHost));
  const berth = serverKey === localServer ? await ownHost.routed() : undefined;
  return routesOf(routed, sources, clock.now(), {
    leadsTo,
    trustedProxies: sources.settings.trustedProxies,
    berth: berth && installation !== undefined ? { ...berth, organizationId: installation } : undefined,
  });
}
