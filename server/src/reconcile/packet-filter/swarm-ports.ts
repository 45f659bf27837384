/** From where the ports of a server's swarm may be reached: its nodes, and one that is about to join. */
import { oneAtATime, type OneAtATime } from '../../domain/time/one-at-a-time.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { SwarmNode } from '../../ports/engine/engine-view.ts';
import type { GuardedHost, PortGuard } from './port-guard.ts';

export interface SwarmPorts {
  /** Puts the rules of the host right; one whose swarm cannot be asked keeps those that it has. */
  guard(host: GuardedHost): Promise<string[]>;
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
  hosts: {
    find(key: string): Promise<GuardedHost | undefined>;
    of(key: string): Promise<GuardedHost>;
  };
  servers: {
    find(where: { serverId: string }): Promise<{ clusterServerId: string | null } | undefined>;
    list(where: { clusterServerId: string }): Promise<{ serverId: string }[]>;
  };
  portGuard: PortGuard;
}): SwarmPorts {
  /** By the key of the head: addresses by the key of the server that joins. */
  const admitted = new Map<string, Map<string, string>>();
  /** By host. What was found out for one turn must not replace the rules of a later one. */
  const turns = new Map<string, OneAtATime>();

  async function peersOf(headKey: string): Promise<string[] | undefined> {
    // Before the nodes are read, since one that has joined meanwhile is among them.
    const joining = [...(admitted.get(headKey)?.values() ?? [])];
    const head = await hosts.find(headKey);
    const nodes = await head?.engineView.swarmNodes().catch(() => undefined);
    return nodes && [...new Set([...nodes.flatMap(addressesOf), ...joining])];
  }
  async function guardNow(host: GuardedHost): Promise<string[]> {
    const joins = [...admitted].find(([, joining]) => joining.has(host.key))?.[0];
    const record = await servers.find({ serverId: host.key });
    const peers = await peersOf(joins ?? record?.clusterServerId ?? host.key);
    return peers === undefined ? [] : portGuard.guard(host, peers);
  }
  function guard(host: GuardedHost): Promise<string[]> {
    if (host.key === localServer) return portGuard.guard(host);
    const turn = turns.get(host.key) ?? oneAtATime();
    turns.set(host.key, turn);
    return turn(() => guardNow(host));
  }
  return {
    guard,
    async admit(headKey, { key: joinsAs, address }) {
      const joining = admitted.get(headKey) ?? new Map<string, string>();
      admitted.set(headKey, joining.set(joinsAs, address));
      const members = await servers.list({ clusterServerId: headKey });
      const keys = [...new Set([headKey, ...members.map(({ serverId }) => serverId), joinsAs])];
      // A member that cannot be reached closes nothing new; the swarm goes on without its word.
      await Promise.allSettled(keys.map(async (key) => guard(await hosts.of(key))));
      return () => void joining.delete(joinsAs);
    },
  };
}

/** The engine tells 0.0.0.0 of a manager that listens everywhere. */
function addressesOf({ address, manager }: Pick<SwarmNode, 'address' | 'manager'>): string[] {
  const all = [address, manager?.address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') ?? ''];
  return all.filter((one) => one !== '' && one !== '0.0.0.0' && one !== '::');
}
