/**
 * Routes as they should be: from the domains' rows, for services that have a release, with what stands before
 * those.
 */
import { composeServiceName } from '../domain/names.ts';
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
  /** Of a compose service: its names as above, its suffix, and which service of its file. */
  composeName: string | null;
  releasedComposeName: string | null;
  composeSuffix: string | null;
  serviceName: string | null;
  accounts: RouteAccount[];
  redirects: RouteRedirect[];
  hstsMaxAge: number | null;
  requestHeaders: Record<string, string>;
  maxBodyBytes: number | null;
}

/**
 * A domain whose service was never released has nowhere to lead yet; the proxy answers 503 for it through its
 * first name. `now` in ms.
 */
export function routesOf(
  domains: readonly DesiredRoute[],
  sources: CertificateSources,
  now: number,
): Route[] {
  const certificates = certificatesOf(domains, sources, now);
  return domains.flatMap((domain) => {
    const {
      domainId,
      applicationId,
      composeId,
      previewDeploymentId,
      asciiHost,
      path,
      internalPath,
      stripPath,
      https,
      port,
      accounts,
      redirects,
      hstsMaxAge,
      requestHeaders,
      maxBodyBytes,
    } = domain;
    const service = serviceOf(domain);
    if (service === null) return [];
    const certificate = https ? (certificates.get(asciiHost) ?? null) : null;
    return [
      {
        id: domainId,
        serviceId: applicationId ?? composeId ?? previewDeploymentId ?? domainId,
        host: asciiHost,
        path,
        internalPath,
        stripPath,
        https,
        certificate,
        service,
        port,
        accounts,
        redirects,
        hstsMaxAge,
        requestHeaders,
        maxBodyBytes,
      },
    ];
  });
}

/** Name in the engine of what the domain leads to. */
function serviceOf({
  appName,
  releasedAppName,
  composeName,
  releasedComposeName,
  composeSuffix,
  serviceName,
}: DesiredRoute): string | null {
  const compose = releasedComposeName ?? composeName;
  if (compose === null) return releasedAppName ?? appName;
  return serviceName === null ? null : composeServiceName(compose, serviceName, composeSuffix ?? '');
}
