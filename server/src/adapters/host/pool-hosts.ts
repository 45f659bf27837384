/** The hosts that are connected, one of each, whoever asks. */
import { AppError } from '../../domain/errors.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { Host, Hosts } from '../../ports/host/host.ts';

export interface HostPool {
  /** Berth's own machine, which is always connected. */
  local: Host;
  /** Of every server that has a record, and whether it is a node of another's cluster. */
  servers(): Promise<readonly { serverId: string; isNode: boolean }[]>;
  /**
   * Undefined for a server that is not connected. `isUsed`: something is to be done there, so that one that
   * never was connected is now. `of` gives the others. Throws when the connection cannot be had.
   */
  connect(serverId: string, isUsed: boolean, of: Hosts['of']): Promise<Host | undefined>;
}

interface Connected {
  isUsed: boolean;
  host: Promise<Host | undefined>;
}

export function poolHosts({ local, servers, connect }: HostPool): Hosts {
  const connected = new Map<string, Connected>();

  /** One connection for everybody; who only looks has none made for a server that never had one. */
  async function get(serverKey: string, isUsed: boolean): Promise<Host | undefined> {
    if (serverKey === localServer) return local;
    for (;;) {
      const present = connected.get(serverKey) ?? { isUsed, host: connect(serverKey, isUsed, of) };
      connected.set(serverKey, present);
      const forget = (): void => {
        if (connected.get(serverKey) === present) connected.delete(serverKey);
      };
      const host = await present.host.catch((error: unknown) => {
        forget();
        throw error;
      });
      if (host) return host;
      // It may be connected the next time.
      forget();
      if (present.isUsed || !isUsed) return undefined;
    }
  }
  async function of(serverKey: string): Promise<Host> {
    const host = await get(serverKey, true);
    if (host) return host;
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      'This server is not connected, or its record was removed meanwhile.',
    );
  }
  const find = (serverKey: string): Promise<Host | undefined> => get(serverKey, false);
  async function connectedOnes(areNodes: boolean): Promise<Host[]> {
    const wanted = (await servers()).filter(({ isNode }) => isNode === areNodes);
    const settled = await Promise.allSettled(wanted.map(({ serverId }) => find(serverId)));
    return settled.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []));
  }
  return {
    find,
    of,
    all: async () => [local, ...(await connectedOnes(false))],
    nodes: () => connectedOnes(true),
  };
}
