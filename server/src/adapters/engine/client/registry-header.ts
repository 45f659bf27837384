import type { RegistryAuth } from '../../../ports/engine/registry-auth.ts';

/**
 * The X-Registry-Auth header: URL-safe base64 of JSON (engine API, "Authentication"). Padded (RFC 4648 §5):
 * an engine of the 20.10 line takes any other for none at all, and says nothing.
 */
export function registryHeader(auth: RegistryAuth): string {
  const plain = {
    username: auth.username,
    password: auth.password.reveal(),
    serveraddress: auth.serverAddress,
  };
  const text = Buffer.from(JSON.stringify(plain)).toString('base64url');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}
