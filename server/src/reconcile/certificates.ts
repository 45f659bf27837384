/** Which certificate each https host is served with: one a host, whatever paths it has. */
import { certificateStatus, coversHost, servingCertificate } from '../domain/certificates/certificate.ts';
import { Secret } from '../domain/secrets/secret.ts';
import type { RouteCertificate } from '../ports/proxy.ts';

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
  const ofOrganization = Map.groupBy(
    harmless(sources.certificates, deciding, now),
    ({ organizationId }) => organizationId,
  );
  return new Map(
    [...deciding].map(([host, domain]) => [
      host,
      sourceOf(domain, sources, ofOrganization.get(domain.organizationId) ?? [], now),
    ]),
  );
}

function sourceOf(
  { organizationId, asciiHost, certificateType, customCertResolver }: CertifiedDomain,
  { resolvers, settings, withheld }: CertificateSources,
  own: readonly StoredCertificate[],
  now: number,
): RouteCertificate {
  switch (certificateType) {
    case 'none': {
      const serving = servingCertificate(asciiHost, own, now);
      return serving
        ? {
            source: 'uploaded',
            certificateId: serving.certificateId,
            chain: serving.certificateData,
            privateKey: new Secret(serving.privateKey),
          }
        : internal;
    }
    case 'acme':
      return {
        source: 'acme',
        account: null,
        directoryUrl: settings.acmeDirectory,
        email: settings.acmeEmail,
        rootCertificates: settings.acmeRoots,
        eab: null,
        isWithheld: withheld.has(asciiHost),
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
