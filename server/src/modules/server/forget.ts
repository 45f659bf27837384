/** Servers that are gone: their records and those of what stood there are removed without reaching them. */
import type { TableRecord } from '../../db/tables.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { previewRef, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { Interruption } from '../interruption/interruption.ts';
import { nameOf } from '../service/own-service.ts';
import type { ServerRecord } from './store.ts';

/** A service with a record that names the server. */
export interface StandingService extends ServiceRef {
  kind: 'application' | 'compose' | 'database';
  name: string;
  /** The name it was released under on the engine of the server. */
  appName: string;
}

type Removes = (serviceId: string, organizationId: string) => Promise<unknown>;
type Placed = Pick<TableRecord<'application'>, 'name' | 'appName' | 'releasedAppName'>;
interface Lists<R> {
  list(where: { serverId: string; organizationId: string }): Promise<R[]>;
}
interface RemovesOf<W> {
  remove(where: W): Promise<unknown>;
}

export interface ForgettingDeps {
  servers: { one(serverId: string, organizationId: string): Promise<ServerRecord> };
  stores: {
    servers: RemovesOf<{ serverId: string; organizationId: string }> & {
      list(where: { clusterServerId: string }): Promise<ServerRecord[]>;
      update(where: { serverId: string }, patch: Partial<ServerRecord>): Promise<unknown>;
    };
    applications: Lists<Placed & { applicationId: string }> & {
      update(where: { buildServerId: string }, patch: { buildServerId: null }): Promise<unknown>;
    };
    composes: Lists<Placed & { composeId: string }>;
    databases: Lists<Placed & { databaseId: string }>;
    previewDeployments: {
      list(where: { applicationId: string }): Promise<{ previewDeploymentId: string }[]>;
    };
    certificates: RemovesOf<{ serverId: string }>;
    certificateOrders: RemovesOf<{ serverId: string }>;
    unfinishedDeletions: RemovesOf<{ serverKey: string }>;
  };
  /** Removes the record of a service of each kind, and what belongs to it. */
  remove: Record<ServiceRef['kind'], Removes>;
  interruption: Pick<Interruption, 'endThen'>;
  deployments: { all(service: ServiceRef): Promise<{ deploymentId: string }[]> };
  leaveSchedules(owner: { applicationId?: string; composeId?: string }): Promise<() => Promise<void>>;
  logs: { remove(deploymentId: string): Promise<unknown> };
  uploads: { forgetAll(applicationId: string): Promise<unknown> };
  /** The connection to a server, and what was observed of it, are given up. */
  leave(serverId: string): Promise<void>;
}

export interface ForgottenServer extends ServerRecord {
  forgotten: StandingService[];
  /** Names of servers that were nodes of its cluster, which have to be set up again. */
  formerNodes: string[];
}

export interface ForgetServers {
  /** Applications, compose services and databases with the server in their record. */
  services(serverId: string, organizationId: string): Promise<StandingService[]>;
  /** BAD_REQUEST for another name, PRECONDITION_FAILED for a node of a cluster. */
  forget(
    context: Pick<CallContext, 'actor' | 'write'>,
    input: { serverId: string; name: string },
  ): Promise<ForgottenServer>;
}

export function createForgetServers(deps: ForgettingDeps): ForgetServers {
  return {
    async services(serverId, organizationId) {
      await deps.servers.one(serverId, organizationId);
      return standingOn(deps, { serverId, organizationId });
    },
    async forget({ actor, write }, { serverId, name }) {
      const { organizationId, userId } = actor;
      const server = await deps.servers.one(serverId, organizationId);
      if (server.name !== name.trim())
        throw badField('name', `must be ${server.name}, the name of the server that is to be forgotten`);
      refuseNode(server);
      const services = await standingOn(deps, { serverId, organizationId });
      const all = [...(await previewsOf(deps, services)), ...services];
      // A deployment that waits for the server would wait for a record that is gone.
      for (const service of all)
        await deps.interruption.endThen(service, { operation: 'forget', userId }, async () => undefined);
      const past = (await Promise.all(all.map(deps.deployments.all))).flat();
      const ends = await Promise.all(services.map((service) => leaveSchedulesOf(deps, service)));
      const nodes = await deps.stores.servers.list({ clusterServerId: serverId });
      await write(() => removeRecords(deps, server, { all, nodes }));
      for (const end of ends) await end();
      for (const { deploymentId } of past) await deps.logs.remove(deploymentId);
      for (const { kind, serviceId } of services)
        if (kind === 'application') await deps.uploads.forgetAll(serviceId);
      for (const left of [server, ...nodes]) await deps.leave(left.serverId);
      return { ...server, forgotten: services, formerNodes: nodes.map((node) => node.name) };
    },
  };
}

function refuseNode({ name, clusterServerId }: ServerRecord): void {
  if (clusterServerId !== null)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The server ${name} is a node of a cluster, whose services may run on its other nodes. Take it out ` +
        'with cluster.remove, or forget the head of its cluster first, when that is gone too.',
    );
}

async function removeRecords(
  { stores, remove }: ForgettingDeps,
  { serverId, organizationId }: ServerRecord,
  { all, nodes }: { all: readonly ServiceRef[]; nodes: readonly ServerRecord[] },
): Promise<void> {
  for (const { kind, serviceId } of all) await remove[kind](serviceId, organizationId);
  await stores.certificateOrders.remove({ serverId });
  await stores.certificates.remove({ serverId });
  await stores.applications.update({ buildServerId: serverId }, { buildServerId: null });
  await stores.unfinishedDeletions.remove({ serverKey: serverId });
  for (const node of nodes)
    await stores.servers.update(
      { serverId: node.serverId },
      { clusterServerId: null, swarmNodeId: null, status: 'inactive' },
    );
  await stores.servers.remove({ serverId, organizationId });
}

async function standingOn(
  { stores }: ForgettingDeps,
  where: { serverId: string; organizationId: string },
): Promise<StandingService[]> {
  const [applications, composes, databases] = await Promise.all([
    stores.applications.list(where),
    stores.composes.list(where),
    stores.databases.list(where),
  ]);
  const shown = (kind: StandingService['kind'], serviceId: string, service: Placed): StandingService => ({
    kind,
    serviceId,
    name: service.name,
    appName: nameOf(service),
  });
  return [
    ...applications.map((one) => shown('application', one.applicationId, one)),
    ...composes.map((one) => shown('compose', one.composeId, one)),
    ...databases.map((one) => shown('database', one.databaseId, one)),
  ];
}

async function previewsOf(
  { stores }: ForgettingDeps,
  services: readonly StandingService[],
): Promise<ServiceRef[]> {
  const found = await Promise.all(
    services
      .filter(({ kind }) => kind === 'application')
      .map(({ serviceId }) => stores.previewDeployments.list({ applicationId: serviceId })),
  );
  return found.flat().map(({ previewDeploymentId }) => previewRef(previewDeploymentId));
}

const nothing = async (): Promise<void> => undefined;

async function leaveSchedulesOf(
  { leaveSchedules }: ForgettingDeps,
  { kind, serviceId }: StandingService,
): Promise<() => Promise<void>> {
  if (kind === 'application') return leaveSchedules({ applicationId: serviceId });
  return kind === 'compose' ? leaveSchedules({ composeId: serviceId }) : nothing;
}
