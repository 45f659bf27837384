/** How many builds a server makes at once: what its record says, else the setting. */
import type { ServerStore } from './store.ts';

export function buildsConcurrency(
  servers: Pick<ServerStore, 'find'>,
  settings: { get(): Promise<{ buildsConcurrency: number }> },
): (serverKey: string) => Promise<number> {
  return async (serverKey) =>
    (await servers.find({ serverId: serverKey }))?.buildsConcurrency ??
    (await settings.get()).buildsConcurrency;
}
