/**
 * Every router's contract by its name in the interface: the composition joins them with handlers; OpenAPI,
 * client, CLI and reference walk over them.
 */
import type { Contract } from '../procedure/procedure.ts';
import { alarmContract } from './alarm/contract.ts';
import { applicationContract } from './application/contract.ts';
import { auditContract } from './audit/contract.ts';
import { backupContract } from './backup/contract.ts';
import { installationBackupContract } from './backup/contract-installation.ts';
import { volumeBackupContract } from './backup/contract-volumes.ts';
import { basicAuthContract } from './basic-auth/contract.ts';
import { certificateContract } from './certificate/contract.ts';
import { certificateOrderContract } from './certificate-order/contract.ts';
import { certificateResolverContract } from './certificate-resolver/contract.ts';
import { cleanupContract } from './cleanup/contract.ts';
import { clusterContract } from './cluster/contract.ts';
import { composeContract } from './compose/contract.ts';
import { containerContract } from './container/contract.ts';
import { databaseContract } from './database/contract-browse.ts';
import { databaseContracts } from './database/contract.ts';
import { deploymentContract } from './deployment/contract.ts';
import { destinationContract } from './destination/contract.ts';
import { dnsProviderContract } from './dns-provider/contract.ts';
import { domainContract } from './domain/contract.ts';
import { environmentContract } from './environment/contract.ts';
import { eventContract } from './event/contract.ts';
import { gitProviderContract } from './git-provider/contract.ts';
import { metricsContract } from './metrics/contract.ts';
import { mountContract } from './mount/contract.ts';
import { logDrainContract } from './log-drain/contract.ts';
import { notificationContract } from './notification/contract.ts';
import { organizationContract } from './organization/contract.ts';
import { portContract } from './port/contract.ts';
import { previewDeploymentContract } from './preview-deployment/contract.ts';
import { projectContract } from './project/contract.ts';
import { redirectContract } from './redirect/contract.ts';
import { registryContract } from './registry/contract.ts';
import { scheduleContract } from './schedule/contract.ts';
import { serverContract } from './server/contract.ts';
import { serviceContract } from './service/contract.ts';
import { settingsContract } from './settings/contract.ts';
import { sshKeyContract } from './ssh-key/contract.ts';
import { swarmContract } from './swarm/contract.ts';
import { templateCatalogueContract } from './template-catalogue/contract.ts';
import { templateContract } from './template/contract.ts';
import { userContract } from './user/contract.ts';
import { webhookContract } from './webhook/contract.ts';

export const contracts = {
  user: userContract,
  organization: organizationContract,
  project: projectContract,
  environment: environmentContract,
  service: serviceContract,
  application: applicationContract,
  ...databaseContracts,
  database: databaseContract,
  compose: composeContract,
  deployment: deploymentContract,
  event: eventContract,
  previewDeployment: previewDeploymentContract,
  webhook: webhookContract,
  cleanup: cleanupContract,
  domain: domainContract,
  port: portContract,
  mount: mountContract,
  redirect: redirectContract,
  basicAuth: basicAuthContract,
  sshKey: sshKeyContract,
  gitProvider: gitProviderContract,
  registry: registryContract,
  settings: settingsContract,
  audit: auditContract,
  server: serverContract,
  cluster: clusterContract,
  certificate: certificateContract,
  certificateResolver: certificateResolverContract,
  certificateOrder: certificateOrderContract,
  dnsProvider: dnsProviderContract,
  destination: destinationContract,
  logDrain: logDrainContract,
  notification: notificationContract,
  schedule: scheduleContract,
  alarm: alarmContract,
  metrics: metricsContract,
  container: containerContract,
  swarm: swarmContract,
  template: templateContract,
  templateCatalogue: templateCatalogueContract,
  backup: backupContract,
  volumeBackup: volumeBackupContract,
  installationBackup: installationBackupContract,
} as const satisfies Record<string, Contract>;

export type Contracts = typeof contracts;
