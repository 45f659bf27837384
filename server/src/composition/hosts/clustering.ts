/** Clusters joined with the machines, and with whoever watches them. */
import { createClusters, type Clusters } from '../../modules/cluster/cluster.ts';
import { bringImages } from '../../deploy/images/cluster-engine.ts';
import type { AppParts } from '../services/app-parts.ts';

type Parts = Pick<
  AppParts,
  | 'stores'
  | 'hosts'
  | 'servers'
  | 'serverSetup'
  | 'reconciler'
  | 'forgetObserved'
  | 'swarmPorts'
  | 'monitoring'
  | 'log'
>;

export function clustersOf({
  stores,
  hosts,
  servers,
  serverSetup,
  reconciler,
  forgetObserved,
  swarmPorts,
  monitoring,
  log,
}: Parts): Clusters {
  return createClusters({
    servers: stores.servers,
    async connected(serverId) {
      const { engine, engineView } = await hosts.of(serverId);
      return { engine, engineView, shell: await servers.shell(serverId) };
    },
    async bringImages(headId, { serverId, name, swarmNodeId }) {
      const head = await hosts.of(headId);
      const node = { name, nodeId: swarmNodeId ?? '', host: () => hosts.of(serverId) };
      await bringImages(head, node);
    },
    async regrouped(serverId) {
      await Promise.all([reconciler.forget(serverId), forgetObserved(serverId)]);
      serverSetup.wake();
      // What measured it was a service of the swarm that it left.
      void monitoring
        .setUpAgain(serverId)
        .catch((error: unknown) => log.fault(error, 'monitoring of a node'));
      void reconciler.run();
    },
    admit: async (headId, { serverId }) => {
      const { address } = await servers.shell(serverId);
      return swarmPorts.admit(headId, { key: serverId, address });
    },
    setUp: serverSetup.accept,
  });
}
