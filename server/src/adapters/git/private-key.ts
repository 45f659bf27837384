import { AppError } from '../../domain/errors.ts';
import type { Secret } from '../../domain/secrets/secret.ts';

/**
 * The key as OpenSSH takes it: it refuses CR LF and a missing last line break, as they come out of web forms.
 * Throws PRECONDITION_FAILED for a key with a passphrase, which OpenSSH would pass over without a word.
 */
export function privateKeyText(key: Secret): string {
  const text = `${key.reveal().replaceAll('\r\n', '\n').trim()}\n`;
  if (!isLocked(text)) return text;
  throw new AppError(
    'PRECONDITION_FAILED',
    'The SSH key cannot be read: it is protected by a passphrase. Store a key without one.',
  );
}

/**
 * OpenSSH's own format names its cipher after a fixed head (PROTOCOL.key in its source); PEM says it in its
 * first lines (RFC 1421, RFC 5958).
 */
function isLocked(text: string): boolean {
  if (/^Proc-Type: 4,ENCRYPTED$|^-----BEGIN ENCRYPTED PRIVATE KEY-----$/m.test(text)) return true;
  const body = /^-----BEGIN OPENSSH PRIVATE KEY-----\n([A-Za-z0-9+/=\n]+)-----END/.exec(text)?.[1];
  if (body === undefined) return false;
  const bytes = Buffer.from(body, 'base64');
  const magic = 'openssh-key-v1\0';
  if (bytes.length < magic.length + 8 || bytes.subarray(0, magic.length).toString('latin1') !== magic)
    return false;
  const length = bytes.readUInt32BE(magic.length);
  return bytes.subarray(magic.length + 4, magic.length + 4 + length).toString('latin1') !== 'none';
}
