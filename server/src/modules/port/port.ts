/** Ports of applications that the servers publish beside the proxy (decisions 5). */
import { AppError } from '../../domain/errors.ts';
import { parsePort, parsePublishedPort } from '../../domain/names/names.ts';
import { serverIdOf } from '../../domain/names/server-key.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { PortRecord, PortStore } from './store.ts';

export type PublishMode = PortRecord['publishMode'];
export type PortInput = Pick<PortRecord, 'publishedPort' | 'targetPort' | 'protocol' | 'publishMode'>;

/** How a port is published in truth, and the sentence about it when that is not what was asked for. */
export interface Publishing {
  publishMode: PublishMode;
  notice: string | null;
}

export interface PortEffects {
  clock: Clock;
  /** Ports that Berth itself listens on. */
  ownPorts: readonly number[];
  /** Whether the routing mesh reaches published ports of the server, as far as it is known. */
  meshWorks(serverKey: string): Promise<boolean>;
}

/** A port of a server that somebody wants. */
export interface WantedPort {
  port: number;
  protocol: PortRecord['protocol'];
  /** Input field that named it. */
  field: string;
  organizationId: string;
  /** Null: this server. */
  serverId: string | null;
  /** Who has it already and keeps it. */
  holderId: string;
}

/** Ports of the servers, whoever publishes them. */
export interface PublishedPorts {
  /**
   * CONFLICT when the port is reserved, or another service has it; its holder is named only within the
   * organization (decisions 10).
   */
  requireFree(wanted: WantedPort): Promise<void>;
}

export interface Ports {
  /**
   * What the mode asked for becomes on the application's server; asks the server, so it stays outside
   * transactions.
   */
  publishing(wanted: PublishMode, applicationId: string): Promise<Publishing>;
  /** CONFLICT for a reserved or taken port. */
  create(organizationId: string, applicationId: string, input: PortInput): Promise<PortRecord>;
  one(portId: string, organizationId: string): Promise<PortRecord>;
  /** Newest first. */
  byApplication(applicationId: string, organizationId: string): Promise<PortRecord[]>;
  update(
    portId: string,
    organizationId: string,
    patch: { [K in keyof PortInput]?: PortInput[K] | undefined },
  ): Promise<PortRecord>;
  remove(portId: string, organizationId: string): Promise<PortRecord>;
}

export function createPublishedPorts(store: PortStore, ownPorts: readonly number[]): PublishedPorts {
  return {
    async requireFree({ port, protocol, field, organizationId, serverId, holderId }) {
      parsePublishedPort(port, field, ownPorts);
      const holder = (await store.holders(port, protocol)).find(
        (other) => other.holderId !== holderId && other.serverId === serverId,
      );
      if (!holder) return;
      const who =
        holder.organizationId === organizationId
          ? `the ${holder.kind} ${holder.name}`
          : 'another service on this server';
      throw new AppError(
        'CONFLICT',
        `Port ${port}/${protocol} is already published by ${who}. Choose another one.`,
        { issues: [{ path: field, message: `is taken by ${who}` }] },
      );
    },
  };
}

export function createPorts(store: PortStore, { clock, ownPorts, meshWorks }: PortEffects): Ports {
  const published = createPublishedPorts(store, ownPorts);
  return {
    one: (portId, organizationId) => one(store, portId, organizationId),
    async publishing(wanted, applicationId) {
      if (wanted === 'host' || (await meshWorks(await store.serverKeyOf(applicationId))))
        return { publishMode: wanted, notice: null };
      return {
        publishMode: 'host',
        notice:
          'The routing mesh does not work on this server, so the port is published in host mode: on the ' +
          'server of the task only, and a new version replaces the old one stop-first.',
      };
    },
    async create(organizationId, applicationId, input) {
      const record: PortRecord = {
        portId: randomId(),
        organizationId,
        applicationId,
        ...input,
        serverKey: await store.serverKeyOf(applicationId),
        createdAt: isoTime(clock),
      };
      await check(published, record);
      await refuseSecondHostPort(store, record);
      await store.insert(record);
      return record;
    },
    byApplication: (applicationId, organizationId) =>
      store.list({ applicationId, organizationId }, { by: ['createdAt', 'portId'], direction: 'desc' }),
    async update(portId, organizationId, patch) {
      const present = await one(store, portId, organizationId);
      const changed: PortRecord = {
        ...present,
        publishedPort: patch.publishedPort ?? present.publishedPort,
        targetPort: patch.targetPort ?? present.targetPort,
        protocol: patch.protocol ?? present.protocol,
        publishMode: patch.publishMode ?? present.publishMode,
      };
      await check(published, changed);
      await refuseSecondHostPort(store, changed);
      await store.update({ portId, organizationId }, changed);
      return changed;
    },
    async remove(portId, organizationId) {
      const present = await one(store, portId, organizationId);
      await store.remove({ portId, organizationId });
      return present;
    },
  };
}

async function one(store: PortStore, portId: string, organizationId: string): Promise<PortRecord> {
  const record = await store.find({ portId, organizationId });
  if (!record) throw new AppError('NOT_FOUND', 'There is no such port. It may have been removed.');
  return record;
}

/** Of two published ports on one target the engine keeps the last when both are in host mode. */
async function refuseSecondHostPort(store: PortStore, record: PortRecord): Promise<void> {
  const { applicationId, organizationId, targetPort, protocol, publishMode } = record;
  if (publishMode !== 'host') return;
  const same = { applicationId, organizationId, targetPort, protocol, publishMode };
  const other = (await store.list(same)).find(({ portId }) => portId !== record.portId);
  if (other === undefined) return;
  const why = `is published as ${other.publishedPort} in host mode already (port ${other.portId})`;
  throw new AppError(
    'CONFLICT',
    `Port ${targetPort}/${protocol} of the application ${why}, and the engine would keep only one of ` +
      'the two. Change that one with port.update, let the application listen on a second port, or use ' +
      'publishMode ingress where the routing mesh works.',
    { issues: [{ path: 'targetPort', message: why }] },
  );
}

async function check(published: PublishedPorts, record: PortRecord): Promise<void> {
  parsePort(record.targetPort, 'targetPort');
  const { publishedPort: port, protocol, organizationId, serverKey, portId: holderId } = record;
  await published.requireFree({
    port,
    protocol,
    field: 'publishedPort',
    organizationId,
    serverId: serverIdOf(serverKey),
    holderId,
  });
}
