/** The authority that an order is sent to. */
import { AppError } from '../../domain/errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { AcmeAuthority } from '../../ports/certificates/acme.ts';
import type { OrderRecord } from './store.ts';

interface Resolver {
  directoryUrl: string;
  email: string;
  rootCertificates: string | null;
  eabKeyId: string | null;
  eabHmacKey: string | null;
}

export interface AuthorityDeps {
  /** With its binding key; undefined when it is gone. */
  resolver(certificateResolverId: string, organizationId: string): Promise<Resolver | undefined>;
  settings(): Promise<{ acmeDirectory: string | null; acmeEmail: string | null; acmeRoots: string | null }>;
  /** The installation's own organization: it chose the authority of the settings. */
  installation(): Promise<string | undefined>;
}

/** What the proxy chooses as well when the settings name no authority. */
export const usualDirectory = 'https://acme-v02.api.letsencrypt.org/directory';

export function createAuthorityOf({ resolver, settings, installation }: AuthorityDeps) {
  return async ({ certificateResolverId, organizationId }: OrderRecord): Promise<AcmeAuthority> => {
    if (certificateResolverId === null) {
      const { acmeDirectory, acmeEmail, acmeRoots } = await settings();
      return {
        directoryUrl: acmeDirectory ?? usualDirectory,
        email: acmeEmail,
        rootCertificates: acmeRoots,
        eab: null,
        by: { organizationId: (await installation()) ?? organizationId },
      };
    }
    const found = await resolver(certificateResolverId, organizationId);
    if (!found)
      throw new AppError(
        'PRECONDITION_FAILED',
        'The certificate resolver of this order is gone. Choose another one with certificateOrder.update.',
      );
    const { directoryUrl, email, rootCertificates, eabKeyId, eabHmacKey } = found;
    return {
      directoryUrl,
      email,
      rootCertificates,
      eab: eabKeyId === null ? null : { keyId: eabKeyId, hmacKey: new Secret(eabHmacKey ?? '') },
      by: { organizationId },
    };
  };
}
