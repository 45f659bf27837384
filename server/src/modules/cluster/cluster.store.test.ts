import { expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { createServers } from '../server/server.ts';
import { createClusters } from './cluster.ts';
import type { ClusterParts, ClusterServer, ServerRecord } from './parts.ts';

const nodeAt = (id: string, address: string) => ({
  id,
  address,
  role: 'manager',
  state: 'ready',
  createdAt: id,
});

/** Both are in one swarm already, as when a join that was broken off is asked for again. */
const connected = {
  engineView: {
    swarmNodes: async () => [nodeAt('node-1', '203.0.113.1'), nodeAt('node-2', '203.0.113.2')],
    swarmTasks: async () => [],
    swarmServices: async () => [],
  },
  shell: { engine: { info: async () => ({ swarm: { state: 'active', nodeId: 'node-2' } }) } },
} as unknown as ClusterServer;

eachDatabase('clusters', (test) => {
  it('leave alone what becomes of a server while it joins', async () => {
    const database = await test.open();
    const { organizationId } = (await createPeople(database)).stranger;
    const { servers } = createStores(database);
    const records = createServers(servers, systemClock);
    const newServer = async (name: string, ipAddress: string): Promise<string> => {
      const { serverId } = await records.create(organizationId, {
        name,
        ipAddress,
        port: 22,
        username: 'root',
        serverType: 'deploy',
        buildsConcurrency: 1,
      });
      await servers.update({ serverId }, { status: 'active', hostKeyFingerprint: 'SHA256:x', trusted: true });
      return serverId;
    };
    const serverId = await newServer('head', '203.0.113.1');
    const nodeServerId = await newServer('node', '203.0.113.2');
    const meanwhile: Partial<ServerRecord> = {
      trusted: false,
      name: 'renamed',
      hostKeyFingerprint: 'SHA256:y',
    };
    const parts: ClusterParts = {
      servers,
      connected: async () => connected,
      async admit() {
        await servers.update({ serverId: nodeServerId }, meanwhile);
        return () => undefined;
      },
      bringImages: async () => undefined,
      regrouped: async () => undefined,
      setUp: async (server) => server,
    };
    await createClusters(parts).join(
      { serverId, nodeServerId, role: 'worker' },
      { organizationId, signal: new AbortController().signal, write: (work) => work() },
    );
    expect(await servers.find({ serverId: nodeServerId })).toMatchObject({
      ...meanwhile,
      clusterServerId: serverId,
      swarmNodeId: 'node-2',
    });
  });
});
