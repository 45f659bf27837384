/** What Berth asks of authorities that issue certificates by ACME (RFC 8555), with proof by DNS (dns-01). */
import type { Secret } from '../../domain/secrets/secret.ts';
import type { OutgoingBy } from '../outgoing.ts';

export interface AcmeAuthority {
  directoryUrl: string;
  /** Contact of the account; null: none. */
  email: string | null;
  /** PEM of the roots that its https is checked with; null: the public ones. */
  rootCertificates: string | null;
  /** External account binding; null: none. */
  eab: { keyId: string; hmacKey: Secret } | null;
  /** For whom its addresses are reached. */
  by: OutgoingBy;
}

/** A TXT record by which an authority sees that a name is the account's. */
export interface AcmeProof {
  /** Name to be certified, without `*.`. */
  host: string;
  /** Value of the TXT record at `_acme-challenge.<host>`. */
  text: string;
  /** What the text is made from, with the account's key (RFC 8555, 8.1). */
  token: string;
}

export interface AcmeOrder {
  authority: AcmeAuthority;
  /** PKCS #8 PEM, P-256; an account is made for it when the authority knows none. */
  accountKey: Secret;
  /** PKCS #8 PEM, P-256, of the certificate. */
  certificateKey: Secret;
  names: readonly string[];
  /** One record is checked before the next one is set. */
  isOneByOne: boolean;
  /** Sets the records; resolves when the authority may look at them. */
  prove(proofs: readonly AcmeProof[]): Promise<void>;
  signal: AbortSignal;
}

export interface AcmeClient {
  /**
   * PEM of the leaf and its chain. Throws SERVICE_UNAVAILABLE for an authority that does not answer, and
   * PRECONDITION_FAILED, with a sentence, for what it refuses; `retryAfterMs` when it names a time. What
   * `prove` throws goes through.
   */
  issue(order: AcmeOrder): Promise<string>;
}
