/** Hosts that do not answer, with whose they are. */
import { localServer } from '../../domain/names/server-key.ts';
import type { SourcePorts } from './sources.ts';

export interface UnreachableParts {
  /** As whoever watches the engines sees it. */
  seen(): readonly { serverKey: string; name: string; since: string }[];
  servers: {
    find(where: { serverId: string }): Promise<{ organizationId: string; name: string } | undefined>;
  };
  installation: SourcePorts['installation'];
}

/** Of a server whose record is gone there is nobody to tell. */
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
