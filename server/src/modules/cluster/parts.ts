/** What clusters are made with. */
import type { TableRecord } from '../../db/tables.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { EngineView } from '../../ports/engine/engine-view.ts';
import type { ServerShell } from '../../ports/host/server-shell.ts';

export type ServerRecord = TableRecord<'server'>;

/** A server that is connected. */
export interface ClusterServer {
  engine: Engine;
  engineView: EngineView;
  shell: ServerShell;
}

export interface ClusterParts {
  servers: {
    find(where: { serverId: string; organizationId: string }): Promise<ServerRecord | undefined>;
    list(where: { clusterServerId: string }): Promise<ServerRecord[]>;
    update(where: { serverId: string }, patch: Partial<ServerRecord>): Promise<unknown>;
    countServices(organizationId: string): Promise<Map<string, number>>;
    countCertificates(serverId: string): Promise<number>;
  };
  connected(serverId: string): Promise<ClusterServer>;
  /** Opens the ports of the swarm between the node and all others; gives what ends that. */
  admit(headId: string, node: ServerRecord): Promise<() => void>;
  /** Brings every image that a service of the head runs to the node. */
  bringImages(headId: string, node: ServerRecord): Promise<void>;
  /** The server has another swarm from now on: who watches it begins anew. */
  regrouped(serverId: string): Promise<void>;
  /** Sets the server up again, as a durable job that `regrouped` wakes. */
  setUp(server: ServerRecord): Promise<ServerRecord>;
}
