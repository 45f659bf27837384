/**
 * Routes as they should be: from the domains' rows, for services that have a release, with what stands before
 * those.
 */
import { rangesOf } from '../domain/routing/trusted-proxies.ts';
import {
  noRules,
  type AcmeCertificate,
  type Route,
  type RouteAccount,
  type RouteCertificate,
  type RouteRedirect,
  type RouteRules,
} from '../ports/proxy.ts';
import {
  certificatesOf,
  ofInstallation,
  type CertificateSources,
  type CertifiedDomain,
} from './certificates.ts';

export interface DesiredRoute extends CertifiedDomain, Omit<RouteRules, 'trustedProxies' | 'followsChain'> {
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
  /** Of a compose service: its name, which service of its file, and what the engine calls those released. */
  composeName: string | null;
  releasedServices: Record<string, string> | null;
  serviceName: string | null;
  accounts: RouteAccount[];
  redirects: RouteRedirect[];
  hstsMaxAge: number | null;
  requestHeaders: Record<string, string>;
  maxBodyBytes: number | null;
  /** Whether the maintenance page is shown. */
  maintenance: boolean;
  /** As the domain names them; null: those of the installation. */
  trustedProxies: readonly string[] | null;
  /** Path of the service that is asked about other hosts; null: none are served. */
  allowOnDemand: string | null;
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
  {
    berth,
    leadsTo = releasedName,
    trustedProxies = [],
  }: {
    berth?: BerthsRoute | undefined;
    leadsTo?: LeadsTo;
    /** Those of the installation, for domains that name none. */
    trustedProxies?: readonly string[];
  } = {},
): Route[] {
  // The oldest domain of a host decides about its certificate; Berth's own is older than all.
  const own = berth && { ...berth, https: true, customCertResolver: null, uniqueConfigKey: 0 };
  const certificates = certificatesOf(own ? [...domains, own] : domains, sources, now);
  const admits = ofInstallation(sources.settings);
  const routes = serviceRoutes(domains, { certificates, leadsTo, trustedProxies, admits });
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
    ...noRules,
  };
}

function serviceRoutes(
  domains: readonly DesiredRoute[],
  {
    certificates,
    leadsTo,
    trustedProxies,
    admits,
  }: {
    certificates: ReadonlyMap<string, RouteCertificate>;
    leadsTo: LeadsTo;
    trustedProxies: readonly string[];
    admits: AcmeCertificate;
  },
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
      service: leadsTo(domain),
      port,
      accounts,
      redirects,
      hstsMaxAge,
      requestHeaders,
      maxBodyBytes,
      ...rulesOf(domain, trustedProxies),
      ...(domain.allowOnDemand === null ? {} : { admits }),
    };
  });
}

function rulesOf(domain: DesiredRoute, trusted: readonly string[]): RouteRules {
  const [ranges, known] = [rangesOf(domain.trustedProxies ?? trusted), new Set(rangesOf(trusted))];
  return {
    allowedAddresses: domain.allowedAddresses,
    deniedAddresses: domain.deniedAddresses,
    maintenancePage: domain.maintenance ? (domain.maintenancePage ?? '') : null,
    errorPages: domain.errorPages,
    responseHeaders: domain.responseHeaders,
    compression: domain.compression,
    trustedProxies: ranges,
    followsChain: ranges.length > 0 && ranges.every((range) => known.has(range)),
  };
}

/** Name in the engine of what a domain leads to; null: nothing. */
export type LeadsTo = (domain: DesiredRoute) => string | null;

/**
 * Only what was released, under the name that it was released with: a name that nobody but its record says
 * may be another's on the engine.
 */
export const releasedName: LeadsTo = ({ composeId, releasedAppName, releasedServices, serviceName }) => {
  if (composeId === null) return releasedAppName;
  const released = new Map(Object.entries(releasedServices ?? {}));
  return released.get(serviceName ?? '') ?? null;
};
