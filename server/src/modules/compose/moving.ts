/** Whether a compose service may go to another server. */
import { badField } from '../../domain/errors.ts';
import type { ComposeRecord, TableRecord } from '../../db/tables.ts';
import { serverIdOf, serverKeyOf } from '../../domain/names/server-key.ts';
import type { Domains, Reaches } from '../domain/domain.ts';
import { keepsData } from './compose.ts';
import type { LiveService } from './runtime.ts';
import type { ComposeStore } from './store.ts';

export interface ComposeMovingNeighbours {
  server(serverId: string, organizationId: string): Promise<TableRecord<'server'> | undefined>;
  requireServer(serverId: string | null | undefined, organizationId: string): Promise<void>;
  mounts(composeId: string): Promise<Pick<TableRecord<'mount'>, 'type' | 'mountPath'>[]>;
  /** Its services as they run. */
  liveServices(compose: ComposeRecord): Promise<LiveService[]>;
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
  await requireNoData(neighbours, compose);
  await neighbours.domains.requireFreeOn({ composeId }, serverKeyOf({ serverId }), reaches);
  return server?.name ?? "Berth's own machine";
}

async function requireNoData(
  { mounts, liveServices }: ComposeMovingNeighbours,
  compose: ComposeRecord,
): Promise<void> {
  const held = (await mounts(compose.composeId)).find(({ type }) => type !== 'file');
  if (held) throw keepsData(compose, `the ${held.type} at ${held.mountPath}`);
  for (const { service, spec } of await liveServices(compose))
    if (spec.mounts.some(({ type }) => type === 'volume')) throw keepsData(compose, `a volume of ${service}`);
}

/** Changes the server of a compose service with its domains; CONFLICT when one may not be there. */
export function placeCompose({
  composes,
  domains,
}: {
  composes: ComposeStore;
  domains: Pick<Domains, 'moveTo'>;
}): (composeId: string, serverKey: string) => Promise<void> {
  return (composeId, serverKey) =>
    composes.transaction(async () => {
      await composes.update({ composeId }, { serverId: serverIdOf(serverKey) });
      await domains.moveTo({ composeId }, serverKey);
    });
}
