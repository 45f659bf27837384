/**
 * What the proxy tells of the certificates that it asks ACME authorities for, and the files in which it keeps
 * them.
 */
import type { AcmeProblem } from '../../domain/certificates/acme-problem.ts';

export type CertificateNews =
  | { kind: 'issued'; host: string }
  | {
      kind: 'failed';
      host: string;
      /**
       * Name of the authority as the proxy's folders have it, behind the account and a slash where that is
       * not the installation's.
       */
      authority: string;
      /** The proxy's own words. */
      words: string;
      /** What the authority said of its first check of the host; undefined when it never came to that. */
      problem: AcmeProblem | undefined;
    };

/**
 * A file of the proxy's own store: certificates with their keys, accounts at authorities, the proxy's own
 * authority.
 */
export interface KeptFile {
  /** Relative to the store. */
  path: string;
  content: string;
}

export interface ProxyStore {
  /** What is worth keeping; of one host when given. */
  files(host?: string): Promise<KeptFile[]>;
  /** Folders that are there, of those that `files` would name. */
  folders(): Promise<ReadonlySet<string>>;
  /** Puts files where they were, a folder as a whole; never into one that is there. */
  putBack(files: readonly KeptFile[]): Promise<void>;
  /** Those that have files, the installation's not counted. */
  accounts(): Promise<string[]>;
  /**
   * Removes what an account is at its authorities, so that the next order makes it anew; with `certificates`
   * all that it has.
   */
  forget(account: string, options: { certificates: boolean }): Promise<void>;
}
