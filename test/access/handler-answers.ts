/** What handlers answer to a good input in a world without an engine, where that is not 200. */
import { databaseKindNames } from '../../server/src/domain/database-kind.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';

const engineIsDown = [503];

const answers: Readonly<Record<string, readonly number[]>> = {
  // Only people of the installation's first organization may, unless its setting says otherwise.
  'organization.create': [200, 403],
  // It is the installation's own, so the second caller of the run meets the first one's name.
  'certificateResolver.create': [200, 409],
  // Every organization has something in it.
  'organization.delete': [412],
  // It is the installation's own.
  'organization.setTrusted': [412],
  // Its host key is not known yet.
  'server.setTrusted': [412],
  // Nothing waits.
  'compose.approve': [409],
  // The last Owner of an organization stays.
  'user.delete': [200, 412],
  // One person has a second factor, and nobody a secret that waits for its first code.
  'user.twoFactorSetUp': [200, 412],
  'user.twoFactorConfirm': [412],
  'user.twoFactorDisable': [200, 412],
  'user.twoFactorNewRecoveryCodes': [200, 412],
  'application.start': [412],
  'application.stop': engineIsDown,
  'application.reload': [412],
  'application.restart': [412],
  'application.redeploy': [412],
  // It has previews.
  'application.moveToServer': [412],
  'application.cancelDeployment': [412],
  'application.delete': engineIsDown,
  // Only of those on other servers is it a later version's work.
  'application.deploy': [200],
  'application.dropDeployment': [200],
  'application.run': [412],
  'application.cleanQueues': engineIsDown,
  'application.readLogs': engineIsDown,
  'application.logs': engineIsDown,
  'compose.logs': engineIsDown,
  'previewDeployment.logs': engineIsDown,
  'deployment.rollback': [412],
  'domain.create': engineIsDown,
  'domain.update': engineIsDown,
  'domain.delete': engineIsDown,
  'container.getContainers': engineIsDown,
  'container.restartContainer': engineIsDown,
  'container.getConfig': engineIsDown,
  'container.logs': engineIsDown,
  // No task of it ended.
  'service.endedOutput': [404],
  'container.getContainersByAppNameMatch': engineIsDown,
  'container.getContainersByAppLabel': engineIsDown,
  'container.getStackContainersByAppName': engineIsDown,
  'container.getServiceContainersByAppName': engineIsDown,
  ...Object.fromEntries(
    ['tables', 'rows', 'query', 'statements', 'keys', 'value'].map((name) => [
      `database.${name}`,
      [412, 503],
    ]),
  ),
  'swarm.getNodes': engineIsDown,
  'swarm.getNodeInfo': engineIsDown,
  'swarm.getNodeApps': engineIsDown,
  ...Object.fromEntries(
    databaseKindNames.flatMap((kind) => [
      [`${kind}.start`, [412]],
      [`${kind}.reload`, [412]],
      [`${kind}.remove`, [200]],
      [`${kind}.deploy`, [200]],
      [`${kind}.rebuild`, [200]],
      [`${kind}.upgrade`, [412]],
      [`${kind}.removeFormerVolume`, [400]],
      ...['stop', 'readLogs', 'logs'].map((name): [string, readonly number[]] => [
        `${kind}.${name}`,
        engineIsDown,
      ]),
    ]),
  ),
  'cleanup.preview': engineIsDown,
  'cleanup.run': engineIsDown,
  'cleanup.others': engineIsDown,
  'cleanup.removeUnknown': [404],
  'cleanup.keptVolumes': engineIsDown,
  'cleanup.removeKeptVolume': engineIsDown,
  'redirect.create': engineIsDown,
  'redirect.update': engineIsDown,
  'redirect.delete': engineIsDown,
  'basicAuth.create': engineIsDown,
  'basicAuth.update': engineIsDown,
  'basicAuth.delete': engineIsDown,
  'previewDeployment.delete': engineIsDown,
  // The application is built from no repository, so it has no branches.
  'previewDeployment.create': [400],
  // No pull request waits.
  'previewDeployment.approve': [404],
  'previewDeployment.redeploy': [200],
  'previewDeployment.start': [412],
  'previewDeployment.stop': engineIsDown,
  // Asked by an organization that loopback's closed ports are not told to.
  // No App was made: GitHub does not know the code, or is not there.
  'gitProvider.createFromManifest': [412, 503],
  'gitProvider.testConnection': [412],
  'gitProvider.repositories': engineIsDown,
  'gitProvider.branches': engineIsDown,
  // The backup of the fixtures is of mysql.
  'backup.manualBackupMySql': [412],
  'backup.verify': [412],
  // It was never switched on.
  'backup.restoreToMoment': [412],
  // Nothing of it is stored.
  'backup.branch': [400, 412],
  // Its repository does not answer, or may not be asked.
  'templateCatalogue.create': [400, 412, 503],
  'templateCatalogue.refresh': [400, 412, 503],
  // There is no newer template.
  'template.apply': [412],
  // No restore and no move left a former state.
  'backup.undoRestore': [412],
  'backup.useFormerVolume': [412],
  // Its runs have ended.
  'backup.cancel': [412],
  'backup.listFiles': engineIsDown,
  // Nothing of it was ever restored.
  'volumeBackup.removeFormerVolume': [400],
  'volumeBackup.useKeptVolume': engineIsDown,
  'destination.testConnection': engineIsDown,
  'notification.test': [412],
  'logDrain.test': [412, 503],
  'dnsProvider.test': [412, 503],
  'domain.planRecords': [412],
  'domain.applyRecords': [412],
  'dnsProvider.create': [200, 409],
  'certificateOrder.create': [200, 409],
  'backup.manualBackupMariadb': [400],
  'backup.manualBackupPostgres': [400],
  'backup.manualBackupMongo': [400],
  // Nothing is set up to be backed up.
  'installationBackup.run': [412],
  'compose.delete': [200],
  'compose.check': [200],
  'compose.loadServices': [200],
  'compose.deploy': [200],
  'compose.redeploy': [412],
  'compose.start': [412],
  'compose.stop': engineIsDown,
  'compose.readLogs': engineIsDown,
  'compose.cleanQueues': [200],
  'port.create': [200, 503],
  'port.update': [200, 503],
  'registry.test': [412],
  // The key of the server of the fixtures opens nothing.
  'server.validate': [412],
  'server.security': [412],
  'server.setupMonitoring': [412],
  'server.getServerMetrics': [412],
  'cluster.nodes': [412],
  // It is no node of a cluster, and no other server is set up.
  'cluster.join': [400],
  'cluster.drain': [400],
  'cluster.activate': [400],
  'cluster.promote': [400],
  'cluster.demote': [400],
  'cluster.leave': [400],
  'cluster.remove': [400],
  // It has no monitoring.
  'server.metrics': [412],
};

export function handlerAnswers({ path }: NamedProcedure): readonly number[] {
  return answers[path] ?? [200];
}
