/** Whether a compose service may go to another server. */
import { AppError, badField } from '../../domain/errors.ts';
import type { ComposeRecord, TableRecord } from '../../db/tables.ts';
import { serverIdOf, serverKeyOf } from '../../domain/names/server-key.ts';
import type { Domains, Reaches } from '../domain/domain.ts';
import type { LiveService } from './runtime.ts';

export interface ComposeMovingNeighbours {
  server(serverId: string, organizationId: string): Promise<TableRecord<'server'> | undefined>;
  requireServer(serverId: string | null | undefined, organizationId: string): Promise<void>;
  mounts(composeId: string): Promise<Pick<TableRecord<'mount'>, 'type' | 'mountPath'>[]>;
  /** What its live release runs. */
  released(compose: ComposeRecord): Promise<LiveService[]>;
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
  { mounts, released }: Pick<ComposeMovingNeighbours, 'mounts' | 'released'>,
  compose: ComposeRecord,
): Promise<void> {
  const held = (await mounts(compose.composeId)).find(({ type }) => type !== 'file');
  if (held) throw keepsData(compose, `the ${held.type} at ${held.mountPath}`);
  for (const { service, spec } of await released(compose))
    if (spec.mounts.some(({ type }) => type === 'volume')) throw keepsData(compose, `a volume of ${service}`);
}

export interface ComposePlacing {
  composes: {
    transaction<T>(work: () => Promise<T>): Promise<T>;
    update(where: { composeId: string }, patch: { serverId: string | null }): Promise<unknown>;
  };
  domains: Pick<Domains, 'moveTo'>;
}

/** The compose service and its domains stand on this server from now on: all of them, or none. */
export function placeCompose({
  composes,
  domains,
}: ComposePlacing): (composeId: string, serverKey: string) => Promise<void> {
  return (composeId, serverKey) =>
    composes.transaction(async () => {
      await composes.update({ composeId }, { serverId: serverIdOf(serverKey) });
      await domains.moveTo({ composeId }, serverKey);
    });
}

/** What a compose service may not have that moves. */
export const keepsData = ({ name }: Pick<ComposeRecord, 'name'>, what: string): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    `${name} keeps data on its server (${what}), which does not move with it. Create it anew ` +
      'on the other server and copy the data, by a backup of the volume for one.',
  );
