import { defaultWildcard } from '../../domain/names/preview.ts';
import { localServer, serverKeyOf } from '../../domain/names/server-key.ts';
import type { BaseDomains } from '../base-domain/base-domain.ts';
import type { ServerStore } from './store.ts';

/** IP address or host name under which the outside finds a server; null while nobody told. */
export function serverAddressOf(
  { servers }: { servers: Pick<ServerStore, 'find'> },
  settings: { get(): Promise<{ serverIp: string | null }> },
): (serverKey: string) => Promise<string | null> {
  return async (serverKey) =>
    serverKey === localServer
      ? (await settings.get()).serverIp
      : ((await servers.find({ serverId: serverKey }))?.ipAddress ?? null);
}

/** The same as an IP address; PRECONDITION_FAILED when a host name has none. */
export function serverIpOf(
  addressOf: ReturnType<typeof serverAddressOf>,
  dns: { addressOf(address: string): Promise<string> },
): (serverKey: string) => Promise<string | null> {
  return async (serverKey) => {
    const address = await addressOf(serverKey);
    return address && dns.addressOf(address);
  };
}

/** A service that previews are made of. */
export interface PreviewedPlace {
  serverId: string | null;
  environmentId: string;
}

/** Hosts of previews: below the base domain that is nearest to the service, else test names. */
export function previewWildcardsOf(
  serverIp: ReturnType<typeof serverIpOf>,
  { nearest }: Pick<BaseDomains, 'nearest'>,
): (place: PreviewedPlace) => Promise<string> {
  return async ({ serverId, environmentId }) => {
    const serverKey = serverKeyOf({ serverId });
    const baseDomain = await nearest({ serverKey, environmentId });
    return defaultWildcard(baseDomain === null ? await serverIp(serverKey) : null, baseDomain);
  };
}
