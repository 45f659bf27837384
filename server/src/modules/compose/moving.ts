/** Whether a compose service may go to another server. */
import { badField } from '../../domain/errors.ts';
import type { ComposeRecord, TableRecord } from '../../db/tables.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Domains, Reaches } from '../domain/domain.ts';

export interface ComposeMovingNeighbours {
  server(serverId: string, organizationId: string): Promise<TableRecord<'server'> | undefined>;
  requireServer(serverId: string | null | undefined, organizationId: string): Promise<void>;
  /** PRECONDITION_FAILED for one that keeps data on its server. */
  requireNoData(compose: ComposeRecord): Promise<void>;
  domains: Pick<Domains, 'requireFreeOn'>;
}

/** Gives how sentences name the server that it may go to. */
export async function requireComposeMovable(
  neighbours: ComposeMovingNeighbours,
  compose: ComposeRecord,
  serverId: string | null,
  reaches: Reaches,
): Promise<string> {
  const { composeId, organizationId, name, liveDeploymentId } = compose;
  await neighbours.requireServer(serverId, organizationId);
  if (serverId === compose.serverId) throw badField('serverId', `names the server that ${name} is on`);
  const server = serverId === null ? undefined : await neighbours.server(serverId, organizationId);
  if (liveDeploymentId !== null && server && server.status !== 'active')
    throw badField(
      'serverId',
      `names ${server.name}, which is not set up yet; set it up with server.setup first`,
    );
  await neighbours.requireNoData(compose);
  await neighbours.domains.requireFreeOn({ composeId }, serverKeyOf({ serverId }), reaches);
  return server?.name ?? "Berth's own machine";
}
