import type { Secret } from '../../domain/secrets/secret.ts';

/** A sign-in to an image registry. */
export interface RegistryAuth {
  username: string;
  password: Secret;
  /** Host[:port] of the registry; empty for the default one. */
  serverAddress: string;
}
