/** Which servers services may stand on. */
import { AppError, badField } from '../../domain/errors.ts';
import type { ServerRecord, ServerStore } from './store.ts';

/** Without serverId the service stands on Berth's own machine, unless the installation is a cloud. */
export type RequirePlace = (serverId: string | null | undefined, organizationId: string) => Promise<void>;

/**
 * BAD_REQUEST naming serverId when none is given and one is needed, and for a build server: that one has
 * engine and builders only (decisions 13). The guard has seen to it that the server is the organization's.
 */
export function requirePlaceOn(
  servers: Pick<ServerStore, 'find'>,
  requireServer: (serverId: string | null | undefined) => Promise<void>,
): RequirePlace {
  return async (serverId, organizationId) => {
    await requireServer(serverId);
    const server = serverId ? await servers.find({ serverId, organizationId }) : undefined;
    if (server) refuseBuildServer(server);
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

/** Where an application is to be built. */
export interface BuildServers {
  /** BAD_REQUEST naming buildServerId for a server that does not build, or not yet. */
  require(serverId: string, organizationId: string): Promise<void>;
  /** The same of one that was named before, as PRECONDITION_FAILED. */
  requireStill(serverId: string, organizationId: string): Promise<void>;
}

export function createBuildServers(servers: Pick<ServerStore, 'find'>): BuildServers {
  const whyNot = async (serverId: string, organizationId: string): Promise<string | undefined> =>
    whyNoBuilds(await servers.find({ serverId, organizationId }));
  return {
    async require(serverId, organizationId) {
      const reason = await whyNot(serverId, organizationId);
      if (reason !== undefined) throw badField('buildServerId', `names ${reason}`);
    },
    async requireStill(serverId, organizationId) {
      const reason = await whyNot(serverId, organizationId);
      if (reason !== undefined)
        throw new AppError(
          'PRECONDITION_FAILED',
          `buildServerId of this application names ${reason}, or set buildServerId to null, so that it is ` +
            'built on the server that it runs on.',
        );
    },
  };
}

function whyNoBuilds(server: ServerRecord | undefined): string | undefined {
  if (!server) return 'a server that is not one of this organization; name one of its build servers';
  const { name, serverType, status } = server;
  if (serverType !== 'build')
    return `${name}, whose serverType is ${serverType}; name a server whose serverType is build`;
  if (status !== 'active') return `${name}, which is not set up yet; set it up with server.setup first`;
  return undefined;
}
