/** The host name of Berth itself, joined with certificates, domains and what set-up was told. */
import { localServer } from '../domain/server-key.ts';
import { createCertificates } from '../modules/certificate/certificate.ts';
import { createOwnHost, type OwnHost } from '../modules/own-host/own-host.ts';
import type { Ground } from './ground.ts';
import type { ProxyWatch } from './proxy-watch.ts';
import type { Stores } from './stores.ts';

/** What set-up was told last (`bin/up --host`), so that it is heard once. */
const heardSetting = 'hostOfSetUp';

/**
 * What `bin/up --host` says becomes the setting when it says something new; whatever an Owner sets after that
 * stays. Gives whether it did.
 */
export async function hearSetUp(
  { all, put }: Stores['settings'],
  told: string | undefined,
): Promise<boolean> {
  const heard = (await all())[heardSetting] ?? '';
  if ((told ?? '') === heard) return false;
  await put('host', told);
  await put(heardSetting, told);
  return true;
}

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
    async uploadedFor(host) {
      const organizationId = await stores.organizations.first();
      return organizationId === undefined
        ? undefined
        : certificates.serving(host, localServer, organizationId);
    },
  });
}
