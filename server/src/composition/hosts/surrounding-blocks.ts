/** What variables of a service see besides its own: blocks of project and environment, services beside it. */
import type { SurroundingBlocksOf } from '../../deploy/context.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { mayReferTo, serviceReferences } from '../../deploy/inputs/service-references.ts';
import { connectionOf } from '../../modules/database/connection.ts';
import type { SettingsService } from '../../modules/settings/settings.ts';
import { serverAddressOf } from './server-address.ts';
import type { Stores } from '../stores.ts';

export function surroundingBlocks(
  stores: Stores,
  settings: Pick<SettingsService, 'get'>,
): SurroundingBlocksOf {
  const parts = {
    databases: (place: Place) => stores.databases.list(place),
    applications: (place: Place) => stores.applications.list(place),
    composes: (place: Place) => stores.composes.list(place),
    connectionOf,
    serverAddress: serverAddressOf(stores, settings),
    serverName: async (serverKey: string) =>
      serverKey === localServer
        ? "Berth's own server"
        : `the server ${(await stores.servers.find({ serverId: serverKey }))?.name ?? serverKey}`,
  };
  return async (consumer, own) => {
    const { environmentId } = consumer;
    const environment = await stores.environments.find({ environmentId });
    const project = environment && (await stores.projects.find({ projectId: environment.projectId }));
    const blocks = { project: project?.env ?? '', environment: environment?.env ?? '' };
    return mayReferTo([blocks.project, blocks.environment, ...own])
      ? { ...blocks, services: await serviceReferences(parts, consumer) }
      : blocks;
  };
}

interface Place {
  organizationId: string;
  environmentId: string;
}
