/** Clusters joined with the machines, and with whoever watches them. */
import { createClusters, type Clusters } from '../../modules/cluster/cluster.ts';
import { bringImage } from '../../deploy/images/cluster-engine.ts';
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
      const images = new Set((await head.engine.services()).map(({ image }) => image));
      for (const image of images) await bringImage(head, node, image);
    },
    async regrouped(serverId) {
      await Promise.all([reconciler.forget(serverId), forgetObserved(serverId)]);
      serverSetup.wake();
      const server = await stores.servers.find({ serverId });
      // What measured it was a service of the swarm that it left.
      if (server?.metricsConfig)
        void monitoring.setUp(server).catch((error: unknown) => log.fault(error, 'monitoring of a node'));
      void reconciler.run();
    },
    admit: async (headId, { serverId }) => {
      const { address } = await servers.shell(serverId);
      return swarmPorts.admit(headId, { key: serverId, address });
    },
    setUp: serverSetup.accept,
  });
}
