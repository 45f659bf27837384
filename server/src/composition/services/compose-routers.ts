/** Routers of compose services, of backups and where they go. */
import { backupHandlers } from '../../modules/backup/handlers.ts';
import { volumeBackupHandlers } from '../../modules/backup/volumes/handlers.ts';
import { createComposeApprovals } from '../../modules/compose/approvals.ts';
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
  return [
    router(
      'compose',
      contracts.compose,
      composeHandlers({
        composes,
        deployments,
        hosts,
        queue,
        runtime: runningComposes.runtime,
        logs: adapters.logs,
        leaveSchedules: (composeId) => parts.scheduling.desk.schedules.leaving({ composeId }),
        interruption,
        isInstallations: parts.accounts.organizations.isFirst,
        approvals: createComposeApprovals({
          composes,
          hostReach: parts.hostReach,
          envBlocks: runningComposes.envBlocks,
        }),
        envBlocks: runningComposes.envBlocks,
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

function movingOf({ domains, runningComposes, settings, stores }: AppParts): ComposeMovingNeighbours {
  return {
    server: (serverId, organizationId) => stores.servers.find({ serverId, organizationId }),
    requireServer: requirePlaceOn(stores.servers, settings.requireServer),
    domains,
    mounts: (composeId) => stores.mounts.list({ composeId }),
    released: runningComposes.liveServices,
  };
}
