/** Every row of the conformance suite. */
import { applicationRows, deploymentRows } from './rows/application.ts';
import { backupRows } from './rows/backup.ts';
import { composeRows } from './rows/compose.ts';
import { databaseRows } from './rows/database.ts';
import { containerRows, swarmRows } from './rows/engine.ts';
import { organizationRows } from './rows/organization.ts';
import { environmentRows, projectRows } from './rows/places.ts';
import { basicAuthRows, domainRows, mountRows, portRows, redirectRows } from './rows/routing.ts';
import { auditRows, certificateResolverRows, certificateRows, destinationRows, previewDeploymentRows, registryRows, serverRows, settingsRows, sshKeyRows } from './rows/shared.ts';
import { userRows } from './rows/user.ts';
import type { Rows } from './row.ts';

export const rows: Rows = [
  ...userRows, ...organizationRows, ...projectRows, ...environmentRows, ...applicationRows, ...deploymentRows, ...previewDeploymentRows, ...domainRows, ...portRows, ...mountRows, ...redirectRows, ...basicAuthRows,
  ...databaseRows, ...backupRows, ...destinationRows, ...composeRows, ...serverRows, ...certificateRows, ...certificateResolverRows, ...sshKeyRows, ...registryRows, ...containerRows, ...swarmRows, ...settingsRows, ...auditRows,
];
