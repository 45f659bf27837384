/** Whether a database may go to another server. */
import { AppError, badField } from '../../domain/errors.ts';
import type { DatabaseRecord, TableRecord } from '../../db/tables.ts';
import { requireLowPortsAllowed } from '../host-reach/host-reach.ts';
import type { PublishedPorts } from '../port/port.ts';
import { portTaken } from './runtime.ts';

export interface DatabaseMovingNeighbours {
  server(serverId: string, organizationId: string): Promise<TableRecord<'server'> | undefined>;
  requireServer(serverId: string | null | undefined, organizationId: string): Promise<void>;
  mounts(databaseId: string): Promise<Pick<TableRecord<'mount'>, 'type' | 'mountPath'>[]>;
  published: PublishedPorts;
  /** Whether nothing on that server listens on the port. */
  isPortFree(serverId: string | null, port: number): Promise<boolean>;
}

/** Gives how sentences name the server that it may go to. */
export async function requireDatabaseMovable(
  neighbours: DatabaseMovingNeighbours,
  database: DatabaseRecord,
  serverId: string | null,
  hasHostReach: () => Promise<boolean>,
): Promise<string> {
  const { databaseId, organizationId, name, liveDeploymentId, externalPort: port } = database;
  await neighbours.requireServer(serverId, organizationId);
  if (serverId === database.serverId) throw badField('serverId', `names the server that ${name} is on`);
  const server = serverId === null ? undefined : await neighbours.server(serverId, organizationId);
  // Nothing of it is anywhere yet: it may wait for a server as a new one does.
  const isReleased = liveDeploymentId !== null;
  if (isReleased && server && server.status !== 'active')
    throw badField(
      'serverId',
      `names ${server.name}, which is not set up yet; set it up with server.setup first`,
    );
  const held = (await neighbours.mounts(databaseId)).find(({ type }) => type !== 'file');
  if (held)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${name} has the ${held.type} at ${held.mountPath} besides its data, which does not move with it. ` +
        'Remove that mount first, or copy what it holds and make it anew on the other server.',
    );
  if (port !== null) {
    await requireLowPortsAllowed(name, [{ published: port, protocol: 'tcp' }], hasHostReach);
    const wanted = { port, protocol: 'tcp', field: 'serverId', organizationId, serverId } as const;
    await neighbours.published.requireFree({ ...wanted, holderId: databaseId });
    if (isReleased && !(await neighbours.isPortFree(serverId, port))) throw portTaken(port);
  }
  return server?.name ?? "Berth's own machine";
}
