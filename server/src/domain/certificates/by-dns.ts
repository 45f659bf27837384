/** Which certificate that Berth has ordered serves a host whose certificate is issued automatically. Pure. */
import { isNameBelow } from '../routing/base-domain.ts';
import { certificateStatus, coversHost, servingCertificate, type ServingCertificate } from './certificate.ts';

export interface OrderedNames {
  organizationId: string;
  names: readonly string[];
  /** null before the first one is issued. */
  certificateId: string | null;
  /** Failed attempts since the last success. */
  attempts: number;
}

/** The base domain of the installation, and the organization that holds its wildcard certificate. */
export interface SharedBase {
  domain: string;
  organizationId: string;
}

export interface OrderedCertificates<C, O> {
  /** Certificates and orders of one server. */
  certificates: readonly C[];
  orders: readonly O[];
  /** null on servers other than Berth's own machine: the key of its wildcard never leaves that. */
  base: SharedBase | null;
}

/**
 * The unexpired certificate, and the order that covers the host. A host takes a certificate that its own
 * organization has ordered, else the wildcard of the base domain, ordered or uploaded. `now` in ms.
 */
export function certificateByDns<
  C extends ServingCertificate & { organizationId: string },
  O extends OrderedNames,
>(
  { asciiHost, organizationId }: { asciiHost: string; organizationId: string },
  { certificates, orders, base }: OrderedCertificates<C, O>,
  now: number,
): { certificate?: C | undefined; order?: O | undefined } {
  const isBelow = base !== null && isNameBelow(base.domain, asciiHost);
  const wildcard = `*.${base?.domain ?? ''}`;
  const ordered = new Set(
    orders.flatMap((each) => (each.organizationId === organizationId ? (each.certificateId ?? []) : [])),
  );
  const live = certificates.filter(
    ({ expirationDate }) => certificateStatus(expirationDate, now) !== 'expired',
  );
  const own = live.filter(
    (each) => each.organizationId === organizationId && ordered.has(each.certificateId),
  );
  const shared = live.filter(
    (each) =>
      isBelow &&
      each.organizationId === base.organizationId &&
      each.subjectAlternativeNames.includes(wildcard),
  );
  return {
    certificate: servingCertificate(asciiHost, own, now) ?? servingCertificate(asciiHost, shared, now),
    order:
      orders.find((each) => each.organizationId === organizationId && coversHost(each.names, asciiHost)) ??
      orders.find(
        (each) => isBelow && each.organizationId === base.organizationId && each.names.includes(wildcard),
      ),
  };
}

/** Whether its first attempt goes on: a host waits for it instead of asking an authority itself. */
export const isFirstAttempt = (
  order: Pick<OrderedNames, 'certificateId' | 'attempts'> | undefined,
): boolean => order?.certificateId === null && order.attempts === 0;
