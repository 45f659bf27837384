/** From where the ports of a server's swarm may be reached: its nodes, and one that is about to join. */
import { localServer } from '../domain/names/server-key.ts';
import type { SwarmNode } from '../ports/engine/engine-view.ts';
import type { Host, Hosts } from '../ports/host/host.ts';
import type { PortGuard } from './port-guard.ts';

export interface SwarmPorts {
  /** Puts the rules of the host right; one whose swarm cannot be asked keeps those that it has. */
  guard(host: Host): Promise<string[]>;
  /**
   * Lets a server that is about to join in at all nodes of the head's swarm, and them in at it; gives what
   * ends that, once the swarm knows it.
   */
  admit(headKey: string, node: { key: string; address: string }): Promise<() => void>;
}

export function createSwarmPorts({
  hosts,
  servers,
  portGuard,
}: {
  hosts: Pick<Hosts, 'find' | 'of'>;
  servers: {
    find(where: { serverId: string }): Promise<{ clusterServerId: string | null } | undefined>;
    list(where: { clusterServerId: string }): Promise<{ serverId: string }[]>;
  };
  portGuard: PortGuard;
}): SwarmPorts {
  /** By the key of the head. */
  const admitted = new Map<string, { key: string; address: string }>();

  async function peersOf(headKey: string): Promise<string[] | undefined> {
    const head = await hosts.find(headKey);
    const nodes = await head?.engineView.swarmNodes().catch(() => undefined);
    const joining = admitted.get(headKey);
    return nodes && [...nodes.flatMap(addressesOf), ...(joining ? [joining.address] : [])];
  }
  async function guard(host: Host): Promise<string[]> {
    if (host.key === localServer) return portGuard.guard(host);
    const joins = [...admitted].find(([, { key }]) => key === host.key)?.[0];
    const record = await servers.find({ serverId: host.key });
    const peers = await peersOf(joins ?? record?.clusterServerId ?? host.key);
    return peers === undefined ? [] : portGuard.guard(host, peers);
  }
  return {
    guard,
    async admit(headKey, node) {
      admitted.set(headKey, node);
      const members = await servers.list({ clusterServerId: headKey });
      const keys = [...new Set([headKey, ...members.map(({ serverId }) => serverId), node.key])];
      // A member that cannot be reached closes nothing new; the swarm goes on without its word.
      await Promise.allSettled(keys.map(async (key) => guard(await hosts.of(key))));
      return () => void (admitted.get(headKey) === node && admitted.delete(headKey));
    },
  };
}

/** The engine tells 0.0.0.0 of a manager that listens everywhere. */
function addressesOf({ address, manager }: SwarmNode): string[] {
  const all = [address, manager?.address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') ?? ''];
  return all.filter((one) => one !== '' && one !== '0.0.0.0' && one !== '::');
}
