/** The host name of Berth itself, joined with certificates and domains. */
import { localServer } from '../../domain/names/server-key.ts';
import { createCertificates } from '../../modules/certificate/certificate.ts';
import { createOwnHost, type OwnHost } from '../../modules/own-host/own-host.ts';
import type { Ground } from '../ground.ts';
import type { ProxyWatch } from '../hosts/proxy-watch.ts';

export function ownHostOf(
  { stores, settings, clock, config }: Pick<Ground, 'stores' | 'settings' | 'clock' | 'config'>,
  watch: Pick<ProxyWatch, 'issuanceOf'>,
): OwnHost {
  const certificates = createCertificates(stores.certificates, clock);
  return createOwnHost({
    settings: settings.get,
    clock,
    httpsPort: config.httpsPort,
    domainHosts: () => stores.domains.list({ serverKey: localServer }),
    async issuedUntil(host, directoryUrl) {
      const found = await watch.issuanceOf(localServer).of(host, { directoryUrl, account: null });
      return found?.status === 'issued' ? (found.expiresAt ?? undefined) : undefined;
    },
    installation: stores.organizations.first,
    uploadedFor: (host, organizationId) => certificates.serving(host, localServer, organizationId),
  });
}
