/**
 * Routes as they should be: from the domains' rows, for services that have a release, with what stands before
 * those.
 */
import { composeServiceName } from '../domain/names.ts';
import type { Route, RouteAccount, RouteCertificate, RouteRedirect } from '../ports/proxy.ts';
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

/** Berth's own host on its own machine, as the installation's organization has it. */
export type BerthsRoute = Pick<CertifiedDomain, 'organizationId' | 'asciiHost' | 'certificateType'>;

/**
 * A domain whose service was never released has nowhere to lead yet; the proxy answers 503 for it. `now` in
 * ms.
 */
export function routesOf(
  domains: readonly DesiredRoute[],
  sources: CertificateSources,
  now: number,
  berth?: BerthsRoute,
): Route[] {
  // The oldest domain of a host decides about its certificate; Berth's own is older than all.
  const own = berth && { ...berth, https: true, customCertResolver: null, uniqueConfigKey: 0 };
  const certificates = certificatesOf(own ? [...domains, own] : domains, sources, now);
  const routes = serviceRoutes(domains, certificates);
  return own ? [routeToBerth(own.asciiHost, certificates), ...routes] : routes;
}

function routeToBerth(host: string, certificates: ReadonlyMap<string, RouteCertificate>): Route {
  return {
    id: 'berth',
    serviceId: 'berth',
    host,
    path: '/',
    internalPath: '/',
    stripPath: false,
    https: true,
    certificate: certificates.get(host) ?? null,
    service: null,
    port: 1,
    isBerth: true,
    accounts: [],
    redirects: [],
    hstsMaxAge: null,
    requestHeaders: {},
    maxBodyBytes: null,
  };
}

function serviceRoutes(
  domains: readonly DesiredRoute[],
  certificates: ReadonlyMap<string, RouteCertificate>,
): Route[] {
  return domains.map((domain) => {
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
    return {
      id: domainId,
      serviceId: applicationId ?? composeId ?? previewDeploymentId ?? domainId,
      host: asciiHost,
      path,
      internalPath,
      stripPath,
      https,
      certificate: https ? (certificates.get(asciiHost) ?? null) : null,
      service: serviceOf(domain),
      port,
      accounts,
      redirects,
      hstsMaxAge,
      requestHeaders,
      maxBodyBytes,
    };
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
