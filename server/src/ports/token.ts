/** Secret tokens of keys, sessions and invitations: made by chance, kept as a hash. */
import { hash, randomBytes } from 'node:crypto';

/** 256 random bits, URL-safe. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Only this hash of a token is kept. Tokens carry 256 random bits, so a fast hash is enough. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
