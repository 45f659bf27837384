/** Which servers services may stand on. */
import { badField } from '../../domain/errors.ts';
import type { ServerRecord, ServerStore } from './store.ts';

/** Without serverId the service stands on Berth's own machine, unless the installation is a cloud. */
export type RequirePlace = (serverId: string | null | undefined, organizationId: string) => Promise<void>;

/**
 * BAD_REQUEST naming serverId when none is given and one is needed, for a build server, which has engine and
 * builders only, and for a node of a cluster, whose head is named (decisions 13). The guard has seen to it
 * that the server is the organization's.
 */
export function requirePlaceOn(
  servers: Pick<ServerStore, 'find'>,
  requireServer: (serverId: string | null | undefined) => Promise<void>,
): RequirePlace {
  return async (serverId, organizationId) => {
    await requireServer(serverId);
    const server = serverId ? await servers.find({ serverId, organizationId }) : undefined;
    if (server) refuseBuildServer(server);
    if (server?.clusterServerId) {
      const head = await servers.find({ serverId: server.clusterServerId, organizationId });
      throw badField(
        'serverId',
        `names ${server.name}, a node of the cluster of ${head?.name ?? 'another server'}; name that one, ` +
          'whose services run on all its nodes',
      );
    }
  };
}

function refuseBuildServer({ name, serverType }: ServerRecord): void {
  if (serverType === 'build')
    throw badField(
      'serverId',
      `names ${name}, a build server, which has no proxy and runs no services; name a server whose ` +
        'serverType is deploy',
    );
}
