/** What variables of a service can refer to: blocks of its project and environment, and other services. */
import type { SurroundingBlocksOf } from '../context.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { mayReferTo, previewOf, serviceReferences, type ReferenceParts } from './service-references.ts';

interface SurroundingStores {
  branches: { list: ReferenceParts['branches'] };
  databases: { list: ReferenceParts['databases'] };
  applications: { list: ReferenceParts['applications'] };
  composes: { list: ReferenceParts['composes'] };
  servers: { find(where: { serverId: string }): Promise<{ name: string } | undefined> };
  environments: {
    find(where: { environmentId: string }): Promise<{ projectId: string; env: string } | undefined>;
  };
  projects: { find(where: { projectId: string }): Promise<{ env: string } | undefined> };
}

export function surroundingBlocks(
  stores: SurroundingStores,
  { connectionOf, serverAddress }: Pick<ReferenceParts, 'connectionOf' | 'serverAddress'>,
): SurroundingBlocksOf {
  const parts = {
    databases: stores.databases.list,
    applications: stores.applications.list,
    composes: stores.composes.list,
    branches: stores.branches.list,
    connectionOf,
    serverAddress,
    serverName: async (serverKey: string) =>
      serverKey === localServer
        ? "Berth's own server"
        : `the server ${(await stores.servers.find({ serverId: serverKey }))?.name ?? serverKey}`,
  };
  async function read(environmentId: string): Promise<{ project: string; environment: string }> {
    const environment = await stores.environments.find({ environmentId });
    const project = environment && (await stores.projects.find({ projectId: environment.projectId }));
    return { project: project?.env ?? '', environment: environment?.env ?? '' };
  }
  return async (consumer, own, known) => {
    // Variables of project and environment may be as secret as those of the service itself.
    const blocks =
      previewOf(consumer)?.isTrusted === false
        ? { project: '', environment: '' }
        : (known ?? (await read(consumer.environmentId)));
    return mayReferTo([blocks.project, blocks.environment, ...own])
      ? { ...blocks, services: await serviceReferences(parts, consumer) }
      : blocks;
  };
}
