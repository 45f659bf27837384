/** Which servers a cluster can be made of. */
import { AppError, badField } from '../../domain/errors.ts';
import type { ClusterParts, ServerRecord } from './parts.ts';

/** BAD_REQUEST naming the field, PRECONDITION_FAILED for what depends on the node's own swarm. */
export async function refuseUnfit(
  { servers }: ClusterParts,
  head: ServerRecord,
  node: ServerRecord,
): Promise<void> {
  if (head.serverId === node.serverId)
    throw badField('nodeServerId', 'names the server of the cluster itself; name another one');
  if (head.clusterServerId !== null)
    throw badField('serverId', `names ${head.name}, which is a node of another server's cluster itself`);
  for (const [field, { name, serverType, status }] of [
    ['serverId', head],
    ['nodeServerId', node],
  ] as const) {
    if (serverType === 'build')
      throw badField(field, `names ${name}, a build server, which runs no services`);
    if (status !== 'active') throw badField(field, `names ${name}, which is not set up yet (server.setup)`);
  }
  if (node.clusterServerId !== null && node.clusterServerId !== head.serverId)
    throw badField('nodeServerId', `names ${node.name}, a node of another cluster; make it leave that first`);
  if (node.clusterServerId !== null) return;
  const [own, services, certificates] = await Promise.all([
    servers.list({ clusterServerId: node.serverId }),
    servers.countServices(node.organizationId),
    servers.countCertificates(node.serverId),
  ]);
  const holds: [number, string][] = [
    [services.get(node.serverId) ?? 0, 'services'],
    [certificates, 'certificates'],
    [own.length, 'nodes of its own cluster'],
  ];
  for (const [count, what] of holds)
    if (count > 0)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The server ${node.name} gives up its own swarm when it joins another, and ${count} ${what} depend ` +
          'on it. Move or remove them first.',
      );
}
