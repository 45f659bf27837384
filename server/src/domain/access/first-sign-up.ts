/**
 * The first account of an installation: whoever makes it elsewhere than on the machine itself needs the token
 * that set-up printed (decisions 2). Set-up keeps its hash in a file of the data folder, which Berth reads.
 */
import { hash } from 'node:crypto';

/** Below the data folder. */
export const firstSignUpFile = 'first-sign-up';

/** The token has 256 random bits, so a fast hash is enough. */
export function firstSignUpHash(token: string): string {
  return hash('sha256', `first sign-up ${token}`, 'hex');
}
