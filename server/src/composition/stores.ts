/** Every store on one database. */
import { createLeavingStore, createUnfinishedDeletionStore } from '../modules/unfinished-deletion/store.ts';
import type { Database } from '../db/database.ts';
import { createSlotStore } from '../jobs/slot-store.ts';
import { createJobStore } from '../jobs/store.ts';
import { createAlarmStore } from '../modules/alarm/store.ts';
import { createApplicationStore } from '../modules/application/store.ts';
import { createAuditStore } from '../modules/audit/store.ts';
import {
  createBackupRunStore,
  createBackupStore,
  createBranchStore,
  createCoverageStore,
  createRecoveryStore,
} from '../modules/backup/store.ts';
import { createBasicAuthStore } from '../modules/basic-auth/store.ts';
import { createCertificateStore } from '../modules/certificate/store.ts';
import { createOrderStore } from '../modules/certificate-order/store.ts';
import { createResolverStore } from '../modules/certificate-resolver/store.ts';
import { createComposeStore } from '../modules/compose/store.ts';
import { createBaseDomainStore } from '../modules/base-domain/store.ts';
import { createDatabaseStore } from '../modules/database/store.ts';
import { createDeploymentStore } from '../modules/deployment/store.ts';
import { createDestinationStore } from '../modules/destination/store.ts';
import { createDnsProviderStore } from '../modules/dns-provider/store.ts';
import { createDnsRecordStore } from '../modules/dns-record/store.ts';
import { createDomainStore, createRequestStore } from '../modules/domain/store.ts';
import { createEnvironmentStore } from '../modules/environment/store.ts';
import { createEventStore } from '../modules/event/store.ts';
import { createGitProviderStore } from '../modules/git-provider/store.ts';
import { createHostReachStore } from '../modules/host-reach/store.ts';
import { createImageStore } from '../modules/image/store.ts';
import { createIssuanceStore } from '../modules/issuance/store.ts';
import { createMetricsStore } from '../modules/metrics/store.ts';
import { createMountStore } from '../modules/mount/store.ts';
import { createInstallationStore, createKnownThings } from '../modules/installation/store.ts';
import { createLogDrainStore } from '../modules/log-drain/store.ts';
import { createNotificationStore } from '../modules/notification/store.ts';
import {
  createInvitationStore,
  createMemberStore,
  createOrganizationStore,
} from '../modules/organization/store.ts';
import { createDiskStore, createStoppedWriters } from '../modules/disk-quota/store.ts';
import { createQuotaStore } from '../modules/quota/store.ts';
import { createPlatformServiceStore } from '../modules/platform-service/store.ts';
import { createPortStore } from '../modules/port/store.ts';
import {
  createComposePreviewStore,
  createHeldPullRequestStore,
  createPreviewDatabaseReads,
  createPreviewDeploymentStore,
  createPullRequestStateStore,
} from '../modules/preview-deployment/store.ts';
import { createProjectStore } from '../modules/project/store.ts';
import { createRedirectStore } from '../modules/redirect/store.ts';
import { createRegistryStore } from '../modules/registry/store.ts';
import { createFindScope } from '../modules/scope/store.ts';
import { createScheduleStore } from '../modules/schedule/store.ts';
import { createOwnsServer, createServerStore } from '../modules/server/store.ts';
import { createServiceReads, createServiceRows, createServiceStore } from '../modules/service/store.ts';
import { createServiceNameStore } from '../modules/service-name/store.ts';
import { createSettingsStore } from '../modules/settings/store.ts';
import { createSightStore } from '../modules/sight/store.ts';
import { createTemplateCatalogueStore } from '../modules/template-catalogue/store.ts';
import { createSshKeyStore } from '../modules/ssh-key/store.ts';
import { createReceiptStore, createWebhookStore } from '../modules/webhook/store.ts';
import { createUserStore } from '../modules/user/store.ts';

export type Stores = ReturnType<typeof createStores>;

export function createStores(database: Database) {
  return {
    users: createUserStore(database),
    organizations: createOrganizationStore(database),
    members: createMemberStore(database),
    quotas: createQuotaStore(database),
    disk: createDiskStore(database),
    diskWriters: createStoppedWriters(database),
    logDrains: createLogDrainStore(database),
    notifications: createNotificationStore(database),
    schedules: createScheduleStore(database),
    alarms: createAlarmStore(database),
    metrics: createMetricsStore(database),
    invitations: createInvitationStore(database),
    projects: createProjectStore(database),
    environments: createEnvironmentStore(database),
    serviceNames: createServiceNameStore(database),
    applications: createApplicationStore(database),
    databases: createDatabaseStore(database),
    composes: createComposeStore(database),
    unfinishedDeletions: createUnfinishedDeletionStore(database),
    leaving: createLeavingStore(database),
    services: createServiceStore(database),
    serviceReads: createServiceReads(database),
    serviceRows: createServiceRows(database),
    deployments: createDeploymentStore(database),
    domains: createDomainStore(database),
    requests: createRequestStore(database),
    issuance: (serverKey: string) => createIssuanceStore(database, serverKey),
    ports: createPortStore(database),
    mounts: createMountStore(database),
    hostReach: createHostReachStore(database),
    images: createImageStore(database),
    platformServices: createPlatformServiceStore(database),
    installation: createInstallationStore(database),
    knownThings: createKnownThings(database),
    ...previewStores(database),
    gitProviders: createGitProviderStore(database),
    webhooks: createWebhookStore(database),
    webhookReceipts: createReceiptStore(database),
    redirects: createRedirectStore(database),
    basicAuths: createBasicAuthStore(database),
    sshKeys: createSshKeyStore(database),
    templateCatalogues: createTemplateCatalogueStore(database),
    registries: createRegistryStore(database),
    servers: createServerStore(database),
    ownsServer: createOwnsServer(database),
    ...certificateStores(database),
    destinations: createDestinationStore(database),
    sight: createSightStore(database),
    ...backupStores(database),
    settings: createSettingsStore(database),
    audit: createAuditStore(database),
    events: createEventStore(database),
    jobs: createJobStore(database),
    buildSlots: createSlotStore(database),
    findScope: createFindScope(database),
  };
}

const certificateStores = (database: Database) => ({
  baseDomains: createBaseDomainStore(database),
  certificates: createCertificateStore(database),
  certificateResolvers: createResolverStore(database),
  certificateOrders: createOrderStore(database),
  dnsProviders: createDnsProviderStore(database),
  dnsRecords: createDnsRecordStore(database),
});

const backupStores = (database: Database) => ({
  backups: createBackupStore(database),
  backupRuns: createBackupRunStore(database),
  recovery: createRecoveryStore(database),
  coverage: createCoverageStore(database),
  branches: createBranchStore(database),
});

const previewStores = (database: Database) => ({
  previewDeployments: createPreviewDeploymentStore(database),
  composePreviews: createComposePreviewStore(database),
  previewDatabases: createPreviewDatabaseReads(database),
  pullRequestStates: createPullRequestStateStore(database),
  heldPullRequests: createHeldPullRequestStore(database),
});
