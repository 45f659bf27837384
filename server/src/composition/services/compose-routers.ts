/** Routers of compose services, of backups and where they go. */
import { backupHandlers } from '../../modules/backup/handlers.ts';
import { volumeBackupHandlers } from '../../modules/backup/volumes/handlers.ts';
import {
  approveSavedFile,
  createComposeApprovals,
  type ComposeApprovals,
} from '../../modules/compose/approvals.ts';
import { composeHandlers } from '../../modules/compose/handlers.ts';
import { contracts } from '../../modules/contracts.ts';
import { destinationHandlers } from '../../modules/destination/handlers.ts';
import type { Mounts } from '../../modules/mount/mount.ts';
import { environmentOf } from '../../modules/service/service.ts';
import { router, type Router } from '../../procedure/registry.ts';
import type { AppParts } from './app-parts.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import { requireComposeMovable, type ComposeMovingNeighbours } from '../../modules/compose/moving.ts';
import { requirePlaceOn } from '../../modules/server/placing.ts';
import { serverAddressOf, serverIpOf } from '../../modules/server/server-address.ts';
import { createDnsCheck } from '../../modules/domain/dns-check.ts';
import type { FromTemplateDeps } from '../../modules/template/from-template.ts';
import { templateCatalogueHandlers } from '../../modules/template-catalogue/handlers.ts';
import { templateHandlers } from '../../modules/template/handlers.ts';
import { createKnownTemplates } from '../../modules/template/known-templates.ts';
import { createTemplates } from '../../modules/template/template.ts';
import { templatesFolder } from '../product-files.ts';

export function composeRouters(parts: AppParts, mounts: Mounts): Router[] {
  const {
    adapters,
    applications,
    backingUp,
    composes,
    deployments,
    domains,
    hosts,
    members,
    queue,
    reconciler,
    interruption,
    runningComposes,
    settings,
  } = parts;
  const { envBlocks } = runningComposes;
  const approvals = createComposeApprovals({ composes, hostReach: parts.hostReach, envBlocks });
  return [
    ...templateRouters(parts, approvals, mounts),
    router(
      'compose',
      contracts.compose,
      composeHandlers({
        composes,
        deployments,
        unfinished: parts.unfinished,
        hosts,
        queue,
        runtime: runningComposes.runtime,
        logs: adapters.logs,
        removePreviews: parts.previewing.removeAllOfCompose,
        removeDatabases: parts.removeDatabases,
        leaveSchedules: (composeId) => parts.scheduling.desk.schedules.leaving({ composeId }),
        interruption,
        isInstallations: parts.accounts.organizations.isFirst,
        approvals,
        envBlocks,
        checking: runningComposes.checking,
        liveOf: parts.liveOf,
        pendingChanges: parts.pending.compose,
        repositoryFile: runningComposes.repositoryFile,
        members,
        requireServer: requirePlaceOn(parts.stores.servers, settings.requireServer),
        place: runningComposes.ports.records.place,
        requireMovable: (compose, serverId, actor) =>
          requireComposeMovable(movingOf(parts), compose, serverId, reachOf(actor)),
        environment: async (environmentId) => environmentOf(await applications.placement(environmentId)),
        domains: domains.byCompose,
        mounts: mounts.byCompose,
        changeRoutes: reconciler.changeRoutes,
      }),
    ),
    router('destination', contracts.destination, destinationHandlers(backingUp.destinations)),
    router('backup', contracts.backup, backupHandlers(backingUp.desk)),
    router('volumeBackup', contracts.volumeBackup, volumeBackupHandlers(backingUp.volumes)),
  ];
}

const templateRouters = (parts: AppParts, approvals: ComposeApprovals, mounts: Mounts): Router[] => [
  router(
    'templateCatalogue',
    contracts.templateCatalogue,
    templateCatalogueHandlers(parts.templateCatalogues),
  ),
  router(
    'template',
    contracts.template,
    templateHandlers(createKnownTemplates(createTemplates(templatesFolder), parts.templateCatalogues), {
      ...fromTemplateDeps(parts, approvals),
      composes: parts.composes,
      mounts,
      services: parts.stores.serviceReads,
      madeOfTemplates: parts.stores.composes.madeOfTemplates,
      files: (composeId) => parts.stores.mounts.list({ composeId, type: 'file' }),
      domainsOf: parts.domains.byCompose,
    }),
  ),
];

function fromTemplateDeps(parts: AppParts, approvals: ComposeApprovals): Omit<FromTemplateDeps, 'mounts'> {
  const { adapters, clock, composes, deployments, domains, hosts, members, queue, reconciler } = parts;
  const { settings, stores, watch } = parts;
  const dns = createDnsCheck({ names: adapters.names, settings: settings.get });
  return {
    clock,
    composes,
    deployments,
    domains,
    hosts,
    members,
    queue,
    changeRoutes: reconciler.changeRoutes,
    requireServer: requirePlaceOn(stores.servers, settings.requireServer),
    approveSaved: (context, compose) => approveSavedFile(approvals, context, compose),
    serverIp: serverIpOf(serverAddressOf(stores, settings), dns),
    prepareCertificate: (serverKey, host) => watch.issuanceOf(serverKey).prepare(host),
  };
}

function movingOf({ domains, runningComposes, settings, stores }: AppParts): ComposeMovingNeighbours {
  return {
    server: (serverId, organizationId) => stores.servers.find({ serverId, organizationId }),
    requireServer: requirePlaceOn(stores.servers, settings.requireServer),
    domains,
    mounts: (composeId) => stores.mounts.list({ composeId }),
    released: runningComposes.liveServices,
  };
}
