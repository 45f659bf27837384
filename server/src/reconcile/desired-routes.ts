/**
 * The routes of a server as they should be, from everything that decides them; a fixed number of statements.
 */
import { localServer } from '../domain/names/server-key.ts';
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
  const { domains, certificates, certificateResolvers, organizations } = stores;
  const sources = {
    certificates: await certificates.ofServer(serverKey),
    resolvers: await certificateResolvers.list({}),
    settings: await settings.get(),
    withheld: await withheld(),
  };
  const isAllowed = await hostRules.allowed(serverKey);
  const routed = (await domains.routed(serverKey)).filter(({ asciiHost }) => isAllowed(asciiHost));
  const berth = serverKey === localServer ? await ownHost.routed() : undefined;
  const organizationId = berth && (await organizations.first());
  return routesOf(routed, sources, clock.now(), {
    leadsTo,
    trustedProxies: sources.settings.trustedProxies,
    berth: berth && organizationId !== undefined ? { ...berth, organizationId } : undefined,
  });
}
