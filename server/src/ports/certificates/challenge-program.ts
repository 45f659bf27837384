/** A program of Berth's machine that sets TXT records at DNS providers which Berth itself does not know. */
import type { Secret } from '../../domain/secrets/secret.ts';
import type { OutgoingBy } from '../outgoing.ts';

export interface ProgramChallenge {
  /** The provider, as the program names it. */
  provider: string;
  environment: Readonly<Record<string, Secret>>;
  /** Whether the program waits until the name servers of the zone have the record. */
  awaitsNameServers: boolean;
  /** Whom it asks about zones, with or without a port; null: the machine's own resolver. */
  resolver: string | null;
  /** For whom; what it asks by HTTP goes through their gate. */
  by: OutgoingBy;
  /** PKCS #8 PEM, P-256: the value of the record is made from it and the token. */
  accountKey: Secret;
  token: string;
  /** Name to be certified, without `*.`. */
  host: string;
  signal: AbortSignal;
}

/** A record that stands until it is removed, or until this process is gone. */
export interface ProgramRecord {
  /** Resolves when it is removed; throws SERVICE_UNAVAILABLE with why it could not be. */
  remove(): Promise<void>;
}

export interface ChallengeProgram {
  /**
   * Resolves when the record at `_acme-challenge.<host>` is set and was waited for. PRECONDITION_FAILED when
   * the program is not installed, or with what it said when it could not set the record.
   */
  set(challenge: ProgramChallenge): Promise<ProgramRecord>;
}
