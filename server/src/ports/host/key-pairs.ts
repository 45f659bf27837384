/** What Berth asks of SSH keys: to read those that people paste, and to make new ones. */
import type { Secret } from '../../domain/secrets/secret.ts';

export interface KeyPair {
  /** In a form that OpenSSH reads. */
  privateKey: Secret;
  /** One line of authorized_keys. */
  publicKey: string;
  /** `SHA256:…`, as ssh-keygen -l prints it. */
  fingerprint: string;
}

export type KeyPairType = 'ed25519' | 'rsa';

export interface KeyPairs {
  /**
   * Reads a private key; rejects with BAD_REQUEST naming privateKey or publicKey when it is none, has a
   * passphrase, or does not belong to the public key.
   */
  parse(privateKey: string, publicKey?: string | null): Promise<KeyPair>;
  /** Makes a new pair; an RSA one (4096 bits) takes some seconds of one thread. */
  generate(type: KeyPairType, comment: string): Promise<KeyPair>;
}
