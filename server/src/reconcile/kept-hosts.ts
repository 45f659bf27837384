/** Hosts as the reconciler keeps them: machines of their own, and nodes of another server's cluster. */
import type { Host, Hosts } from '../ports/host/host.ts';
import type { KeptHost } from './host-reconciler.ts';
import type { ReconciledHosts } from './reconciler.ts';

interface ServerPlace {
  serverId: string;
  /** Of a node: the server whose cluster it belongs to. */
  clusterServerId: string | null;
}

export interface KeptHostsParts {
  hosts: Pick<Hosts, 'find' | 'all' | 'nodes'>;
  servers: {
    find(where: { serverId: string }): Promise<ServerPlace | undefined>;
    list(where: { clusterServerId?: string }): Promise<ServerPlace[]>;
  };
  head(host: Host): KeptHost;
  node(host: Host, headKey: string): KeptHost;
}

export function keptHosts({ hosts, servers, head, node }: KeptHostsParts): ReconciledHosts {
  const keptAs = (host: Host, record: ServerPlace | undefined): KeptHost =>
    record?.clusterServerId ? node(host, record.clusterServerId) : head(host);
  return {
    async find(serverKey) {
      const host = await hosts.find(serverKey);
      return host && keptAs(host, await servers.find({ serverId: serverKey }));
    },
    async all() {
      const heads = (await hosts.all()).map(head);
      const records = new Map((await servers.list({})).map((one) => [one.serverId, one]));
      return [...heads, ...(await hosts.nodes()).map((one) => keptAs(one, records.get(one.key)))];
    },
    nodesOf: async (serverKey) =>
      (await servers.list({ clusterServerId: serverKey })).map(({ serverId }) => serverId),
  };
}
