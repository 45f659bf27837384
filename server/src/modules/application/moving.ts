/** Whether an application may move to another server, and the change of its records when it does. */
import { AppError, badField } from '../../domain/errors.ts';
import type { ApplicationRecord, TableRecord } from '../../db/tables.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Domains, Reaches } from '../domain/domain.ts';
import { requireLowPortsAllowed } from '../host-reach/host-reach.ts';
import type { PublishedPorts } from '../port/port.ts';

export interface MovingNeighbours {
  server(serverId: string, organizationId: string): Promise<TableRecord<'server'> | undefined>;
  requireServer(serverId: string | null | undefined, organizationId: string): Promise<void>;
  mounts(applicationId: string): Promise<Pick<TableRecord<'mount'>, 'type' | 'mountPath'>[]>;
  ports(applicationId: string): Promise<TableRecord<'port'>[]>;
  published: PublishedPorts;
  previews(applicationId: string): Promise<unknown[]>;
  domains: Pick<Domains, 'requireFreeOn'>;
}

/** What the caller who moves it may do. */
export interface Mover {
  reaches: Reaches;
  hasHostReach(): Promise<boolean>;
}

/**
 * Throws what keeps the application from moving to the server (null: Berth's own machine): BAD_REQUEST for a
 * server that cannot take it, PRECONDITION_FAILED for what has to be removed first, FORBIDDEN and CONFLICT
 * for its ports and domains. Gives the name of the server for sentences.
 */
export async function requireMovable(
  neighbours: MovingNeighbours,
  application: ApplicationRecord,
  serverId: string | null,
  { reaches, hasHostReach }: Mover,
): Promise<string> {
  const { applicationId, organizationId, name, liveDeploymentId } = application;
  await neighbours.requireServer(serverId, organizationId);
  if (serverId === application.serverId) throw badField('serverId', `names the server that ${name} is on`);
  const server = serverId === null ? undefined : await neighbours.server(serverId, organizationId);
  // Before its first release it has neither tasks nor data, so the server need not be set up yet.
  const isReleased = liveDeploymentId !== null;
  if (isReleased && server && server.status !== 'active')
    throw badField(
      'serverId',
      `names ${server.name}, which is not set up yet; set it up with server.setup first`,
    );
  const kept = (await neighbours.mounts(applicationId)).find(
    ({ type }) => type === 'bind' || (isReleased && type !== 'file'),
  );
  if (kept)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${name} keeps data on its server (the ${kept.type} at ${kept.mountPath}), which does not move with ` +
        'it. Remove that mount first, or copy the data and create the application again on the other server.',
    );
  if ((await neighbours.previews(applicationId)).length > 0)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${name} has previews, which run on its server. Remove them first; the next push creates them again.`,
    );
  const ports = await neighbours.ports(applicationId);
  await requireLowPortsAllowed(
    name,
    ports.map(({ publishedPort: published, protocol }) => ({ published, protocol })),
    hasHostReach,
  );
  for (const { portId, publishedPort: port, protocol } of ports)
    await neighbours.published.requireFree({
      port,
      protocol,
      field: 'serverId',
      organizationId,
      serverId,
      holderId: portId,
    });
  await neighbours.domains.requireFreeOn({ applicationId }, serverKeyOf({ serverId }), reaches);
  return server?.name ?? "Berth's own machine";
}

export interface PlacingParts {
  applications: {
    transaction<T>(work: () => Promise<T>): Promise<T>;
    update(where: { applicationId: string }, patch: { serverId: string | null }): Promise<unknown>;
  };
  ports: { update(where: { applicationId: string }, patch: { serverKey: string }): Promise<unknown> };
  domains: Pick<Domains, 'moveTo'>;
}

/** Records that the application, its ports and its domains are on this server: all of them, or none. */
export function placeApplication({
  applications,
  ports,
  domains,
}: PlacingParts): (applicationId: string, serverId: string | null) => Promise<void> {
  return (applicationId, serverId) =>
    applications.transaction(async () => {
      const serverKey = serverKeyOf({ serverId });
      await applications.update({ applicationId }, { serverId });
      await ports.update({ applicationId }, { serverKey });
      await domains.moveTo({ applicationId }, serverKey);
    });
}
