/** What measures the services of a server. */
import { AppError } from '../../../domain/errors.ts';
import type { Collector } from '../../../ports/metrics.ts';
import type { ServerStore } from '../store.ts';
import type { ServerMonitoring } from './monitoring.ts';

export interface Measuring {
  /** Of Berth's own machine. */
  ownCollector: Collector;
  monitoring: Pick<ServerMonitoring, 'agentOf'>;
}

/** NOT_FOUND for a server that is gone, or another organization's. */
export function createMeasuredOn(
  servers: Pick<ServerStore, 'find'>,
  { ownCollector, monitoring }: Measuring,
): (serverId: string | null, organizationId: string) => Promise<Collector> {
  return async (serverId, organizationId) => {
    if (serverId === null) return ownCollector;
    const server = await servers.find({ serverId, organizationId });
    if (!server) throw new AppError('NOT_FOUND', 'The server of this service no longer exists.');
    return monitoring.agentOf(server);
  };
}
