/** Hosts that do not answer, each with the organization that it belongs to. */
import { localServer } from '../../domain/names/server-key.ts';
import type { SourcePorts } from './sources.ts';

export interface UnreachableParts {
  /** The hosts that the observers of the engines cannot reach. */
  seen(): readonly { serverKey: string; name: string; since: string }[];
  servers: {
    find(where: { serverId: string }): Promise<{ organizationId: string; name: string } | undefined>;
  };
  installation: SourcePorts['installation'];
}

/** Leaves out a server without a record, since no organization could be told. */
export function unreachableHosts({
  seen,
  servers,
  installation,
}: UnreachableParts): SourcePorts['unreachable'] {
  return async () => {
    const found = [];
    for (const { serverKey, name, since } of seen()) {
      const server = await servers.find({ serverId: serverKey });
      const organizationId = server?.organizationId ?? (await installation());
      if (organizationId !== undefined && (server || serverKey === localServer))
        found.push({ id: serverKey, name: server?.name ?? name, organizationId, since });
    }
    return found;
  };
}
