/** The state of a domain's certificate in the words of its record. */
import type { DomainRecord } from '../../db/tables.ts';
import type { Clock } from '../../ports/clock.ts';
import { endSentence, type Issuance } from '../issuance/issuance.ts';

export interface CertificateState {
  status: 'none' | 'pending' | 'issued' | 'failed';
  issuer: string | null;
  expiresAt: string | null;
  error: string | null;
  step: 'find' | 'order' | 'serve' | null;
  nextTryAt: string | null;
}

export interface CertificateSight {
  issuance: Pick<Issuance, 'of'>;
  /** Whom the proxy asks for the domain's certificate. */
  authorityOf(domain: DomainRecord): Promise<Parameters<Issuance['of']>[1]>;
  /** The uploaded certificate that serves the domain. */
  uploadedFor(domain: DomainRecord): Promise<{ issuer: string; expirationDate: string } | undefined>;
  /** The certificate, and the order, that Berth has by DNS for the domain. */
  byDns(domain: DomainRecord): Promise<{
    certificate?: { issuer: string; expirationDate: string } | undefined;
    order?: { error: string | null; nextAt: number; status: string } | undefined;
  }>;
  clock: Clock;
}

const none: CertificateState = {
  status: 'none',
  issuer: null,
  expiresAt: null,
  error: null,
  step: null,
  nextTryAt: null,
};

export async function certificateState(
  domain: DomainRecord,
  sight: CertificateSight,
): Promise<CertificateState> {
  if (!domain.https) return none;
  return domain.certificateType === 'none' ? uploaded(domain, sight) : issued(domain, sight);
}

async function uploaded(
  domain: DomainRecord,
  { uploadedFor, byDns, clock }: CertificateSight,
): Promise<CertificateState> {
  const serving = (await uploadedFor(domain)) ?? (await byDns(domain)).certificate;
  if (!serving)
    return {
      ...none,
      error:
        `No uploaded certificate covers ${domain.host}. It is served with this server's own, which ` +
        'browsers warn about; upload one with certificate.create, or set certificateType to acme.',
    };
  const { issuer, expirationDate } = serving;
  const hasEnded = Date.parse(expirationDate) <= clock.now();
  return {
    ...none,
    status: hasEnded ? 'failed' : 'issued',
    issuer,
    expiresAt: expirationDate,
    step: 'serve',
    error: hasEnded
      ? `The uploaded certificate of ${domain.host} ended at ${expirationDate}. Upload a renewed one ` +
        'with certificate.create.'
      : null,
  };
}

/** Undefined where the proxy asks an authority itself. */
async function ordered(
  domain: DomainRecord,
  { byDns }: Pick<CertificateSight, 'byDns'>,
): Promise<CertificateState | undefined> {
  const { certificate, order } = await byDns(domain);
  const error = order?.error ?? null;
  if (certificate) {
    const { issuer, expirationDate: expiresAt } = certificate;
    return { ...none, status: 'issued', issuer, expiresAt, step: 'serve', error };
  }
  if (order?.status === 'waiting') return { ...none, status: 'pending', step: 'order' };
  if (!domain.asciiHost.startsWith('*')) return undefined;
  return {
    ...none,
    status: 'failed',
    step: 'order',
    error:
      error ??
      `No DNS provider serves the zone of ${domain.host} any more. Add one with dnsProvider.create, and ` +
        'save the domain again.',
    nextTryAt: order ? new Date(order.nextAt).toISOString() : null,
  };
}

async function issued(domain: DomainRecord, sight: CertificateSight): Promise<CertificateState> {
  const { issuance, authorityOf, clock } = sight;
  const own = domain.certificateType === 'acme' ? await ordered(domain, sight) : undefined;
  if (own) return own;
  const record = await issuance.of(domain.asciiHost, await authorityOf(domain));
  if (!record) return { ...none, status: 'pending', step: 'order' };
  const { status, issuer, expiresAt, warnAt, error, nextAt } = record;
  const isLate = status === 'issued' && (warnAt ?? Infinity) <= clock.now();
  const hasEnded = status === 'issued' && (expiresAt ?? Infinity) <= clock.now();
  return {
    status: hasEnded ? 'failed' : status,
    issuer,
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    error: isLate ? endSentence(domain.host, expiresAt, error, clock.now()) : error,
    step: status === 'issued' && !hasEnded ? 'serve' : isNotFound(record) ? 'find' : 'order',
    nextTryAt: status === 'failed' && nextAt > 0 ? new Date(nextAt).toISOString() : null,
  };
}

/** Berth's own look found that no authority would reach the host, so none was asked. */
function isNotFound({ status, authority }: { status: string; authority: string }): boolean {
  return status === 'failed' && authority === '';
}
