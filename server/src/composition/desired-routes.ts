/**
 * The routes of a server as they should be, from everything that decides them; a fixed number of statements.
 */
import type { SettingsService } from '../modules/settings/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Route } from '../ports/proxy.ts';
import { routesOf } from '../reconcile/routes.ts';
import type { Stores } from './stores.ts';

export async function desiredRoutes(
  serverKey: string,
  { domains, certificates, certificateResolvers }: Stores,
  settings: Pick<SettingsService, 'get'>,
  clock: Clock,
  withheld: () => Promise<ReadonlySet<string>>,
): Promise<Route[]> {
  const sources = {
    certificates: await certificates.ofServer(serverKey),
    resolvers: await certificateResolvers.list({}),
    settings: await settings.get(),
    withheld: await withheld(),
  };
  return routesOf(await domains.routed(serverKey), sources, clock.now());
}
