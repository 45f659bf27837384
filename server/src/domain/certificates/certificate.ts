/**
 * Certificates that people upload: what is wrong with one, what stands in it, and which hosts it serves
 * (interface document, Certificates; RFC 5280, RFC 6125).
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { flatError } from '../errors.ts';
import { pemBlocks } from '../secrets/pem.ts';

export interface UploadedCertificate {
  /** PEM: the leaf, and after it perhaps its chain. */
  certificateData: string;
  /** PEM of the rest of the chain. */
  certificateChain?: string | null | undefined;
  privateKey: string;
}

export interface CertificateFacts {
  /** Leaf and chain as plain PEM, each once. */
  certificateData: string;
  /** ISO 8601, of the leaf as everything below. */
  notBefore: string;
  expirationDate: string;
  /** Empty when the subject has none. */
  commonName: string;
  /** Host names and addresses it serves. */
  subjectAlternativeNames: string[];
  issuer: string;
}

/** More than any chain has. */
const mostCertificates = 20;

/**
 * Throws the documented refusals, in this order: Invalid certificate, Key mismatch, Certificate expired.
 * `now` in ms.
 */
export function readCertificate(
  { certificateData, certificateChain, privateKey }: UploadedCertificate,
  now: number,
): CertificateFacts {
  const chain = withoutRepetitions([
    ...certificatesIn(certificateData, 'certificateData'),
    ...(certificateChain?.trim() ? certificatesIn(certificateChain, 'certificateChain') : []),
  ]);
  const [leaf] = chain;
  if (leaf === undefined) throw flatError('Invalid certificate', 'certificateData contains no certificate.');
  checkOrder(chain);
  checkKey(leaf, privateKey);
  for (const [index, certificate] of chain.entries()) {
    // Clients take the root from their own store, whatever stands here.
    if (certificate.validToDate.getTime() <= now && (index === 0 || !isRoot(certificate)))
      throw flatError(
        'Certificate expired',
        `${nameOf(certificate, index)} expired on ${dayOf(certificate.validToDate)}. Upload a renewed one.`,
      );
  }
  return {
    certificateData: chain.map((certificate) => certificate.toString().trim()).join('\n'),
    notBefore: leaf.validFromDate.toISOString(),
    expirationDate: leaf.validToDate.toISOString(),
    commonName: commonNameOf(leaf),
    subjectAlternativeNames: alternativeNames(leaf.subjectAltName ?? ''),
    issuer: oneLine(leaf.issuer),
  };
}

export const certificateStatuses = ['valid', 'expiring soon', 'expired'] as const;
export type CertificateStatus = (typeof certificateStatuses)[number];

const soonMs = 30 * 24 * 3_600_000;

/** `now` in ms. */
export function certificateStatus(expirationDate: string, now: number): CertificateStatus {
  const left = Date.parse(expirationDate) - now;
  return left <= 0 ? 'expired' : left <= soonMs ? 'expiring soon' : 'valid';
}

/**
 * Whether a name of the certificate is the host, or a wildcard one label above it (RFC 6125, 6.4.3). `host`
 * is ASCII in lower case.
 */
export function coversHost(names: readonly string[], host: string): boolean {
  const above = `*${host.slice(host.indexOf('.'))}`;
  return names.some(
    (name) =>
      name.toLowerCase() === host ||
      (host.includes('.') && !host.startsWith('*') && name.toLowerCase() === above),
  );
}

export interface ServingCertificate {
  certificateId: string;
  subjectAlternativeNames: readonly string[];
  expirationDate: string;
  createdAt: string;
}

/**
 * The one certificate that serves a host, of those that cover it: unexpired before expired, the host's own
 * name before a wildcard, the longest-lived, then the newest. So an old one is free as soon as its successor
 * is uploaded.
 */
export function servingCertificate<T extends ServingCertificate>(
  host: string,
  certificates: readonly T[],
  now: number,
): T | undefined {
  const rank = ({ subjectAlternativeNames, expirationDate, createdAt, certificateId }: T): string[] => [
    certificateStatus(expirationDate, now) === 'expired' ? '0' : '1',
    subjectAlternativeNames.some((name) => name.toLowerCase() === host) ? '1' : '0',
    expirationDate,
    createdAt,
    certificateId,
  ];
  return certificates
    .filter(({ subjectAlternativeNames }) => coversHost(subjectAlternativeNames, host))
    .toSorted((left, right) => (rank(left).join(' ') < rank(right).join(' ') ? 1 : -1))[0];
}

function certificatesIn(text: string, field: string): X509Certificate[] {
  const blocks = pemBlocks(text);
  if (!blocks || blocks.length === 0)
    throw flatError(
      'Invalid certificate',
      `${field} is not PEM: it must hold one or more blocks from "-----BEGIN CERTIFICATE-----" to ` +
        '"-----END CERTIFICATE-----".',
    );
  if (blocks.length > mostCertificates)
    throw flatError(
      'Invalid certificate',
      `${field} holds more than ${mostCertificates} certificates. Give only the leaf and its chain.`,
    );
  return blocks.map(({ label, text: block }, index) => {
    if (label !== 'CERTIFICATE')
      throw flatError(
        'Invalid certificate',
        `${field} holds a block of the kind ${label}; only certificates belong ` +
          `there${label.endsWith('PRIVATE KEY') ? ', and the key into privateKey' : ''}.`,
      );
    try {
      return new X509Certificate(block);
    } catch {
      // OpenSSL's own words say nothing to a person.
      throw flatError(
        'Invalid certificate',
        `Block ${index + 1} of ${field} cannot be read as an X.509 certificate; it may be cut off or ` +
          'changed.',
      );
    }
  });
}

/** People give the chain twice: in both fields, or inside the leaf's file too. */
function withoutRepetitions(certificates: readonly X509Certificate[]): X509Certificate[] {
  return [...new Map(certificates.map((certificate) => [certificate.fingerprint256, certificate])).values()];
}

/** Each must be issued by the next one. */
function checkOrder(chain: readonly X509Certificate[]): void {
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1];
    if (issuer === undefined || (certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)))
      continue;
    throw flatError(
      'Invalid certificate',
      `${nameOf(issuer, index + 1)} is where the issuer of ${nameOf(certificate, index)} must be, but ` +
        'did not issue it. The order is leaf, intermediates, root.',
    );
  }
}

function checkKey(leaf: X509Certificate, privateKey: string): void {
  let matches: boolean;
  try {
    matches = leaf.checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    // The cause may quote the key.
    throw flatError(
      'Key mismatch',
      'privateKey cannot be read as a PEM private key without a passphrase. "openssl pkey" takes a ' +
        'passphrase away.',
    );
  }
  if (!matches) throw flatError('Key mismatch', `privateKey does not belong to ${nameOf(leaf, 0)}.`);
}

function isRoot(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer;
}

function nameOf(certificate: X509Certificate, index: number): string {
  return (
    `Certificate ${index + 1} ` +
    `(${commonNameOf(certificate) || oneLine(certificate.subject) || 'without a name'})`
  );
}

function commonNameOf({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject ?? '')?.[1] ?? '';
}

/** Node gives one part a line. */
function oneLine(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ');
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/**
 * Node writes `DNS:a.test, IP Address:192.0.2.1` and quotes, as JSON, what could be mistaken for another
 * entry.
 */
function alternativeNames(text: string): string[] {
  const names: string[] = [];
  for (const [, kind, quoted, plain] of text.matchAll(
    /(?:^|, )([A-Za-z ]+):(?:("(?:[^"\\]|\\.)*")|([^,"]*))/g,
  )) {
    if (kind === 'DNS' || kind === 'IP Address')
      names.push(quoted === undefined ? (plain ?? '') : String(JSON.parse(quoted)));
  }
  return names;
}
