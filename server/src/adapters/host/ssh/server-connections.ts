/** The connections of servers over SSH, by their records. */
import { join } from 'node:path';
import { askSocketName } from '../../proxy/caddy-ask.ts';
import { newsSocketName } from '../../proxy/caddy-news.ts';
import { adminSocketName } from '../../proxy/proxy-service.ts';
import { createSshConnection, type SshHostConnection } from './ssh-connection.ts';
import type { SshTarget } from './ssh-client.ts';
import { noKey, noRecord, notOverSsh } from './ssh-fault.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import type { ServerShell } from '../../../ports/host/server-shell.ts';
import type { Outgoing } from '../../../ports/outgoing.ts';

/** What the connection to a server is made by. */
export interface ConnectedServer {
  serverId: string;
  organizationId: string;
  name: string;
  sshKeyId: string | null;
  ipAddress: string;
  port: number;
  username: string;
  hostKeyFingerprint: string | null;
}

export interface ServerConnections {
  /**
   * Undefined for a server that is not connected. `isUsed`: something is to be done there, so that one that
   * never was connected is now.
   */
  connect(server: ConnectedServer, options: { isUsed: boolean }): Promise<SshHostConnection | undefined>;
  /** Of a server that has a connection; PRECONDITION_FAILED for one that has none. */
  shell(serverId: string): Promise<ServerShell>;
  /** The record of the server was changed, or it was removed: the next connection is made by it. */
  reset(serverId: string): void;
}

export interface ServerConnectionsParts {
  config: {
    data: string;
    /** Of Berth's own machine; servers that have none get a copy. */
    probePath: string;
  };
  stores: {
    servers: {
      find(where: { serverId: string }): Promise<ConnectedServer | undefined>;
      /** Notes the host key of a server that none is noted of; gives the one that is. */
      pinFirst(
        server: Pick<ConnectedServer, 'serverId' | 'ipAddress' | 'port'>,
        hostKey: string,
      ): Promise<boolean>;
    };
    sshKeys: {
      find(where: { sshKeyId: string; organizationId: string }): Promise<{ privateKey: string } | undefined>;
    };
  };
  adapters: { outgoing: Pick<Outgoing, 'judge'> };
  /** How long an unreachable server is waited for, in minutes. */
  settings: { get(): Promise<{ unreachableWait: number }> };
}

const minuteMs = 60_000;

export function createServerConnections(parts: ServerConnectionsParts): ServerConnections {
  const { config, stores, settings } = parts;
  const { probePath } = config;
  const made = new Map<string, SshHostConnection>();
  return {
    async connect({ serverId, name, sshKeyId, hostKeyFingerprint }, { isUsed }) {
      if (sshKeyId === null && isUsed) throw noKey(`the server ${name}`);
      // Nothing of Berth's is on a server that it has never spoken with.
      if (sshKeyId === null || (hostKeyFingerprint === null && !isUsed)) return undefined;
      const connection = await createSshConnection({
        folder: join(config.data, 'servers', serverId),
        target: () => targetOf(parts, serverId),
        waitMs: async () => (await settings.get()).unreachableWait * minuteMs,
        pin: ({ ipAddress, port }, hostKey) =>
          stores.servers.pinFirst({ serverId, ipAddress, port }, hostKey),
        proxySockets: { asked: adminSocketName, answered: [newsSocketName, askSocketName] },
        proxyPorts: { http: 80, https: 443 },
        probePath,
      });
      made.set(serverId, connection);
      return connection;
    },
    async shell(serverId) {
      const connection = made.get(serverId);
      if (!connection) throw notOverSsh();
      return connection.shell();
    },
    reset: (serverId) => made.get(serverId)?.reset(),
  };
}

async function targetOf({ stores, adapters }: ServerConnectionsParts, serverId: string): Promise<SshTarget> {
  const server = await stores.servers.find({ serverId });
  if (!server) throw noRecord();
  const { organizationId, sshKeyId, ipAddress, port, username, hostKeyFingerprint: hostKey } = server;
  const serverName = `the server ${server.name}`;
  const key = sshKeyId === null ? undefined : await stores.sshKeys.find({ sshKeyId, organizationId });
  if (!key) throw noKey(serverName);
  const judged = await adapters.outgoing.judge(ipAddress, { organizationId }, port);
  return {
    serverName,
    ipAddress,
    address: judged.addresses[0],
    port,
    username,
    hostKey,
    privateKey: new Secret(key.privateKey),
    screen: judged.isScreened ? judged.fault('other').message : undefined,
  };
}
