/** The last line of `bin/up --json`. */
import type { Credentials } from './example/credentials.ts';
import { proxyAddress } from './settings/settings.ts';
import type { Settings } from './settings/settings.ts';

export interface UpResult {
  url: string;
  email: string | null;
  password: string | null;
  apiKey: string | null;
  organizationId: string | null;
  exampleUrl: string | null;
  exampleHost: string | null;
  /**
   * The proxy by number, for clients that do not resolve *.localhost: send `exampleHost` as the Host header.
   */
  proxyUrl: string;
}

/** `credentials` and `host` are those of the example; null stands where there is none. */
export function upResult(settings: Settings, credentials: Credentials | undefined, host: string): UpResult {
  const example = credentials?.answered === true;
  return {
    url: settings.url,
    email: credentials?.email ?? null,
    password: credentials?.password ?? null,
    apiKey: credentials?.apiKey ?? null,
    organizationId: credentials?.organizationId ?? null,
    exampleUrl: example ? `${proxyAddress(settings, host)}/` : null,
    exampleHost: example ? host : null,
    proxyUrl: proxyAddress(settings, '127.0.0.1'),
  };
}
