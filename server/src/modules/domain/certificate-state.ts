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
  { uploadedFor, clock }: CertificateSight,
): Promise<CertificateState> {
  const serving = await uploadedFor(domain);
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

async function issued(
  domain: DomainRecord,
  { issuance, authorityOf, clock }: CertificateSight,
): Promise<CertificateState> {
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
