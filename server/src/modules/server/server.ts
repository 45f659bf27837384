/** Servers of an organization as records. */
import { AppError, badField } from '../../domain/errors.ts';
import { parseMachineAddress } from '../../domain/names/names.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { ServerRecord, ServerStore } from './store.ts';

export interface NewServer
  extends Pick<
    ServerRecord,
    'name' | 'ipAddress' | 'port' | 'username' | 'serverType' | 'buildsConcurrency'
  > {
  description?: string | null | undefined;
  sshKeyId?: string | null | undefined;
}

export type ServerPatch = { [K in keyof NewServer]?: NewServer[K] | undefined } & {
  baseDomain?: string | null | undefined;
};

type Monitoring = NonNullable<ServerRecord['metricsConfig']>;
/** As it is asked for, with the token of the metrics endpoint. */
export type MonitoringInput = Monitoring & { server: { token: string } };

export interface Servers {
  create(organizationId: string, input: NewServer): Promise<ServerRecord>;
  one(serverId: string, organizationId: string): Promise<ServerRecord>;
  /** Newest first, with the number of services on each; two statements however many there are. */
  all(organizationId: string): Promise<(ServerRecord & { totalServices: number })[]>;
  update(serverId: string, organizationId: string, patch: ServerPatch): Promise<ServerRecord>;
  /** From now on the server at this address must show the host key of this fingerprint. */
  trustHostKey(serverId: string, organizationId: string, fingerprint: string): Promise<ServerRecord>;
  /**
   * Of any organization: the installation's Owner decides. PRECONDITION_FAILED before its host key is known,
   * which says what machine is trusted.
   */
  setTrusted(serverId: string, trusted: boolean): Promise<ServerRecord>;
  /** Keeps what the server's monitoring is to be; its token is read by nobody but the monitoring. */
  configureMonitoring(
    serverId: string,
    organizationId: string,
    config: MonitoringInput,
  ): Promise<ServerRecord>;
  /** PRECONDITION_FAILED while services or certificates stand on it, or applications are built on it. */
  remove(serverId: string, organizationId: string): Promise<ServerRecord>;
  /** The server whose metrics endpoint the address is; FORBIDDEN for any other address. */
  ofMetricsEndpoint(url: string, organizationId: string): Promise<ServerRecord>;
}

export function createServers(store: ServerStore, clock: Clock): Servers {
  return {
    one: (serverId, organizationId) => one(store, serverId, organizationId),
    async create(organizationId, input) {
      const record = newServer(organizationId, input, clock);
      await store.insert(record);
      return record;
    },
    async all(organizationId) {
      const [servers, counts] = await Promise.all([
        store.list({ organizationId }, { by: ['createdAt', 'serverId'], direction: 'desc' }),
        store.countServices(organizationId),
      ]);
      return servers.map((server) => ({ ...server, totalServices: counts.get(server.serverId) ?? 0 }));
    },
    async update(serverId, organizationId, patch) {
      const present = await one(store, serverId, organizationId);
      if (patch.serverType === 'build' && present.serverType !== 'build')
        refuseWhile((await store.countServices(organizationId)).get(serverId) ?? 0, 'service', present);
      if (patch.serverType === 'build') await refuseInCluster(store, present, 'made a build server');
      if (patch.serverType === 'deploy' && present.serverType === 'build')
        refuseWhileBuilding(await store.countBuilt(serverId), present);
      const changes = changesOf(present, patch, clock);
      await store.update({ serverId, organizationId }, changes);
      return { ...present, ...changes };
    },
    trustHostKey: (serverId, organizationId, fingerprint) =>
      trustHostKey({ store, clock }, { serverId, organizationId }, fingerprint),
    setTrusted: (serverId, trusted) => setTrusted(store, serverId, trusted),
    async configureMonitoring(
      serverId,
      organizationId,
      { server: { token: metricsToken, ...server }, containers },
    ) {
      const present = await one(store, serverId, organizationId);
      const changes = { metricsConfig: { server, containers }, metricsToken };
      await store.update({ serverId, organizationId }, changes);
      return { ...present, ...changes };
    },
    async remove(serverId, organizationId) {
      const present = await one(store, serverId, organizationId);
      refuseWhile((await store.countServices(organizationId)).get(serverId) ?? 0, 'service', present);
      refuseWhile(await store.countCertificates(serverId), 'certificate', present);
      await refuseInCluster(store, present, 'removed');
      refuseWhileBuilding(await store.countBuilt(serverId), present);
      await store.remove({ serverId, organizationId });
      return present;
    },
    ofMetricsEndpoint: async (url, organizationId) =>
      ofMetricsEndpoint(url, await store.list({ organizationId })),
  };
}

async function one(store: ServerStore, serverId: string, organizationId: string): Promise<ServerRecord> {
  const record = await store.find({ serverId, organizationId });
  if (!record) throw noServer();
  return record;
}

function noServer(): AppError {
  return new AppError('NOT_FOUND', 'There is no such server. It may have been removed.');
}

async function trustHostKey(
  { store, clock }: { store: ServerStore; clock: Clock },
  { serverId, organizationId }: Pick<ServerRecord, 'serverId' | 'organizationId'>,
  hostKeyFingerprint: string,
): Promise<ServerRecord> {
  const present = await one(store, serverId, organizationId);
  // Another key is another machine.
  const isSame = present.hostKeyFingerprint === hostKeyFingerprint;
  const changes = { hostKeyFingerprint, ...(isSame ? {} : anotherMachine(clock)) };
  await store.update({ serverId, organizationId }, changes);
  return { ...present, ...changes };
}

async function setTrusted(store: ServerStore, serverId: string, trusted: boolean): Promise<ServerRecord> {
  const present = await store.find({ serverId });
  if (!present) throw noServer();
  if (trusted && present.hostKeyFingerprint === null)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The host key of ${present.name} is not known yet, so it could be any machine. Let it be set up ` +
        'first (server.setup).',
    );
  // Its organization may make it another machine at any moment, which nobody has looked at.
  const { ipAddress, port, hostKeyFingerprint } = present;
  const looked = trusted ? { serverId, ipAddress, port, hostKeyFingerprint } : { serverId };
  if ((await store.update(looked, { trusted })) === 0)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${present.name} was changed at this moment, and may be another machine. Look at it again.`,
    );
  return { ...present, trusted };
}

function newServer(
  organizationId: string,
  { description, sshKeyId, ...input }: NewServer,
  clock: Clock,
): ServerRecord {
  return {
    serverId: randomId(),
    organizationId,
    ...input,
    description: description ?? null,
    ipAddress: parseMachineAddress(input.ipAddress, 'ipAddress'),
    sshKeyId: sshKeyId ?? null,
    status: 'inactive',
    hostKeyFingerprint: null,
    setupStatus: 'idle',
    setupStage: null,
    setupError: null,
    metricsConfig: null,
    metricsToken: null,
    clusterServerId: null,
    swarmNodeId: null,
    trusted: false,
    machineSince: null,
    baseDomain: null,
    createdAt: isoTime(clock),
  };
}

/**
 * Only what the patch changes, since others may change the rest at the same time. Another address or port is
 * another machine: its key is not known, it is not set up, and nobody trusts it.
 */
function changesOf(
  present: ServerRecord,
  { ipAddress, ...patch }: ServerPatch,
  clock: Clock,
): Partial<ServerRecord> {
  const changes: Partial<ServerRecord> = Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  );
  if (ipAddress !== undefined) changes.ipAddress = parseMachineAddress(ipAddress, 'ipAddress');
  const { ipAddress: address = present.ipAddress, port = present.port } = changes;
  if (address === present.ipAddress && port === present.port) return changes;
  return {
    ...changes,
    ...anotherMachine(clock),
    hostKeyFingerprint: null,
    status: 'inactive',
    setupStatus: 'idle',
    setupStage: null,
    setupError: null,
  };
}

const anotherMachine = (clock: Clock): Pick<ServerRecord, 'trusted' | 'machineSince'> => ({
  trusted: false,
  machineSince: isoTime(clock),
});

function ofMetricsEndpoint(url: string, servers: readonly ServerRecord[]): ServerRecord {
  const { hostname, port, protocol, username, password } = new URL(url);
  if (username !== '' || password !== '')
    throw badField('url', 'must not carry a user or password; the token has its own field');
  const asked = Number(port || (protocol === 'https:' ? 443 : 80));
  const found = servers.find(
    ({ ipAddress, metricsConfig }) =>
      hostOf(ipAddress) === hostname && (metricsConfig === null || metricsConfig.server.port === asked),
  );
  if (!found)
    throw new AppError(
      'FORBIDDEN',
      'The address in url is not a metrics endpoint of a server of this organization. Register the server ' +
        'with server.create, or use the address and port that its monitoring has.',
    );
  return found;
}

function refuseWhile(count: number, thing: string, { name }: ServerRecord): void {
  if (count > 0)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The server ${name} still has ${count} ${thing}${count === 1 ? '' : 's'} on it. Remove ` +
        `${count === 1 ? 'it' : 'them'} first. If the server is gone for good, server.forget removes its ` +
        'record and theirs without reaching it.',
    );
}

async function refuseInCluster(
  store: ServerStore,
  { serverId, name, clusterServerId }: ServerRecord,
  what: string,
): Promise<void> {
  if (clusterServerId !== null)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The server ${name} is a node of a cluster and cannot be ${what}. Make it leave first (cluster.leave).`,
    );
  const nodes = await store.list({ clusterServerId: serverId });
  if (nodes.length > 0)
    throw new AppError(
      'PRECONDITION_FAILED',
      `Other servers are nodes of the cluster of ${name} (${nodes.length}), so it cannot be ${what}.` +
        ' Make them leave first (cluster.leave).',
    );
}

function refuseWhileBuilding(count: number, { name }: ServerRecord): void {
  if (count > 0)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The server ${name} still builds ${count} application${count === 1 ? '' : 's'}. Give ` +
        `${count === 1 ? 'it' : 'them'} another buildServerId, or null, first.`,
    );
}

/** The address as a URL writes it. */
function hostOf(ipAddress: string): string {
  return new URL(`http://${ipAddress.includes(':') ? `[${ipAddress}]` : ipAddress}`).hostname;
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
