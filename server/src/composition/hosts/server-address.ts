import type { SettingsService } from '../../modules/settings/settings.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { DnsCheck } from '../../modules/domain/dns-check.ts';
import type { Stores } from '../stores.ts';

/** IP address or host name under which the outside finds a server; null while nobody told. */
export function serverAddressOf(
  { servers }: Pick<Stores, 'servers'>,
  settings: Pick<SettingsService, 'get'>,
): (serverKey: string) => Promise<string | null> {
  return async (serverKey) =>
    serverKey === localServer
      ? (await settings.get()).serverIp
      : ((await servers.find({ serverId: serverKey }))?.ipAddress ?? null);
}

/** The same as an IP address; PRECONDITION_FAILED when a host name has none. */
export function serverIpOf(
  addressOf: ReturnType<typeof serverAddressOf>,
  dns: Pick<DnsCheck, 'addressOf'>,
): (serverKey: string) => Promise<string | null> {
  return async (serverKey) => {
    const address = await addressOf(serverKey);
    return address && dns.addressOf(address);
  };
}
