import { defaultWildcard } from '../../domain/names/preview.ts';
import { localServer } from '../../domain/names/server-key.ts';
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

/** Hosts of previews on a server: below the base domain on Berth's own machine, else test names. */
export function previewWildcardsOf(
  serverIp: ReturnType<typeof serverIpOf>,
  settings: { get(): Promise<{ baseDomain: string | null }> },
): (serverKey: string) => Promise<string> {
  return async (serverKey) => {
    const { baseDomain } = await settings.get();
    return defaultWildcard(await serverIp(serverKey), serverKey === localServer ? baseDomain : null);
  };
}
