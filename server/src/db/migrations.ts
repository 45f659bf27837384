/**
 * The steps of the schema, in order, the same text for SQLite and PostgreSQL. A landed step is never changed;
 * a new one is appended.
 */
import { sql } from 'kysely';
import { AppError } from '../domain/errors.ts';
import type { Database } from './database.ts';
import { sealedJson } from './values/codec.ts';

export interface Migration {
  /** Counts up by one. */
  version: number;
  name: string;
  /** Statements that both databases understand. */
  sql: string;
  /** Columns of JSON in plain text that are encrypted after it (`secretJson`), by the key of their table. */
  seals?: readonly { table: string; key: string; column: string }[];
}

const serviceConfiguration = `
  "sourceType" TEXT NOT NULL, "buildType" TEXT NOT NULL, "applicationStatus" TEXT NOT NULL,
  "replicas" BIGINT NOT NULL, "env" TEXT NOT NULL, "buildArgs" TEXT, "buildSecrets" TEXT,
  "createEnvFile" BIGINT NOT NULL, "memoryLimit" TEXT, "memoryReservation" TEXT, "cpuLimit" TEXT,
  "cpuReservation" TEXT, "repository" TEXT, "owner" TEXT, "branch" TEXT, "buildPath" TEXT NOT NULL,
  "dockerfile" TEXT NOT NULL, "containerContextPath" TEXT, "containerBuildStage" TEXT,
  "publishDirectory" TEXT, "isStaticSpa" BIGINT NOT NULL, "customGitUrl" TEXT, "customGitBranch" TEXT,
  "customGitBuildPath" TEXT NOT NULL, "customGitSSHKeyId" TEXT REFERENCES "ssh_key"("sshKeyId"),
  "customGitUsername" TEXT, "customGitPassword" TEXT, "enableSubmodules" BIGINT NOT NULL,
  "containerImage" TEXT, "registryUrl" TEXT, "username" TEXT, "password" TEXT,
  "registryId" TEXT REFERENCES "registry"("registryId"), "autoDeploy" BIGINT NOT NULL,
  "refreshToken" TEXT NOT NULL, "watchPaths" TEXT NOT NULL, "triggerType" TEXT NOT NULL,
  "cleanCache" BIGINT NOT NULL, "healthCheck" TEXT, "updateOrder" TEXT NOT NULL, "placement" TEXT NOT NULL,
  "labels" TEXT NOT NULL, "networks" TEXT NOT NULL, "stopGracePeriod" BIGINT,
  "rollbackActive" BIGINT NOT NULL, "preReleaseCommand" TEXT, "command" TEXT, "args" TEXT NOT NULL,
  "serverId" TEXT, "githubId" TEXT, "previewEnv" TEXT, "previewBuildArgs" TEXT, "previewBuildSecrets" TEXT,
  "previewWildcard" TEXT, "previewPort" BIGINT NOT NULL, "previewPath" TEXT NOT NULL,
  "previewHttps" BIGINT NOT NULL, "previewCertificateType" TEXT NOT NULL, "previewCustomCertResolver" TEXT,
  "previewLimit" BIGINT NOT NULL, "previewLabels" TEXT NOT NULL, "isPreviewDeploymentsActive" BIGINT NOT NULL,
  "previewRequireCollaboratorPermissions" BIGINT NOT NULL, "uploadPath" TEXT, "liveDeploymentId" TEXT,
  "releasedAppName" TEXT, "isStopped" BIGINT NOT NULL, "createdAt" TEXT NOT NULL`;

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'foundation',
    sql: `
CREATE TABLE "user" (
  "userId" TEXT PRIMARY KEY, "email" TEXT NOT NULL UNIQUE, "name" TEXT NOT NULL, "passwordHash" TEXT NOT NULL,
  "createdAt" TEXT NOT NULL
);
CREATE TABLE "organization" (
  "organizationId" TEXT PRIMARY KEY, "name" TEXT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE TABLE "member" (
  "memberId" TEXT PRIMARY KEY,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "userId" TEXT NOT NULL REFERENCES "user"("userId") ON DELETE CASCADE, "role" TEXT NOT NULL,
  "grants" TEXT NOT NULL, "createdAt" TEXT NOT NULL, UNIQUE ("userId", "organizationId")
);
CREATE INDEX "member_organization" ON "member"("organizationId");
CREATE TABLE "session" (
  "sessionId" TEXT PRIMARY KEY, "tokenHash" TEXT NOT NULL UNIQUE,
  "userId" TEXT NOT NULL REFERENCES "user"("userId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "createdAt" TEXT NOT NULL, "expiresAt" BIGINT NOT NULL, "ip" TEXT NOT NULL, "userAgent" TEXT NOT NULL
);
CREATE INDEX "session_user" ON "session"("userId");
CREATE TABLE "api_key" (
  "apiKeyId" TEXT PRIMARY KEY, "keyHash" TEXT NOT NULL UNIQUE,
  "userId" TEXT NOT NULL REFERENCES "user"("userId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "name" TEXT NOT NULL, "prefix" TEXT, "start" TEXT NOT NULL, "enabled" BIGINT NOT NULL,
  "createdAt" TEXT NOT NULL, "createdAtMs" BIGINT NOT NULL, "expiresAt" BIGINT, "lastRequestAt" BIGINT,
  "rateLimitEnabled" BIGINT NOT NULL, "rateLimitTimeWindow" BIGINT, "rateLimitMax" BIGINT,
  "windowStart" BIGINT, "windowCount" BIGINT NOT NULL, "remaining" BIGINT, "refillAmount" BIGINT,
  "refillInterval" BIGINT, "refillsApplied" BIGINT NOT NULL, "permissions" TEXT
);
CREATE INDEX "api_key_user" ON "api_key"("userId", "organizationId");
CREATE TABLE "project" (
  "projectId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId"),
  "name" TEXT NOT NULL, "description" TEXT NOT NULL, "env" TEXT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE INDEX "project_organization" ON "project"("organizationId", "createdAt");
CREATE TABLE "environment" (
  "environmentId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "projectId" TEXT NOT NULL REFERENCES "project"("projectId"), "name" TEXT NOT NULL,
  "description" TEXT NOT NULL, "env" TEXT NOT NULL, "isDefault" BIGINT NOT NULL, "networkIndex" BIGINT UNIQUE,
  "createdAt" TEXT NOT NULL
);
CREATE INDEX "environment_project" ON "environment"("projectId", "createdAt");
CREATE INDEX "environment_organization" ON "environment"("organizationId");
CREATE TABLE "ssh_key" (
  "sshKeyId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL,
  "description" TEXT NOT NULL, "publicKey" TEXT NOT NULL, "privateKey" TEXT NOT NULL,
  "fingerprint" TEXT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE INDEX "ssh_key_organization" ON "ssh_key"("organizationId", "createdAt");
CREATE TABLE "registry" (
  "registryId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL,
  "registryUrl" TEXT NOT NULL, "username" TEXT NOT NULL, "password" TEXT NOT NULL,
  "imagePrefix" TEXT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE INDEX "registry_organization" ON "registry"("organizationId", "createdAt");
CREATE TABLE "application" (
  "applicationId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "environmentId" TEXT NOT NULL REFERENCES "environment"("environmentId"), "name" TEXT NOT NULL,
  "appName" TEXT NOT NULL, "description" TEXT NOT NULL, ${serviceConfiguration}
);
CREATE UNIQUE INDEX "application_app_name" ON "application"(lower("appName"));
CREATE UNIQUE INDEX "application_refresh_token" ON "application"("refreshToken");
CREATE INDEX "application_environment" ON "application"("environmentId", "createdAt");
CREATE INDEX "application_organization" ON "application"("organizationId");
CREATE INDEX "application_ssh_key" ON "application"("customGitSSHKeyId");
CREATE INDEX "application_registry" ON "application"("registryId");
CREATE TABLE "deployment" (
  "deploymentId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "applicationId" TEXT NOT NULL REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "kind" TEXT NOT NULL, "title" TEXT NOT NULL, "description" TEXT NOT NULL, "status" TEXT NOT NULL,
  "stage" TEXT, "commit" TEXT, "image" TEXT, "errorMessage" TEXT, "settings" TEXT, "sourceDeploymentId" TEXT,
  "child" TEXT, "previousVersion" BIGINT, "createdAt" TEXT NOT NULL, "startedAt" TEXT, "healthyAt" TEXT,
  "finishedAt" TEXT, "sequence" BIGINT NOT NULL UNIQUE
);
CREATE INDEX "deployment_application" ON "deployment"("applicationId", "sequence");
CREATE INDEX "deployment_status" ON "deployment"("status");
CREATE TABLE "job" (
  "jobId" TEXT PRIMARY KEY, "kind" TEXT NOT NULL, "payload" TEXT NOT NULL, "serviceKey" TEXT NOT NULL,
  "serverKey" TEXT NOT NULL, "state" TEXT NOT NULL, "attempts" BIGINT NOT NULL, "worker" TEXT,
  "leaseUntil" BIGINT NOT NULL, "sequence" BIGINT NOT NULL UNIQUE, "createdAt" TEXT NOT NULL
);
CREATE INDEX "job_state" ON "job"("state", "sequence");
CREATE INDEX "job_service" ON "job"("serviceKey", "state", "sequence");
CREATE TABLE "domain" (
  "domainId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "host" TEXT NOT NULL,
  "asciiHost" TEXT NOT NULL, "path" TEXT NOT NULL, "port" BIGINT NOT NULL, "https" BIGINT NOT NULL,
  "certificateType" TEXT NOT NULL, "customCertResolver" TEXT,
  "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE, "composeId" TEXT,
  "serviceName" TEXT, "domainType" TEXT NOT NULL, "previewDeploymentId" TEXT, "internalPath" TEXT NOT NULL,
  "stripPath" BIGINT NOT NULL, "uniqueConfigKey" BIGINT NOT NULL UNIQUE, "serverKey" TEXT NOT NULL,
  "createdAt" TEXT NOT NULL
);
CREATE UNIQUE INDEX "domain_host_path" ON "domain"("serverKey", "asciiHost", "path");
CREATE INDEX "domain_application" ON "domain"("applicationId", "createdAt");
CREATE TABLE "port" (
  "portId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "applicationId" TEXT NOT NULL REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "publishedPort" BIGINT NOT NULL, "targetPort" BIGINT NOT NULL, "protocol" TEXT NOT NULL,
  "publishMode" TEXT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE UNIQUE INDEX "port_published" ON "port"("publishedPort", "protocol");
CREATE INDEX "port_application" ON "port"("applicationId", "createdAt");
CREATE TABLE "mount" (
  "mountId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "type" TEXT NOT NULL, "hostPath" TEXT,
  "volumeName" TEXT, "filePath" TEXT, "content" TEXT, "mountPath" TEXT NOT NULL, "serviceType" TEXT NOT NULL,
  "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE, "createdAt" TEXT NOT NULL
);
CREATE INDEX "mount_application" ON "mount"("applicationId", "createdAt");
CREATE TABLE "setting" ("name" TEXT PRIMARY KEY, "value" TEXT NOT NULL);
CREATE TABLE "audit" (
  "auditId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "at" TEXT NOT NULL, "userId" TEXT,
  "apiKeyId" TEXT, "procedure" TEXT NOT NULL, "resourceId" TEXT, "outcome" TEXT NOT NULL, "ip" TEXT NOT NULL
);
CREATE INDEX "audit_organization" ON "audit"("organizationId", "at");
`,
  },
  {
    version: 2,
    name: 'one mount for each path of a service',
    sql: `CREATE UNIQUE INDEX "mount_path" ON "mount"("applicationId", "mountPath");`,
  },
  {
    version: 3,
    name: 'the whole interface',
    sql: `
ALTER TABLE "application" ADD COLUMN "webhookSecret" TEXT;
ALTER TABLE "application" ADD COLUMN "gitHost" TEXT;
DROP INDEX "application_app_name";
CREATE TABLE "service_name" ("nameKey" TEXT PRIMARY KEY, "serviceId" TEXT NOT NULL);
CREATE INDEX "service_name_service" ON "service_name"("serviceId");
INSERT INTO "service_name" SELECT lower("appName"), "applicationId" FROM "application";
INSERT INTO "service_name" SELECT lower("releasedAppName"), "applicationId"
  FROM "application"
  WHERE "releasedAppName" IS NOT NULL AND lower("releasedAppName") <> lower("appName");
CREATE TABLE "server" (
  "serverId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL, "description" TEXT,
  "ipAddress" TEXT NOT NULL, "port" BIGINT NOT NULL, "username" TEXT NOT NULL,
  "sshKeyId" TEXT REFERENCES "ssh_key"("sshKeyId"), "serverType" TEXT NOT NULL, "status" TEXT NOT NULL,
  "hostKeyFingerprint" TEXT, "buildsConcurrency" BIGINT NOT NULL, "metricsConfig" TEXT,
  "createdAt" TEXT NOT NULL
);
CREATE INDEX "server_organization" ON "server"("organizationId", "createdAt");
CREATE INDEX "server_ssh_key" ON "server"("sshKeyId");
CREATE TABLE "database" (
  "databaseId" TEXT PRIMARY KEY, "kind" TEXT NOT NULL, "organizationId" TEXT NOT NULL,
  "environmentId" TEXT NOT NULL REFERENCES "environment"("environmentId"), "name" TEXT NOT NULL,
  "appName" TEXT NOT NULL, "description" TEXT NOT NULL, "databaseName" TEXT, "databaseUser" TEXT,
  "databasePassword" TEXT NOT NULL, "databaseRootPassword" TEXT, "containerImage" TEXT NOT NULL,
  "replicaSets" BIGINT NOT NULL, "serverId" TEXT REFERENCES "server"("serverId"),
  "applicationStatus" TEXT NOT NULL, "memoryLimit" TEXT, "memoryReservation" TEXT, "cpuLimit" TEXT,
  "cpuReservation" TEXT, "command" TEXT, "args" TEXT NOT NULL, "env" TEXT NOT NULL, "externalPort" BIGINT,
  "releasedAppName" TEXT, "isStopped" BIGINT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE INDEX "database_environment" ON "database"("environmentId", "createdAt");
CREATE INDEX "database_organization" ON "database"("organizationId");
CREATE INDEX "database_server" ON "database"("serverId");
CREATE UNIQUE INDEX "database_external_port" ON "database"(coalesce("serverId", ''), "externalPort");
CREATE TABLE "compose" (
  "composeId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "environmentId" TEXT NOT NULL REFERENCES "environment"("environmentId"), "name" TEXT NOT NULL,
  "appName" TEXT NOT NULL, "description" TEXT NOT NULL, "serverId" TEXT REFERENCES "server"("serverId"),
  "composeType" TEXT NOT NULL, "sourceType" TEXT NOT NULL, "composeFile" TEXT NOT NULL,
  "composePath" TEXT NOT NULL, "env" TEXT NOT NULL, "createEnvFile" BIGINT NOT NULL,
  "composeStatus" TEXT NOT NULL, "refreshToken" TEXT NOT NULL, "autoDeploy" BIGINT NOT NULL,
  "randomize" BIGINT NOT NULL, "suffix" TEXT NOT NULL, "repository" TEXT, "owner" TEXT, "branch" TEXT,
  "gitHost" TEXT, "githubId" TEXT, "customGitUrl" TEXT, "customGitBranch" TEXT,
  "customGitSSHKeyId" TEXT REFERENCES "ssh_key"("sshKeyId"), "customGitUsername" TEXT,
  "customGitPassword" TEXT, "enableSubmodules" BIGINT NOT NULL, "watchPaths" TEXT NOT NULL,
  "triggerType" TEXT NOT NULL, "webhookSecret" TEXT, "releasedAppName" TEXT, "isStopped" BIGINT NOT NULL,
  "createdAt" TEXT NOT NULL
);
CREATE UNIQUE INDEX "compose_refresh_token" ON "compose"("refreshToken");
CREATE INDEX "compose_environment" ON "compose"("environmentId", "createdAt");
CREATE INDEX "compose_organization" ON "compose"("organizationId");
CREATE INDEX "compose_server" ON "compose"("serverId");
CREATE INDEX "compose_ssh_key" ON "compose"("customGitSSHKeyId");
ALTER TABLE "mount" ADD COLUMN "databaseId" TEXT REFERENCES "database"("databaseId") ON DELETE CASCADE;
ALTER TABLE "mount" ADD COLUMN "composeId" TEXT REFERENCES "compose"("composeId") ON DELETE CASCADE;
CREATE UNIQUE INDEX "mount_database_path" ON "mount"("databaseId", "mountPath");
CREATE UNIQUE INDEX "mount_compose_path" ON "mount"("composeId", "mountPath");
CREATE INDEX "domain_compose" ON "domain"("composeId", "createdAt");
CREATE INDEX "application_server" ON "application"("serverId");
CREATE TABLE "destination" (
  "destinationId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL,
  "provider" TEXT NOT NULL, "accessKey" TEXT NOT NULL, "secretAccessKey" TEXT NOT NULL,
  "bucket" TEXT NOT NULL, "region" TEXT NOT NULL, "endpoint" TEXT NOT NULL, "path" TEXT NOT NULL,
  "createdAt" TEXT NOT NULL
);
CREATE INDEX "destination_organization" ON "destination"("organizationId", "createdAt");
CREATE TABLE "backup" (
  "backupId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "databaseId" TEXT NOT NULL REFERENCES "database"("databaseId") ON DELETE CASCADE,
  "databaseType" TEXT NOT NULL, "database" TEXT NOT NULL,
  "destinationId" TEXT NOT NULL REFERENCES "destination"("destinationId"), "schedule" TEXT NOT NULL,
  "prefix" TEXT NOT NULL, "enabled" BIGINT NOT NULL, "keepLatestCount" BIGINT, "createdAt" TEXT NOT NULL
);
CREATE INDEX "backup_database" ON "backup"("databaseId", "createdAt");
CREATE INDEX "backup_destination" ON "backup"("destinationId");
CREATE TABLE "certificate" (
  "certificateId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL,
  "certificateData" TEXT NOT NULL, "privateKey" TEXT NOT NULL,
  "serverId" TEXT REFERENCES "server"("serverId"), "notBefore" TEXT NOT NULL, "expirationDate" TEXT NOT NULL,
  "commonName" TEXT NOT NULL, "subjectAlternativeNames" TEXT NOT NULL, "issuer" TEXT NOT NULL,
  "createdAt" TEXT NOT NULL
);
CREATE INDEX "certificate_organization" ON "certificate"("organizationId", "createdAt");
CREATE INDEX "certificate_server" ON "certificate"("serverId");
CREATE TABLE "certificate_resolver" (
  "certificateResolverId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL,
  "directoryUrl" TEXT NOT NULL, "email" TEXT NOT NULL, "rootCertificates" TEXT, "eabKeyId" TEXT,
  "eabHmacKey" TEXT, "createdAt" TEXT NOT NULL
);
CREATE UNIQUE INDEX "certificate_resolver_name" ON "certificate_resolver"("organizationId", "name");
CREATE TABLE "redirect" (
  "redirectId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "applicationId" TEXT NOT NULL REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "regex" TEXT NOT NULL, "replacement" TEXT NOT NULL, "permanent" BIGINT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE INDEX "redirect_application" ON "redirect"("applicationId", "createdAt");
CREATE TABLE "basic_auth" (
  "basicAuthId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "applicationId" TEXT NOT NULL REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "username" TEXT NOT NULL, "passwordHash" TEXT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE UNIQUE INDEX "basic_auth_username" ON "basic_auth"("applicationId", "username");
CREATE TABLE "preview_deployment" (
  "previewDeploymentId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "applicationId" TEXT NOT NULL REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "branch" TEXT NOT NULL, "pullRequestNumber" BIGINT, "domain" TEXT NOT NULL, "domainId" TEXT,
  "status" TEXT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE INDEX "preview_deployment_application" ON "preview_deployment"("applicationId", "createdAt");
CREATE TABLE "invitation" (
  "invitationId" TEXT PRIMARY KEY,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "email" TEXT NOT NULL, "role" TEXT NOT NULL, "grants" TEXT NOT NULL, "tokenHash" TEXT NOT NULL UNIQUE,
  "invitedBy" TEXT NOT NULL, "status" TEXT NOT NULL, "expiresAt" BIGINT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE TABLE "git_provider" (
  "gitProviderId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "provider" TEXT NOT NULL,
  "name" TEXT NOT NULL, "createdAt" TEXT NOT NULL
);
CREATE INDEX "git_provider_organization" ON "git_provider"("organizationId", "createdAt");
CREATE INDEX "audit_at" ON "audit"("at");
CREATE INDEX "invitation_organization" ON "invitation"("organizationId", "createdAt");
`,
  },
  {
    version: 4,
    name: 'deployments of databases and compose services',
    sql: `
CREATE TABLE "deployment_of_services" (
  "deploymentId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "databaseId" TEXT REFERENCES "database"("databaseId") ON DELETE CASCADE,
  "composeId" TEXT REFERENCES "compose"("composeId") ON DELETE CASCADE, "kind" TEXT NOT NULL,
  "title" TEXT NOT NULL, "description" TEXT NOT NULL, "status" TEXT NOT NULL, "stage" TEXT, "commit" TEXT,
  "image" TEXT, "errorMessage" TEXT, "settings" TEXT, "sourceDeploymentId" TEXT, "child" TEXT,
  "previousVersion" BIGINT, "createdAt" TEXT NOT NULL, "startedAt" TEXT, "healthyAt" TEXT, "finishedAt" TEXT,
  "sequence" BIGINT NOT NULL
);
INSERT INTO "deployment_of_services" (
    "deploymentId", "organizationId", "applicationId", "kind", "title", "description", "status", "stage",
    "commit", "image", "errorMessage", "settings", "sourceDeploymentId", "child", "previousVersion",
    "createdAt", "startedAt", "healthyAt", "finishedAt", "sequence"
  ) SELECT
    "deploymentId", "organizationId", "applicationId", "kind", "title", "description", "status", "stage",
    "commit", "image", "errorMessage", "settings", "sourceDeploymentId", "child", "previousVersion",
    "createdAt", "startedAt", "healthyAt", "finishedAt", "sequence"
  FROM "deployment";
DROP TABLE "deployment";
ALTER TABLE "deployment_of_services" RENAME TO "deployment";
CREATE UNIQUE INDEX "deployment_sequence" ON "deployment"("sequence");
CREATE INDEX "deployment_application" ON "deployment"("applicationId", "sequence");
CREATE INDEX "deployment_database" ON "deployment"("databaseId", "sequence");
CREATE INDEX "deployment_compose" ON "deployment"("composeId", "sequence");
CREATE INDEX "deployment_status" ON "deployment"("status");
ALTER TABLE "database" ADD COLUMN "liveDeploymentId" TEXT;
ALTER TABLE "database" ADD COLUMN "dataVolume" TEXT NOT NULL DEFAULT '';
UPDATE "database" SET "dataVolume" = 'berth-data-' || "databaseId";
ALTER TABLE "database" ADD COLUMN "dataVersion" TEXT;
ALTER TABLE "database" ADD COLUMN "formerVolumes" TEXT NOT NULL DEFAULT '[]';
`,
  },
  {
    version: 5,
    name: 'domains, certificates and requests at the proxy',
    sql: `
ALTER TABLE "domain" ADD COLUMN "hstsMaxAge" BIGINT;
ALTER TABLE "domain" ADD COLUMN "requestHeaders" TEXT NOT NULL DEFAULT '{}';
ALTER TABLE "domain" ADD COLUMN "maxBodyBytes" BIGINT;
CREATE INDEX "domain_organization" ON "domain"("organizationId");
CREATE TABLE "issuance" (
  "host" TEXT PRIMARY KEY, "authority" TEXT NOT NULL, "status" TEXT NOT NULL, "issuer" TEXT,
  "expiresAt" BIGINT, "warnAt" BIGINT, "error" TEXT, "attempts" BIGINT NOT NULL, "nextAt" BIGINT NOT NULL,
  "changedAt" TEXT NOT NULL
);
CREATE TABLE "proxy_file" ("path" TEXT PRIMARY KEY, "host" TEXT, "content" TEXT NOT NULL, "expiresAt" BIGINT);
CREATE TABLE "request_minute" (
  "domainId" TEXT NOT NULL, "minute" BIGINT NOT NULL, "statuses" TEXT NOT NULL, "durations" TEXT NOT NULL,
  "bytes" BIGINT NOT NULL, PRIMARY KEY ("domainId", "minute")
);
CREATE INDEX "request_minute_minute" ON "request_minute"("minute");
`,
  },
  {
    // A backup takes a source, which need be no database; SQLite can only make a column nullable by making
    // the table anew.
    version: 6,
    name: 'backup runs',
    sql: `
ALTER TABLE "backup" RENAME TO "backup_before";
CREATE TABLE "backup" (
  "backupId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "sourceType" TEXT NOT NULL,
  "databaseId" TEXT REFERENCES "database"("databaseId") ON DELETE CASCADE, "databaseType" TEXT,
  "database" TEXT NOT NULL, "destinationId" TEXT NOT NULL REFERENCES "destination"("destinationId"),
  "schedule" TEXT NOT NULL, "timeZone" TEXT NOT NULL, "prefix" TEXT NOT NULL, "enabled" BIGINT NOT NULL,
  "keepLatestCount" BIGINT, "nextRunAt" BIGINT, "verifySchedule" TEXT, "nextVerifyAt" BIGINT,
  "alarmAfterHours" BIGINT, "alarmSince" TEXT, "lastGoodAt" TEXT, "sealedKey" TEXT, "createdAt" TEXT NOT NULL
);
INSERT INTO "backup" (
    "backupId", "organizationId", "sourceType", "databaseId", "databaseType", "database", "destinationId",
    "schedule", "timeZone", "prefix", "enabled", "keepLatestCount", "createdAt"
  ) SELECT
    "backupId", "organizationId", 'database', "databaseId", "databaseType", "database", "destinationId",
    "schedule", 'UTC', "prefix", "enabled", "keepLatestCount", "createdAt"
  FROM "backup_before";
DROP TABLE "backup_before";
CREATE INDEX "backup_database" ON "backup"("databaseId", "createdAt");
CREATE INDEX "backup_destination" ON "backup"("destinationId");
CREATE INDEX "backup_organization" ON "backup"("organizationId", "sourceType");
CREATE TABLE "backup_run" (
  "backupRunId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "operation" TEXT NOT NULL, "backupId" TEXT,
  "databaseId" TEXT REFERENCES "database"("databaseId") ON DELETE CASCADE, "startedBy" TEXT NOT NULL,
  "destinationId" TEXT NOT NULL, "path" TEXT NOT NULL, "database" TEXT NOT NULL, "status" TEXT NOT NULL,
  "steps" TEXT NOT NULL, "bytes" BIGINT, "storedBytes" BIGINT, "checksum" TEXT, "isStored" BIGINT NOT NULL,
  "previousVolume" TEXT, "errorCode" TEXT, "errorMessage" TEXT, "createdAt" TEXT NOT NULL, "startedAt" TEXT,
  "finishedAt" TEXT, "sequence" BIGINT NOT NULL
);
CREATE INDEX "backup_run_backup" ON "backup_run"("backupId", "sequence");
CREATE INDEX "backup_run_database" ON "backup_run"("databaseId", "sequence");
CREATE INDEX "backup_run_object" ON "backup_run"("destinationId", "path");
CREATE INDEX "backup_run_status" ON "backup_run"("status");
`,
  },
  {
    version: 7,
    name: 'published ports of each server, and configured monitoring',
    sql: `
ALTER TABLE "port" ADD COLUMN "serverKey" TEXT NOT NULL DEFAULT 'local';
UPDATE "port" SET "serverKey" =
  coalesce(
    (SELECT a."serverId" FROM "application" a WHERE a."applicationId" = "port"."applicationId"), 'local');
DROP INDEX "port_published";
CREATE UNIQUE INDEX "port_published" ON "port"("serverKey", "publishedPort", "protocol");
ALTER TABLE "server" ADD COLUMN "metricsToken" TEXT;
`,
  },
  {
    version: 8,
    name: 'compose services that run',
    sql: `
ALTER TABLE "compose" ADD COLUMN "liveDeploymentId" TEXT;
ALTER TABLE "compose" ADD COLUMN "releasedSuffix" TEXT NOT NULL DEFAULT '';
ALTER TABLE "compose" ADD COLUMN "networkIndex" BIGINT;
ALTER TABLE "compose" ADD COLUMN "mayReachServer" BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX "compose_network" ON "compose"("networkIndex");
`,
  },
  {
    version: 9,
    name: 'webhooks, git providers and previews that run',
    sql: `
ALTER TABLE "preview_deployment" ADD COLUMN "appName" TEXT NOT NULL DEFAULT '';
ALTER TABLE "preview_deployment" ADD COLUMN "commit" TEXT;
ALTER TABLE "preview_deployment" ADD COLUMN "repository" TEXT NOT NULL DEFAULT '';
ALTER TABLE "preview_deployment" ADD COLUMN "provider" TEXT NOT NULL DEFAULT '';
ALTER TABLE "preview_deployment" ADD COLUMN "isTrusted" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "preview_deployment" ADD COLUMN "liveDeploymentId" TEXT;
ALTER TABLE "preview_deployment" ADD COLUMN "releasedAppName" TEXT;
ALTER TABLE "preview_deployment" ADD COLUMN "isStopped" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "preview_deployment" ADD COLUMN "commentId" TEXT;
ALTER TABLE "preview_deployment" ADD COLUMN "commentDigest" TEXT;
CREATE UNIQUE INDEX "preview_deployment_number" ON "preview_deployment"("applicationId", "pullRequestNumber");
ALTER TABLE "deployment" ADD COLUMN "previewDeploymentId" TEXT
  REFERENCES "preview_deployment"("previewDeploymentId") ON DELETE CASCADE;
CREATE INDEX "deployment_preview" ON "deployment"("previewDeploymentId", "sequence");
CREATE INDEX "domain_preview" ON "domain"("previewDeploymentId", "createdAt");
ALTER TABLE "git_provider" ADD COLUMN "baseUrl" TEXT NOT NULL DEFAULT '';
ALTER TABLE "git_provider" ADD COLUMN "apiUrl" TEXT NOT NULL DEFAULT '';
ALTER TABLE "git_provider" ADD COLUMN "appId" TEXT;
ALTER TABLE "git_provider" ADD COLUMN "installationId" TEXT;
ALTER TABLE "git_provider" ADD COLUMN "username" TEXT;
ALTER TABLE "git_provider" ADD COLUMN "privateKey" TEXT;
ALTER TABLE "git_provider" ADD COLUMN "webhookSecret" TEXT;
ALTER TABLE "git_provider" ADD COLUMN "accessToken" TEXT;
CREATE INDEX "git_provider_app" ON "git_provider"("appId");
CREATE INDEX "application_git_provider" ON "application"("githubId");
CREATE TABLE "webhook_delivery" ("deliveryKey" TEXT PRIMARY KEY, "receivedAt" TEXT NOT NULL);
CREATE INDEX "webhook_delivery_received" ON "webhook_delivery"("receivedAt");
`,
  },
  {
    version: 10,
    name: 'certificates of each server',
    sql: `
ALTER TABLE "issuance" RENAME TO "issuance_before";
CREATE TABLE "issuance" (
  "serverKey" TEXT NOT NULL, "host" TEXT NOT NULL, "authority" TEXT NOT NULL, "status" TEXT NOT NULL,
  "issuer" TEXT, "expiresAt" BIGINT, "warnAt" BIGINT, "error" TEXT, "attempts" BIGINT NOT NULL,
  "nextAt" BIGINT NOT NULL, "changedAt" TEXT NOT NULL, PRIMARY KEY ("serverKey", "host"));
INSERT INTO "issuance" ("serverKey", "host", "authority", "status", "issuer", "expiresAt", "warnAt",
  "error", "attempts", "nextAt", "changedAt")
  SELECT 'local', "host", "authority", "status", "issuer", "expiresAt", "warnAt",
  "error", "attempts", "nextAt", "changedAt" FROM "issuance_before";
DROP TABLE "issuance_before";
ALTER TABLE "proxy_file" RENAME TO "proxy_file_before";
CREATE TABLE "proxy_file" (
  "serverKey" TEXT NOT NULL, "path" TEXT NOT NULL, "host" TEXT, "content" TEXT NOT NULL,
  "expiresAt" BIGINT, PRIMARY KEY ("serverKey", "path"));
INSERT INTO "proxy_file" ("serverKey", "path", "host", "content", "expiresAt")
  SELECT 'local', "path", "host", "content", "expiresAt" FROM "proxy_file_before";
DROP TABLE "proxy_file_before";
`,
  },
  {
    version: 11,
    name: 'second factors, and reading secrets as a grant',
    sql: `
CREATE TABLE "two_factor" ("userId" TEXT PRIMARY KEY REFERENCES "user"("userId") ON DELETE CASCADE,
  "secret" TEXT NOT NULL, "createdAt" TEXT NOT NULL, "confirmedAt" TEXT, "lastStep" BIGINT NOT NULL);
CREATE TABLE "recovery_code" ("codeHash" TEXT PRIMARY KEY,
  "userId" TEXT NOT NULL REFERENCES "user"("userId") ON DELETE CASCADE);
CREATE INDEX "recovery_code_user" ON "recovery_code"("userId");
ALTER TABLE "organization" ADD COLUMN "requireTwoFactor" BIGINT NOT NULL DEFAULT 0;
UPDATE "member" SET "grants" = substr("grants", 1, length("grants") - 1) || ',"canReadSecrets":true}'
  WHERE "grants" NOT LIKE '%canReadSecrets%' AND length("grants") > 2;
UPDATE "invitation" SET "grants" = substr("grants", 1, length("grants") - 1) || ',"canReadSecrets":true}'
  WHERE "grants" NOT LIKE '%canReadSecrets%' AND length("grants") > 2;
`,
  },
  {
    version: 12,
    name: 'build slots',
    sql: `
ALTER TABLE "job" ADD COLUMN "slot" TEXT NOT NULL DEFAULT 'none';
CREATE INDEX "job_server" ON "job"("serverKey", "state", "slot", "sequence");
`,
  },
  {
    version: 13,
    name: 'approvals of what reaches the machine',
    sql: `
ALTER TABLE "organization" ADD COLUMN "trusted" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "mount" ADD COLUMN "approval" TEXT;
ALTER TABLE "compose" ADD COLUMN "approval" TEXT;
ALTER TABLE "compose" ADD COLUMN "awaitsApproval" TEXT;
ALTER TABLE "compose" DROP COLUMN "mayReachServer";
`,
  },
  {
    version: 14,
    name: 'which organization pulled which image',
    sql: `
CREATE TABLE "image_pull" (
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "serverKey" TEXT NOT NULL, "reference" TEXT NOT NULL, "imageId" TEXT NOT NULL, "pulledAt" TEXT NOT NULL,
  PRIMARY KEY ("organizationId", "serverKey", "reference"));
`,
  },
  {
    version: 15,
    name: 'whose builds wait',
    sql: `
ALTER TABLE "job" ADD COLUMN "organizationId" TEXT;
`,
  },
  {
    version: 16,
    name: 'names of services of compose services, and the services of the platform',
    sql: `
ALTER TABLE "service_name" ADD COLUMN "isStem" BIGINT NOT NULL DEFAULT 0;
UPDATE "service_name" SET "isStem" = 1 WHERE "serviceId" IN (SELECT "composeId" FROM "compose");
ALTER TABLE "compose" ADD COLUMN "releasedServices" TEXT;
CREATE TABLE "platform_service" (
  "serverKey" TEXT NOT NULL, "name" TEXT NOT NULL, "engineId" TEXT NOT NULL,
  PRIMARY KEY ("serverKey", "name"));
`,
  },
  {
    version: 17,
    name: 'quotas of organizations',
    sql: `
CREATE TABLE "quota" (
  "organizationId" TEXT PRIMARY KEY REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "services" BIGINT, "nanoCpus" BIGINT, "memoryBytes" BIGINT, "builds" BIGINT, "backupBytes" BIGINT
);
`,
  },
  {
    version: 18,
    name: 'secret variables and files, what previews inherit',
    sql: `
ALTER TABLE "application" ADD COLUMN "secretEnv" TEXT NOT NULL DEFAULT '';
ALTER TABLE "application" ADD COLUMN "previewSecretEnv" TEXT NOT NULL DEFAULT '';
ALTER TABLE "application" ADD COLUMN "previewInherits" TEXT NOT NULL DEFAULT '[]';
ALTER TABLE "compose" ADD COLUMN "secretEnv" TEXT NOT NULL DEFAULT '';
ALTER TABLE "mount" ADD COLUMN "isSecret" BIGINT NOT NULL DEFAULT 0;
`,
  },
  {
    version: 19,
    name: 'notifications',
    sql: `
CREATE TABLE "notification" (
  "notificationId" TEXT PRIMARY KEY,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "name" TEXT NOT NULL, "channel" TEXT NOT NULL, "enabled" BIGINT NOT NULL, "events" TEXT NOT NULL,
  "settings" TEXT NOT NULL, "lastSentAt" TEXT, "lastError" TEXT, "lastErrorAt" TEXT,
  "createdAt" TEXT NOT NULL);
CREATE INDEX "notification_organization" ON "notification"("organizationId");
CREATE TABLE "notification_delivery" (
  "deliveryId" TEXT PRIMARY KEY,
  "notificationId" TEXT NOT NULL REFERENCES "notification"("notificationId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL, "factGroup" TEXT NOT NULL, "isSummary" BIGINT NOT NULL,
  "notice" TEXT NOT NULL, "state" TEXT NOT NULL, "attempts" BIGINT NOT NULL, "opensAt" BIGINT NOT NULL,
  "dueAt" BIGINT NOT NULL, "nextAt" BIGINT NOT NULL, "sequence" BIGINT NOT NULL);
CREATE INDEX "notification_delivery_channel"
  ON "notification_delivery"("notificationId", "factGroup", "opensAt");
CREATE INDEX "notification_delivery_state" ON "notification_delivery"("state", "nextAt");
`,
  },
  {
    version: 20,
    name: 'what deployments under way take',
    sql: `
CREATE TABLE "quota_claim" (
  "deploymentId" TEXT PRIMARY KEY REFERENCES "deployment"("deploymentId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL, "serviceId" TEXT NOT NULL, "name" TEXT NOT NULL,
  "nanoCpus" BIGINT, "memoryBytes" BIGINT
);
CREATE INDEX "quota_claim_organization" ON "quota_claim" ("organizationId");
`,
  },
  {
    version: 21,
    name: 'schedules and alarms',
    sql: `
CREATE TABLE "schedule" (
  "scheduleId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "composeId" TEXT REFERENCES "compose"("composeId") ON DELETE CASCADE,
  "serviceName" TEXT, "name" TEXT NOT NULL, "cron" TEXT NOT NULL, "timeZone" TEXT NOT NULL,
  "command" TEXT NOT NULL, "limitMinutes" BIGINT NOT NULL, "enabled" BIGINT NOT NULL, "nextRunAt" BIGINT,
  "createdAt" TEXT NOT NULL);
CREATE INDEX "schedule_application" ON "schedule"("applicationId", "createdAt");
CREATE INDEX "schedule_compose" ON "schedule"("composeId", "createdAt");
CREATE INDEX "schedule_due" ON "schedule"("enabled", "nextRunAt");
CREATE TABLE "schedule_run" (
  "scheduleRunId" TEXT PRIMARY KEY,
  "scheduleId" TEXT NOT NULL REFERENCES "schedule"("scheduleId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL, "startedBy" TEXT NOT NULL, "status" TEXT NOT NULL, "exitCode" BIGINT,
  "errorMessage" TEXT, "dueAt" TEXT NOT NULL, "createdAt" TEXT NOT NULL, "startedAt" TEXT,
  "finishedAt" TEXT, "sequence" BIGINT NOT NULL);
CREATE INDEX "schedule_run_schedule" ON "schedule_run"("scheduleId", "sequence");
CREATE TABLE "alarm" (
  "alarmId" TEXT PRIMARY KEY,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "kind" TEXT NOT NULL, "subjectType" TEXT NOT NULL, "subjectId" TEXT NOT NULL, "subjectName" TEXT NOT NULL,
  "sentence" TEXT NOT NULL, "projectId" TEXT, "environmentId" TEXT, "serviceId" TEXT,
  "begunAt" TEXT NOT NULL, "endedAt" TEXT, "acknowledgedAt" TEXT, "acknowledgedBy" TEXT);
CREATE INDEX "alarm_organization" ON "alarm"("organizationId", "endedAt");
`,
  },
  {
    version: 22,
    name: 'set-up of servers',
    sql: `
ALTER TABLE "server" ADD COLUMN "setupStatus" TEXT NOT NULL DEFAULT 'idle';
ALTER TABLE "server" ADD COLUMN "setupStage" TEXT;
ALTER TABLE "server" ADD COLUMN "setupError" TEXT;
`,
  },
  {
    version: 23,
    name: 'events',
    sql: `
CREATE TABLE "event_head" ("headId" BIGINT NOT NULL PRIMARY KEY, "position" BIGINT NOT NULL);
CREATE TABLE "event" (
  "position" BIGINT NOT NULL PRIMARY KEY, "at" BIGINT NOT NULL, "organizationId" TEXT, "projectId" TEXT,
  "environmentId" TEXT, "serviceId" TEXT, "formerProjectId" TEXT, "formerEnvironmentId" TEXT, "userId" TEXT,
  "kind" TEXT NOT NULL, "what" TEXT NOT NULL, "resourceId" TEXT NOT NULL, "status" TEXT, "stage" TEXT);
CREATE INDEX "event_at" ON "event"("at");
`,
  },
  {
    version: 24,
    name: 'who began a deployment, and when its stages were',
    sql: `
ALTER TABLE "deployment" ADD COLUMN "startedBy" TEXT;
ALTER TABLE "deployment" ADD COLUMN "stages" TEXT;
`,
  },
  {
    version: 25,
    name: 'what scheduled runs take, alarms that come and go, who sends to a channel',
    sql: `
ALTER TABLE "schedule_run" ADD COLUMN "nanoCpus" BIGINT;
ALTER TABLE "schedule_run" ADD COLUMN "memoryBytes" BIGINT;
CREATE INDEX "schedule_run_status" ON "schedule_run"("status", "organizationId");
ALTER TABLE "alarm" ADD COLUMN "times" BIGINT NOT NULL DEFAULT 1;
ALTER TABLE "notification" ADD COLUMN "leaseHolder" TEXT;
ALTER TABLE "notification" ADD COLUMN "leaseUntil" BIGINT NOT NULL DEFAULT 0;
`,
  },
  {
    version: 26,
    name: 'what came of deliveries of git hosts',
    sql: `
CREATE TABLE "hook_delivery" (
  "webhookDeliveryId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "composeId" TEXT REFERENCES "compose"("composeId") ON DELETE CASCADE,
  "provider" TEXT, "hostDeliveryId" TEXT, "summary" TEXT NOT NULL, "outcome" TEXT NOT NULL, "reason" TEXT,
  "deploymentId" TEXT, "events" TEXT, "source" TEXT NOT NULL, "replayOf" TEXT, "receivedAt" TEXT NOT NULL,
  "sequence" BIGINT NOT NULL);
CREATE INDEX "hook_delivery_application" ON "hook_delivery"("applicationId", "sequence");
CREATE INDEX "hook_delivery_compose" ON "hook_delivery"("composeId", "sequence");
`,
  },
  {
    version: 27,
    name: 'opening terminals as a grant',
    sql: `
UPDATE "member" SET "grants" = substr("grants", 1, length("grants") - 1) || ',"canOpenTerminal":false}'
  WHERE "grants" NOT LIKE '%canOpenTerminal%' AND length("grants") > 2;
UPDATE "invitation" SET "grants" = substr("grants", 1, length("grants") - 1) || ',"canOpenTerminal":false}'
  WHERE "grants" NOT LIKE '%canOpenTerminal%' AND length("grants") > 2;
`,
  },
  {
    version: 28,
    name: 'where applications are built',
    sql: `
ALTER TABLE "application" ADD COLUMN "buildServerId" TEXT REFERENCES "server"("serverId");
CREATE INDEX "application_build_server" ON "application"("buildServerId");
ALTER TABLE "job" ADD COLUMN "buildServerKey" TEXT;
CREATE INDEX "job_build_server" ON "job"("buildServerKey", "state", "slot", "sequence");
`,
  },
  {
    version: 29,
    name: 'moves of services to other servers',
    sql: `
ALTER TABLE "deployment" ADD COLUMN "moveFrom" TEXT;
ALTER TABLE "deployment" ADD COLUMN "moveTo" TEXT;
`,
  },
  {
    version: 30,
    name: 'forwarding ports as a grant',
    sql: `
UPDATE "member" SET "grants" = substr("grants", 1, length("grants") - 1) || ',"canForwardPorts":false}'
  WHERE "grants" NOT LIKE '%canForwardPorts%' AND length("grants") > 2;
UPDATE "invitation" SET "grants" = substr("grants", 1, length("grants") - 1) || ',"canForwardPorts":false}'
  WHERE "grants" NOT LIKE '%canForwardPorts%' AND length("grants") > 2;
`,
  },
  {
    version: 31,
    name: 'servers as nodes of clusters',
    sql: `
ALTER TABLE "server" ADD COLUMN "clusterServerId" TEXT REFERENCES "server"("serverId");
ALTER TABLE "server" ADD COLUMN "swarmNodeId" TEXT;
CREATE INDEX "server_cluster" ON "server"("clusterServerId");
`,
  },
  {
    version: 32,
    name: 'backups of volumes',
    sql: `
ALTER TABLE "application" ADD COLUMN "restoredVolumes" TEXT NOT NULL DEFAULT '{}';
ALTER TABLE "compose" ADD COLUMN "restoredVolumes" TEXT NOT NULL DEFAULT '{}';
ALTER TABLE "backup"
  ADD COLUMN "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE;
ALTER TABLE "backup" ADD COLUMN "composeId" TEXT REFERENCES "compose"("composeId") ON DELETE CASCADE;
ALTER TABLE "backup" ADD COLUMN "volumeName" TEXT;
ALTER TABLE "backup" ADD COLUMN "serviceDuring" TEXT;
CREATE INDEX "backup_application" ON "backup"("applicationId", "createdAt");
CREATE INDEX "backup_compose" ON "backup"("composeId", "createdAt");
ALTER TABLE "backup_run"
  ADD COLUMN "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE;
ALTER TABLE "backup_run" ADD COLUMN "composeId" TEXT REFERENCES "compose"("composeId") ON DELETE CASCADE;
ALTER TABLE "backup_run" ADD COLUMN "volumeName" TEXT;
ALTER TABLE "backup_run" ADD COLUMN "held" TEXT;
CREATE INDEX "backup_run_application" ON "backup_run"("applicationId", "sequence");
CREATE INDEX "backup_run_compose" ON "backup_run"("composeId", "sequence");
`,
  },
  {
    version: 33,
    name: 'deployments without cache',
    sql: `
ALTER TABLE "deployment" ADD COLUMN "withoutCache" BIGINT NOT NULL DEFAULT 0;
`,
  },
  {
    version: 34,
    name: 'revisions of settings and variables',
    sql: `
ALTER TABLE "project" ADD COLUMN "revision" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "environment" ADD COLUMN "revision" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "application" ADD COLUMN "revision" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "database" ADD COLUMN "revision" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "compose" ADD COLUMN "revision" BIGINT NOT NULL DEFAULT 0;
`,
  },
  {
    version: 35,
    name: 'disk of organizations',
    sql: `
ALTER TABLE "quota" ADD COLUMN "diskBytes" BIGINT;
CREATE TABLE "quota_disk" (
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "serverKey" TEXT NOT NULL, "bytes" BIGINT NOT NULL, "measuredAt" TEXT NOT NULL,
  PRIMARY KEY ("organizationId", "serverKey"));
`,
  },
  {
    version: 36,
    name: 'ports of domains that follow their service',
    sql: `
ALTER TABLE "domain" ADD COLUMN "ownPort" BIGINT;
UPDATE "domain" SET "ownPort" = "port";
ALTER TABLE "application" ADD COLUMN "shownPort" BIGINT;
`,
  },
  {
    version: 37,
    name: 'log drains',
    sql: `
CREATE TABLE "log_drain" (
  "logDrainId" TEXT PRIMARY KEY,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "projectId" TEXT REFERENCES "project"("projectId") ON DELETE CASCADE,
  "name" TEXT NOT NULL, "type" TEXT NOT NULL, "address" TEXT NOT NULL, "username" TEXT, "password" TEXT,
  "enabled" BIGINT NOT NULL, "sent" BIGINT NOT NULL, "dropped" BIGINT NOT NULL, "lastSentAt" TEXT,
  "lastError" TEXT, "lastErrorAt" TEXT, "createdAt" TEXT NOT NULL, "leaseHolder" TEXT,
  "leaseUntil" BIGINT NOT NULL);
CREATE INDEX "log_drain_organization" ON "log_drain"("organizationId");
CREATE INDEX "log_drain_project" ON "log_drain"("projectId");
`,
  },
  {
    version: 38,
    name: 'servers that their organizations own',
    sql: `
ALTER TABLE "server" ADD COLUMN "trusted" BIGINT NOT NULL DEFAULT 0;
`,
  },
  {
    version: 39,
    name: 'since when the record of a server is another machine',
    sql: `
ALTER TABLE "server" ADD COLUMN "machineSince" TEXT;
`,
  },
  {
    version: 40,
    name: 'indexes without the rows that name nothing',
    // Each is a page less to write with every deployment and job of another kind.
    sql: `
DROP INDEX "deployment_application";
DROP INDEX "deployment_database";
DROP INDEX "deployment_compose";
DROP INDEX "deployment_preview";
DROP INDEX "job_build_server";
CREATE INDEX "deployment_application" ON "deployment"("applicationId", "sequence")
  WHERE "applicationId" IS NOT NULL;
CREATE INDEX "deployment_database" ON "deployment"("databaseId", "sequence") WHERE "databaseId" IS NOT NULL;
CREATE INDEX "deployment_compose" ON "deployment"("composeId", "sequence") WHERE "composeId" IS NOT NULL;
CREATE INDEX "deployment_preview" ON "deployment"("previewDeploymentId", "sequence")
  WHERE "previewDeploymentId" IS NOT NULL;
CREATE INDEX "job_build_server" ON "job"("buildServerKey", "state", "slot", "sequence")
  WHERE "buildServerKey" IS NOT NULL;
`,
  },
  {
    version: 41,
    name: 'the installation and its incarnations',
    sql: `
CREATE TABLE "installation" (
  "installationId" TEXT PRIMARY KEY, "incarnationId" TEXT NOT NULL, "createdAt" TEXT NOT NULL);
CREATE TABLE "incarnation" (
  "incarnationId" TEXT PRIMARY KEY, "cause" TEXT NOT NULL, "startedAt" TEXT NOT NULL, "endedAt" TEXT);
CREATE TABLE "adopted_thing" (
  "serverKey" TEXT NOT NULL, "kind" TEXT NOT NULL, "name" TEXT NOT NULL, "since" TEXT NOT NULL,
  PRIMARY KEY ("serverKey", "kind", "name"));
CREATE TABLE "unknown_thing" (
  "serverKey" TEXT NOT NULL, "kind" TEXT NOT NULL, "name" TEXT NOT NULL, "engineId" TEXT NOT NULL,
  "owner" TEXT NOT NULL, "seenAt" TEXT NOT NULL, "removedAt" TEXT,
  PRIMARY KEY ("serverKey", "kind", "name"));
`,
  },
  {
    version: 42,
    name: 'pull-request-states',
    sql: `
CREATE TABLE "pull_request_state" (
  "applicationId" TEXT NOT NULL REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "repository" TEXT NOT NULL, "number" BIGINT NOT NULL, "action" TEXT NOT NULL, "updatedAt" TEXT NOT NULL,
  PRIMARY KEY ("applicationId", "repository", "number")
);
`,
  },
  {
    version: 43,
    name: 'subject, author and branch of the commit of a deployment',
    sql: `
ALTER TABLE "deployment" ADD COLUMN "commitInfo" TEXT;
`,
  },
  {
    version: 44,
    name: 'organizations that share a quota',
    sql: `
ALTER TABLE "organization" ADD COLUMN "parentOrganizationId" TEXT REFERENCES "organization"("organizationId");
CREATE INDEX "organization_parent" ON "organization"("parentOrganizationId")
  WHERE "parentOrganizationId" IS NOT NULL;
`,
  },
  {
    version: 45,
    name: 'the database with the state before a restore',
    sql: `
ALTER TABLE "backup_run" ADD COLUMN "previousDatabase" TEXT;
`,
  },
  {
    version: 46,
    name: 'a limit of the records of each kind, and indexes that count them',
    sql: `
ALTER TABLE "quota" ADD COLUMN "records" BIGINT;
CREATE INDEX "port_organization" ON "port"("organizationId");
CREATE INDEX "mount_organization" ON "mount"("organizationId");
CREATE INDEX "redirect_organization" ON "redirect"("organizationId");
CREATE INDEX "basic_auth_organization" ON "basic_auth"("organizationId");
CREATE INDEX "schedule_organization" ON "schedule"("organizationId");
CREATE INDEX "preview_deployment_organization" ON "preview_deployment"("organizationId");
CREATE INDEX "api_key_organization" ON "api_key"("organizationId");
`,
  },
  {
    version: 47,
    name: 'objects of backups that were restored on trial',
    sql: `
ALTER TABLE "backup_run" ADD COLUMN "restoredAt" TEXT;
ALTER TABLE "backup_run" ADD COLUMN "shape" TEXT;
ALTER TABLE "backup_run" ADD COLUMN "leftOut" TEXT;
`,
  },
  {
    version: 48,
    name: 'init of applications',
    sql: `
ALTER TABLE "application" ADD COLUMN "init" TEXT NOT NULL DEFAULT 'auto';
`,
  },
  {
    version: 49,
    name: 'the Dockerfile that Berth wrote for a deployment',
    sql: `
ALTER TABLE "deployment" ADD COLUMN "ownBuild" TEXT;
`,
  },
  {
    version: 50,
    name: 'deletions that go on',
    sql: `
CREATE TABLE "unfinished_deletion" (
  "serviceId" TEXT PRIMARY KEY, "kind" TEXT NOT NULL, "organizationId" TEXT NOT NULL,
  "serverKey" TEXT NOT NULL, "name" TEXT NOT NULL, "deleteVolumes" BIGINT NOT NULL, "userId" TEXT NOT NULL,
  "since" TEXT NOT NULL, "reason" TEXT NOT NULL, "triedAt" TEXT NOT NULL, "tries" BIGINT NOT NULL);
`,
  },
  {
    version: 51,
    name: 'what runs beside records counts in quotas',
    sql: `
CREATE TABLE "quota_left" (
  "serverKey" TEXT NOT NULL, "serviceId" TEXT NOT NULL,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "isRecorded" BIGINT NOT NULL, "nanoCpus" BIGINT NOT NULL, "memoryBytes" BIGINT NOT NULL,
  PRIMARY KEY ("serverKey", "serviceId"));
CREATE INDEX "quota_left_organization" ON "quota_left"("organizationId");
`,
  },
  {
    version: 52,
    name: 'rules of domains at the proxy',
    sql: `
ALTER TABLE "domain" ADD COLUMN "allowedAddresses" TEXT NOT NULL DEFAULT '[]';
ALTER TABLE "domain" ADD COLUMN "deniedAddresses" TEXT NOT NULL DEFAULT '[]';
ALTER TABLE "domain" ADD COLUMN "maintenance" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "domain" ADD COLUMN "maintenancePage" TEXT;
ALTER TABLE "domain" ADD COLUMN "errorPages" TEXT NOT NULL DEFAULT '{}';
ALTER TABLE "domain" ADD COLUMN "responseHeaders" TEXT NOT NULL DEFAULT '{}';
ALTER TABLE "domain" ADD COLUMN "compression" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "domain" ADD COLUMN "trustedProxies" TEXT;
`,
  },
  {
    version: 53,
    name: 'limit of processes',
    sql: `
ALTER TABLE "application" ADD COLUMN "pidsLimit" BIGINT;
ALTER TABLE "database" ADD COLUMN "pidsLimit" BIGINT;
`,
  },
  {
    version: 54,
    name: 'build contexts from the root of the repository',
    // They counted from the build path.
    sql: `
UPDATE "application" SET "containerContextPath" = "customGitBuildPath" || '/' || "containerContextPath"
  WHERE "sourceType" = 'git' AND "containerContextPath" <> '' AND "customGitBuildPath" NOT IN ('', '/', '.');
UPDATE "application" SET "containerContextPath" = "buildPath" || '/' || "containerContextPath"
  WHERE "sourceType" <> 'git' AND "containerContextPath" <> '' AND "buildPath" NOT IN ('', '/', '.');
`,
  },
  {
    version: 55,
    name: 'commits that pushes announce',
    sql: `ALTER TABLE "deployment" ADD COLUMN "pushedCommit" TEXT;`,
  },
  {
    version: 56,
    name: 'services that filled a disk, and containers that leave',
    sql: `
CREATE TABLE "disk_writer" (
  "kind" TEXT NOT NULL, "serviceId" TEXT PRIMARY KEY, "serverKey" TEXT NOT NULL, "grownBytes" BIGINT NOT NULL,
  "freeBytes" BIGINT NOT NULL, "keptBytes" BIGINT NOT NULL, "since" TEXT NOT NULL, "stoppedAt" TEXT NOT NULL);
CREATE TABLE "leaving_container" (
  "serverKey" TEXT NOT NULL, "containerId" TEXT NOT NULL, "since" BIGINT NOT NULL,
  PRIMARY KEY ("serverKey", "containerId"));
`,
  },
  {
    version: 57,
    name: 'commands after a release',
    sql: 'ALTER TABLE "application" ADD COLUMN "postReleaseCommand" TEXT;',
  },
  {
    version: 58,
    name: 'DNS providers, and certificates by DNS',
    sql: `
CREATE TABLE "dns_provider" (
  "dnsProviderId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL,
  "kind" TEXT NOT NULL, "settings" TEXT NOT NULL, "lastUsedAt" TEXT, "lastError" TEXT, "lastErrorAt" TEXT,
  "createdAt" TEXT NOT NULL);
CREATE INDEX "dns_provider_organization" ON "dns_provider"("organizationId");
CREATE TABLE "dns_challenge" (
  "dnsChallengeId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "dnsProviderId" TEXT NOT NULL,
  "name" TEXT NOT NULL, "text" TEXT NOT NULL, "attempts" BIGINT NOT NULL, "removeAt" BIGINT NOT NULL,
  "createdAt" TEXT NOT NULL);
CREATE INDEX "dns_challenge_due" ON "dns_challenge"("removeAt");
CREATE TABLE "certificate_order" (
  "certificateOrderId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL,
  "names" TEXT NOT NULL, "dnsProviderId" TEXT NOT NULL, "certificateResolverId" TEXT, "serverId" TEXT,
  "certificateId" TEXT, "status" TEXT NOT NULL, "error" TEXT, "attempts" BIGINT NOT NULL,
  "nextAt" BIGINT NOT NULL, "issuedAt" TEXT, "createdAt" TEXT NOT NULL, "leaseHolder" TEXT,
  "leaseUntil" BIGINT NOT NULL);
CREATE INDEX "certificate_order_organization" ON "certificate_order"("organizationId");
CREATE INDEX "certificate_order_due" ON "certificate_order"("nextAt");
CREATE TABLE "acme_account" (
  "acmeAccountId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "directoryUrl" TEXT NOT NULL,
  "eabKeyId" TEXT NOT NULL, "privateKey" TEXT NOT NULL, "createdAt" TEXT NOT NULL);
CREATE UNIQUE INDEX "acme_account_authority" ON "acme_account"("organizationId", "directoryUrl", "eabKeyId");
`,
  },
  {
    version: 59,
    name: 'host keys of destinations',
    sql: `ALTER TABLE "destination" ADD COLUMN "hostKey" TEXT NOT NULL DEFAULT '';`,
  },
  {
    version: 60,
    name: 'certificates that Berth orders by itself',
    sql: 'ALTER TABLE "certificate_order" ADD COLUMN "isAutomatic" BIGINT NOT NULL DEFAULT 0;',
  },
  {
    version: 61,
    name: 'previews of compose services',
    sql: `
ALTER TABLE "compose" ADD COLUMN "previewWildcard" TEXT;
ALTER TABLE "compose" ADD COLUMN "previewLimit" BIGINT NOT NULL DEFAULT 3;
ALTER TABLE "compose" ADD COLUMN "previewLabels" TEXT NOT NULL DEFAULT '[]';
ALTER TABLE "compose" ADD COLUMN "previewEnv" TEXT;
ALTER TABLE "compose" ADD COLUMN "previewSecretEnv" TEXT NOT NULL DEFAULT '';
ALTER TABLE "compose" ADD COLUMN "previewInherits" TEXT NOT NULL DEFAULT '[]';
ALTER TABLE "compose" ADD COLUMN "isPreviewDeploymentsActive" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "compose" ADD COLUMN "previewRequireCollaboratorPermissions" BIGINT NOT NULL DEFAULT 1;
ALTER TABLE "compose" ADD COLUMN "previewOf" TEXT;
CREATE TABLE "compose_preview" (
  "previewDeploymentId" TEXT PRIMARY KEY REFERENCES "compose"("composeId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL,
  "composeId" TEXT NOT NULL REFERENCES "compose"("composeId") ON DELETE CASCADE,
  "branch" TEXT NOT NULL, "pullRequestNumber" BIGINT NOT NULL, "domain" TEXT NOT NULL,
  "createdAt" TEXT NOT NULL, "commit" TEXT, "repository" TEXT NOT NULL, "provider" TEXT NOT NULL,
  "isTrusted" BIGINT NOT NULL, "commentId" TEXT, "commentDigest" TEXT
);
CREATE UNIQUE INDEX "compose_preview_number" ON "compose_preview"("composeId", "pullRequestNumber");
CREATE INDEX "compose_preview_organization" ON "compose_preview"("organizationId");
ALTER TABLE "pull_request_state" RENAME TO "pull_request_state_of_applications";
CREATE TABLE "pull_request_state" (
  "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "composeId" TEXT REFERENCES "compose"("composeId") ON DELETE CASCADE,
  "repository" TEXT NOT NULL, "number" BIGINT NOT NULL, "action" TEXT NOT NULL, "updatedAt" TEXT NOT NULL
);
INSERT INTO "pull_request_state" SELECT "applicationId", NULL, "repository", "number", "action", "updatedAt"
  FROM "pull_request_state_of_applications";
DROP TABLE "pull_request_state_of_applications";
CREATE UNIQUE INDEX "pull_request_state_application"
  ON "pull_request_state"("applicationId", "repository", "number");
CREATE UNIQUE INDEX "pull_request_state_compose" ON "pull_request_state"("composeId", "repository", "number");
`,
  },
  {
    version: 62,
    name: 'the applications of a deployed source',
    sql: `
ALTER TABLE "deployment" ADD COLUMN "sourceApplications" TEXT;
`,
  },
  {
    version: 63,
    name: 'recovery to a moment',
    sql: `
ALTER TABLE "backup" ADD COLUMN "keepDays" BIGINT;
ALTER TABLE "backup_run" ADD COLUMN "moment" TEXT;
CREATE TABLE "wal_span" (
  "walSpanId" TEXT PRIMARY KEY,
  "backupId" TEXT NOT NULL REFERENCES "backup"("backupId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL, "destinationId" TEXT NOT NULL, "folder" TEXT NOT NULL,
  "dataVolume" TEXT NOT NULL,
  "serverKey" TEXT NOT NULL, "systemId" TEXT NOT NULL, "timeline" BIGINT NOT NULL,
  "segmentBytes" BIGINT NOT NULL, "firstSegment" BIGINT NOT NULL, "nextSegment" BIGINT NOT NULL,
  "position" BIGINT, "restorableTo" TEXT, "createdAt" TEXT NOT NULL, "endedAt" TEXT, "endReason" TEXT);
CREATE INDEX "wal_span_backup" ON "wal_span"("backupId", "createdAt");
CREATE TABLE "wal_mark" (
  "walSpanId" TEXT NOT NULL REFERENCES "wal_span"("walSpanId") ON DELETE CASCADE, "at" TEXT NOT NULL,
  "position" BIGINT NOT NULL, "nextSegment" BIGINT NOT NULL, PRIMARY KEY ("walSpanId", "at"));
CREATE TABLE "base_backup" (
  "backupRunId" TEXT PRIMARY KEY REFERENCES "backup_run"("backupRunId") ON DELETE CASCADE,
  "walSpanId" TEXT NOT NULL REFERENCES "wal_span"("walSpanId") ON DELETE CASCADE,
  "firstSegment" BIGINT NOT NULL, "restorableFrom" TEXT NOT NULL);
CREATE INDEX "base_backup_span" ON "base_backup"("walSpanId");
`,
  },
  {
    version: 67,
    name: 'the template that a compose service was made of',
    sql: 'ALTER TABLE "compose" ADD COLUMN "madeFrom" TEXT;',
  },
  {
    version: 68,
    name: 'base domains of projects and servers',
    sql: `
ALTER TABLE "project" ADD COLUMN "baseDomain" TEXT;
ALTER TABLE "server" ADD COLUMN "baseDomain" TEXT;
`,
  },
  {
    version: 69,
    name: 'branches of databases',
    sql: `
CREATE TABLE "database_branch" (
  "databaseId" TEXT PRIMARY KEY REFERENCES "database"("databaseId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL,
  "sourceId" TEXT REFERENCES "database"("databaseId") ON DELETE SET NULL, "sourceName" TEXT NOT NULL,
  "backupRunId" TEXT NOT NULL, "asOf" TEXT NOT NULL, "mask" TEXT, "filledAt" TEXT,
  "createdBy" TEXT NOT NULL, "createdAt" TEXT NOT NULL, "expiresAt" BIGINT, "warnedAt" TEXT);
CREATE INDEX "database_branch_source" ON "database_branch"("sourceId");
CREATE INDEX "database_branch_expires" ON "database_branch"("expiresAt");
`,
  },
  {
    version: 70,
    name: 'bytes of stored logs',
    sql: `
ALTER TABLE "wal_span" ADD COLUMN "storedBytes" BIGINT NOT NULL DEFAULT 0;
`,
  },
  {
    version: 71,
    name: 'previews without a pull request',
    sql: `
ALTER TABLE "preview_deployment" ADD COLUMN "name" TEXT;
ALTER TABLE "preview_deployment" ADD COLUMN "image" TEXT;
ALTER TABLE "preview_deployment" ADD COLUMN "expiresAt" TEXT;
CREATE UNIQUE INDEX "preview_deployment_name" ON "preview_deployment"("applicationId", "name");
DROP INDEX "compose_preview_number";
DROP INDEX "compose_preview_organization";
ALTER TABLE "compose_preview" RENAME TO "compose_preview_of_pull_requests";
CREATE TABLE "compose_preview" (
  "previewDeploymentId" TEXT PRIMARY KEY REFERENCES "compose"("composeId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL,
  "composeId" TEXT NOT NULL REFERENCES "compose"("composeId") ON DELETE CASCADE,
  "branch" TEXT NOT NULL, "pullRequestNumber" BIGINT, "name" TEXT, "domain" TEXT NOT NULL,
  "createdAt" TEXT NOT NULL, "commit" TEXT, "repository" TEXT NOT NULL, "provider" TEXT NOT NULL,
  "isTrusted" BIGINT NOT NULL, "commentId" TEXT, "commentDigest" TEXT, "expiresAt" TEXT
);
INSERT INTO "compose_preview" SELECT "previewDeploymentId", "organizationId", "composeId", "branch",
  "pullRequestNumber", NULL, "domain", "createdAt", "commit", "repository", "provider", "isTrusted",
  "commentId", "commentDigest", NULL FROM "compose_preview_of_pull_requests";
DROP TABLE "compose_preview_of_pull_requests";
CREATE UNIQUE INDEX "compose_preview_number" ON "compose_preview"("composeId", "pullRequestNumber");
CREATE UNIQUE INDEX "compose_preview_name" ON "compose_preview"("composeId", "name");
CREATE INDEX "compose_preview_organization" ON "compose_preview"("organizationId");
`,
  },
  {
    version: 72,
    name: 'pull requests that wait for an approval',
    sql: `
CREATE TABLE "held_pull_request" (
  "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "composeId" TEXT REFERENCES "compose"("composeId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL, "number" BIGINT NOT NULL, "provider" TEXT NOT NULL, "event" TEXT NOT NULL,
  "commit" TEXT NOT NULL, "reason" TEXT NOT NULL, "heldAt" TEXT NOT NULL, "approvedCommit" TEXT,
  "approvedBy" TEXT, "approvedAt" TEXT, "hasVariables" BIGINT NOT NULL
);
CREATE UNIQUE INDEX "held_pull_request_application" ON "held_pull_request"("applicationId", "number");
CREATE UNIQUE INDEX "held_pull_request_compose" ON "held_pull_request"("composeId", "number");
`,
  },
  {
    version: 77,
    name: 'records set at DNS providers',
    sql: `
CREATE TABLE "dns_record" (
  "dnsRecordId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "dnsProviderId" TEXT NOT NULL,
  "name" TEXT NOT NULL, "wanted" TEXT NOT NULL, "isRemoved" BIGINT NOT NULL, "attempts" BIGINT NOT NULL,
  "error" TEXT, "nextAt" BIGINT, "keptUntil" BIGINT NOT NULL, "createdAt" TEXT NOT NULL);
CREATE UNIQUE INDEX "dns_record_name" ON "dns_record"("organizationId", "name");
CREATE INDEX "dns_record_due" ON "dns_record"("nextAt");
`,
  },
  {
    version: 78,
    name: 'encrypted backups',
    sql: `
ALTER TABLE "destination" ADD COLUMN "recipients" TEXT NOT NULL DEFAULT '[]';
ALTER TABLE "destination" ADD COLUMN "identities" TEXT;
ALTER TABLE "backup_run" ADD COLUMN "recipients" TEXT NOT NULL DEFAULT '[]';
ALTER TABLE "backup_run" ADD COLUMN "identity" TEXT;
ALTER TABLE "wal_span" ADD COLUMN "recipients" TEXT NOT NULL DEFAULT '[]';
`,
  },
  {
    version: 79,
    name: 'databases of previews',
    sql: `
ALTER TABLE "application" ADD COLUMN "previewDatabases" TEXT NOT NULL DEFAULT '[]';
ALTER TABLE "compose" ADD COLUMN "previewDatabases" TEXT NOT NULL DEFAULT '[]';
ALTER TABLE "database" ADD COLUMN "previewDeploymentId" TEXT;
CREATE INDEX "database_preview" ON "database"("previewDeploymentId");
ALTER TABLE "database_branch" ADD COLUMN "origin" TEXT NOT NULL DEFAULT 'backup';
ALTER TABLE "preview_deployment" ADD COLUMN "isFork" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "compose_preview" ADD COLUMN "isFork" BIGINT NOT NULL DEFAULT 0;
UPDATE "preview_deployment" SET "isFork" = 1 WHERE EXISTS (SELECT 1 FROM "held_pull_request" h
  WHERE h."applicationId" = "preview_deployment"."applicationId"
    AND h."number" = "preview_deployment"."pullRequestNumber");
UPDATE "compose_preview" SET "isFork" = 1 WHERE EXISTS (SELECT 1 FROM "held_pull_request" h
  WHERE h."composeId" = "compose_preview"."composeId"
    AND h."number" = "compose_preview"."pullRequestNumber");
`,
  },
  {
    version: 80,
    name: 'statements that mask databases of previews, encrypted',
    sql: '',
    seals: [
      { table: 'application', key: 'applicationId', column: 'previewDatabases' },
      { table: 'compose', key: 'composeId', column: 'previewDatabases' },
    ],
  },
  {
    version: 81,
    name: 'host names that applications allow',
    sql: `
ALTER TABLE "domain" ADD COLUMN "allowOnDemand" TEXT;
ALTER TABLE "domain" ADD COLUMN "onDemandOf" TEXT;
CREATE INDEX "domain_on_demand" ON "domain"("onDemandOf");
`,
  },
  {
    version: 82,
    name: 'catalogues of templates',
    sql: `
CREATE TABLE "template_catalogue" (
  "templateCatalogueId" TEXT PRIMARY KEY,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "name" TEXT NOT NULL, "url" TEXT NOT NULL, "branch" TEXT NOT NULL, "folder" TEXT NOT NULL,
  "username" TEXT, "password" TEXT, "commit" TEXT, "readAt" TEXT, "lookedAt" BIGINT NOT NULL,
  "templateCount" BIGINT NOT NULL, "leftOut" TEXT NOT NULL, "lastError" TEXT, "createdAt" TEXT NOT NULL
);
CREATE INDEX "template_catalogue_organization" ON "template_catalogue"("organizationId");
CREATE TABLE "catalogue_template" (
  "templateCatalogueId" TEXT NOT NULL
    REFERENCES "template_catalogue"("templateCatalogueId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL, "title" TEXT NOT NULL, "description" TEXT NOT NULL,
  "website" TEXT NOT NULL, "tags" TEXT NOT NULL, "icon" TEXT, "images" TEXT NOT NULL,
  "digest" TEXT NOT NULL, "definition" TEXT NOT NULL,
  PRIMARY KEY ("templateCatalogueId", "name")
);
CREATE INDEX "catalogue_template_organization" ON "catalogue_template"("organizationId");
`,
  },
];

/** The version the database is at; 0 for an empty one. */
export async function schemaVersion(database: Database): Promise<number> {
  await database.script(
    'CREATE TABLE IF NOT EXISTS "schema_migration" ("version" BIGINT PRIMARY KEY, "name" TEXT NOT NULL, ' +
      '"appliedAt" TEXT NOT NULL)',
  );
  const rows = await database.run<{ version: number | null }>({
    sql: 'select max("version") as "version" from "schema_migration"',
    parameters: [],
    query: rawNode,
    queryId: { queryId: 'schema-version' },
  });
  return rows[0]?.version ?? 0;
}

const rawNode = { kind: 'RawNode', sqlFragments: [], parameters: [] } as const;

/** Applies what is missing, each step in a transaction of its own. Gives the versions applied. */
export async function migrate(
  database: Database,
  now: string,
  steps: readonly Migration[] = migrations,
): Promise<number[]> {
  const present = await schemaVersion(database);
  const newest = steps.at(-1)?.version ?? 0;
  if (present > newest) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `The database is at version ${present}, this Berth knows only ${newest}. Start the newer Berth, ` +
        'or put back the backup made before its upgrade.',
    );
  }
  const missing = steps.filter((step) => step.version > present);
  for (const step of missing) {
    await database.transaction(async () => {
      await database.script(step.sql);
      for (const sealing of step.seals ?? []) await seal(database, sealing);
      await database.script(
        `INSERT INTO "schema_migration" VALUES (${step.version}, '${step.name}', '${now}')`,
      );
    });
  }
  return missing.map((step) => step.version);
}

async function seal(
  database: Database,
  { table, key, column }: NonNullable<Migration['seals']>[number],
): Promise<void> {
  const { builder, cipher } = database;
  const [at, id, text] = [sql.table(table), sql.ref(key), sql.ref(column)];
  const all = sql<{ id: string; text: string }>`
    select ${id} as "id", ${text} as "text" from ${at} where ${text} <> '[]'`.compile(builder);
  const change = sql`update ${at} set ${text} = ${''} where ${id} = ${''}`.compile(builder);
  for (const row of await database.run(all, []))
    await database.change(change, [sealedJson(row.text, cipher), row.id]);
}
