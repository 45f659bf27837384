/** Routes as they should be: from the domains' rows, for services that have a release. */
import type { Route, RouteAccount, RouteRedirect } from '../ports/proxy.ts';

export interface DesiredRoute {
  domainId: string;
  asciiHost: string;
  path: string;
  internalPath: string;
  stripPath: boolean;
  https: boolean;
  port: number;
  appName: string | null;
  releasedAppName: string | null;
  accounts: RouteAccount[];
  redirects: RouteRedirect[];
}

/** A domain whose service was never released has nowhere to lead yet; the proxy answers 503 for it through its first name. */
export function routesOf(domains: readonly DesiredRoute[]): Route[] {
  return domains.flatMap(({ domainId, asciiHost, path, internalPath, stripPath, https, port, appName, releasedAppName, accounts, redirects }) => {
    const service = releasedAppName ?? appName;
    return service === null ? [] : [{ id: domainId, host: asciiHost, path, internalPath, stripPath, https, service, port, accounts, redirects }];
  });
}
