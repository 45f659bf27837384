/** Every row of the conformance suite. */
import { certificateOrderRows, dnsProviderRows } from './rows/dns.ts';
import { logDrainRows } from './rows/log-drain.ts';
import { alarmRows, metricsRows, scheduleRows, templateCatalogueRows, templateRows } from './rows/alerts.ts';
import { applicationRows, deploymentRows } from './rows/application.ts';
import { backupRows } from './rows/backup.ts';
import { volumeBackupRows } from './rows/volume-backup.ts';
import { cleanupRows } from './rows/cleanup.ts';
import { composeRows } from './rows/compose.ts';
import { contentRows, databaseRows } from './rows/database.ts';
import { containerRows, swarmRows } from './rows/engine.ts';
import { organizationRows } from './rows/organization.ts';
import { environmentRows, placedRows, projectRows } from './rows/places.ts';
import { basicAuthRows, domainRows, mountRows, portRows, redirectRows } from './rows/routing.ts';
import {
  auditRows,
  certificateResolverRows,
  certificateRows,
  destinationRows,
  notificationRows,
  gitProviderRows,
  previewDeploymentRows,
  registryRows,
  serverRows,
  settingsRows,
  sshKeyRows,
} from './rows/shared.ts';
import { revisionRows } from './rows/revisions.ts';
import { userRows } from './rows/user.ts';
import type { Row, Rows } from './row.ts';
import { webhookRows } from './rows/webhook.ts';

export const rows: Rows = [
  ...userRows,
  ...organizationRows,
  ...projectRows,
  ...environmentRows,
  ...placedRows,
  ...applicationRows,
  ...deploymentRows,
  ...previewDeploymentRows,
  ...gitProviderRows,
  ...domainRows,
  ...portRows,
  ...mountRows,
  ...redirectRows,
  ...basicAuthRows,
  ...databaseRows,
  ...contentRows,
  ...revisionRows,
  ...backupRows,
  ...volumeBackupRows,
  ...destinationRows,
  ...notificationRows,
  ...dnsProviderRows,
  ...certificateOrderRows,
  ...logDrainRows,
  ...scheduleRows,
  ...alarmRows,
  ...metricsRows,
  ...templateRows,
  ...templateCatalogueRows,
  ...composeRows,
  ...serverRows,
  ...certificateRows,
  ...certificateResolverRows,
  ...sshKeyRows,
  ...registryRows,
  ...containerRows,
  ...swarmRows,
  ...webhookRows,
  ...cleanupRows,
  ...settingsRows,
  ...auditRows,
];

/** The suites that run the rows between them, by what the rows need. */
export const suites = {
  nothing: 'test/conformance/conformance.interface.test.ts',
  engine: 'test/e2e/conformance.e2e.test.ts',
} as const satisfies Record<'nothing' | NonNullable<Row['needs']>, string>;
export type Suite = keyof typeof suites;

/** The rows of a suite. */
export function rowsOf(suite: Suite): Rows {
  return rows.filter(({ needs = 'nothing' }) => needs === suite);
}
