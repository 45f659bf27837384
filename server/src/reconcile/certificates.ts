/** Which certificate each https host is served with: one a host, whatever paths it has. */
import { certificateStatus, coversHost, servingCertificate } from '../domain/certificates/certificate.ts';
import {
  certificateByDns,
  isFirstAttempt,
  type OrderedNames,
  type SharedBase,
} from '../domain/certificates/by-dns.ts';
import { Secret } from '../domain/secrets/secret.ts';
import type { AcmeCertificate, RouteCertificate } from '../ports/proxy.ts';

export interface CertifiedDomain {
  organizationId: string;
  asciiHost: string;
  https: boolean;
  certificateType: 'acme' | 'none' | 'custom';
  customCertResolver: string | null;
  uniqueConfigKey: number;
}

/** An uploaded certificate with its key. */
export interface StoredCertificate {
  certificateId: string;
  organizationId: string;
  certificateData: string;
  privateKey: string;
  subjectAlternativeNames: string[];
  expirationDate: string;
  createdAt: string;
}

export interface StoredResolver {
  certificateResolverId: string;
  organizationId: string;
  name: string;
  directoryUrl: string;
  email: string;
  rootCertificates: string | null;
  eabKeyId: string | null;
  eabHmacKey: string | null;
}

export interface CertificateSources {
  /** Those of this server. */
  certificates: readonly StoredCertificate[];
  resolvers: readonly StoredResolver[];
  /** For certificateType `acme`; null: the proxy's own choice. */
  settings: { acmeDirectory: string | null; acmeEmail: string | null; acmeRoots: string | null };
  /** Hosts for which no authority is to be asked now. */
  withheld: ReadonlySet<string>;
  /** Certificates of this server that Berth asks for itself. */
  orders: readonly OrderedNames[];
  base: SharedBase | null;
}

const internal: RouteCertificate = { source: 'internal' };

/** By host. Of several domains with one host the oldest decides. `now` in ms. */
export function certificatesOf(
  domains: readonly CertifiedDomain[],
  sources: CertificateSources,
  now: number,
): Map<string, RouteCertificate> {
  const deciding = new Map<string, CertifiedDomain>();
  for (const domain of domains
    .filter(({ https }) => https)
    .toSorted((left, right) => right.uniqueConfigKey - left.uniqueConfigKey))
    deciding.set(domain.asciiHost, domain);
  const certificates = harmless(sources.certificates, deciding, now);
  const ofOrganization = Map.groupBy(certificates, ({ organizationId }) => organizationId);
  return new Map(
    [...deciding].map(([host, domain]) => [
      host,
      sourceOf(domain, { ...sources, certificates }, ofOrganization.get(domain.organizationId) ?? [], now),
    ]),
  );
}

const asUploaded = ({ certificateId, certificateData, privateKey }: StoredCertificate): RouteCertificate => ({
  source: 'uploaded',
  certificateId,
  chain: certificateData,
  privateKey: new Secret(privateKey),
});

/** By the installation's account. */
export const ofInstallation = (settings: CertificateSources['settings']): AcmeCertificate => ({
  source: 'acme',
  account: null,
  directoryUrl: settings.acmeDirectory,
  email: settings.acmeEmail,
  rootCertificates: settings.acmeRoots,
  eab: null,
  isWithheld: false,
});

function sourceOf(
  domain: CertifiedDomain,
  sources: CertificateSources,
  own: readonly StoredCertificate[],
  now: number,
): RouteCertificate {
  const { organizationId, asciiHost, certificateType, customCertResolver } = domain;
  const { resolvers, settings, withheld } = sources;
  const byDns = certificateByDns(domain, sources, now);
  switch (certificateType) {
    case 'none': {
      const serving = servingCertificate(asciiHost, own, now) ?? byDns.certificate;
      return serving ? asUploaded(serving) : internal;
    }
    case 'acme':
      if (byDns.certificate) return asUploaded(byDns.certificate);
      // The proxy proves names by HTTP, which no authority takes for a wildcard.
      if (asciiHost.startsWith('*')) return internal;
      return {
        ...ofInstallation(settings),
        isWithheld: withheld.has(asciiHost) || isFirstAttempt(byDns.order),
      };
    case 'custom': {
      const resolver = resolvers.find(
        (each) => each.organizationId === organizationId && each.name === customCertResolver,
      );
      if (!resolver) return internal;
      const {
        certificateResolverId: account,
        directoryUrl,
        email,
        rootCertificates,
        eabKeyId,
        eabHmacKey,
      } = resolver;
      return {
        source: 'acme',
        account,
        directoryUrl,
        email,
        rootCertificates,
        eab: eabKeyId === null ? null : { keyId: eabKeyId, hmacKey: new Secret(eabHmacKey ?? '') },
        isWithheld: withheld.has(asciiHost),
      };
    }
  }
}

/**
 * The proxy prefers a certificate that names a host itself, whoever uploaded it. So one that names another
 * organization's host is not given to it, nor an expired one that names a host which a better one of its
 * organization covers by a wildcard.
 */
function harmless(
  certificates: readonly StoredCertificate[],
  deciding: ReadonlyMap<string, CertifiedDomain>,
  now: number,
): StoredCertificate[] {
  const ofOrganization = Map.groupBy(certificates, ({ organizationId }) => organizationId);
  return certificates.filter((certificate) => {
    const named = certificate.subjectAlternativeNames
      .map((name) => deciding.get(name.toLowerCase()))
      .filter((domain) => domain !== undefined);
    if (named.some(({ organizationId }) => organizationId !== certificate.organizationId)) return false;
    if (certificateStatus(certificate.expirationDate, now) !== 'expired') return true;
    const others = (ofOrganization.get(certificate.organizationId) ?? []).filter(
      (other) => certificateStatus(other.expirationDate, now) !== 'expired',
    );
    return !named.some(({ asciiHost }) =>
      others.some(({ subjectAlternativeNames }) => coversHost(subjectAlternativeNames, asciiHost)),
    );
  });
}
