/** Routes as they should be: from the domains' rows, for services that have a release, with what stands before those. */
import type { Route, RouteAccount, RouteRedirect } from '../ports/proxy.ts';
import { certificatesOf, type CertificateSources, type CertifiedDomain } from './certificates.ts';

export interface DesiredRoute extends CertifiedDomain {
  domainId: string;
  applicationId: string | null;
  composeId: string | null;
  previewDeploymentId: string | null;
  path: string;
  internalPath: string;
  stripPath: boolean;
  port: number;
  appName: string | null;
  releasedAppName: string | null;
  accounts: RouteAccount[];
  redirects: RouteRedirect[];
  hstsMaxAge: number | null;
  requestHeaders: Record<string, string>;
  maxBodyBytes: number | null;
}

/** A domain whose service was never released has nowhere to lead yet; the proxy answers 503 for it through its first name. `now` in ms. */
export function routesOf(domains: readonly DesiredRoute[], sources: CertificateSources, now: number): Route[] {
  const certificates = certificatesOf(domains, sources, now);
  return domains.flatMap(({ domainId, applicationId, composeId, previewDeploymentId, asciiHost, path, internalPath, stripPath, https, port, appName, releasedAppName, accounts, redirects, hstsMaxAge, requestHeaders, maxBodyBytes }) => {
    const service = releasedAppName ?? appName;
    if (service === null) return [];
    const certificate = https ? certificates.get(asciiHost) ?? null : null;
    return [{ id: domainId, serviceId: applicationId ?? composeId ?? previewDeploymentId ?? domainId, host: asciiHost, path, internalPath, stripPath, https, certificate, service, port, accounts, redirects, hstsMaxAge, requestHeaders, maxBodyBytes }];
  });
}
