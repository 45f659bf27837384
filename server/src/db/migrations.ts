/** The steps of the schema, in order, the same text for SQLite and PostgreSQL. A landed step is never changed; a new one is appended. */
import { AppError } from '../domain/errors.ts';
import type { Database } from './database.ts';

export interface Migration {
  /** Counts up by one. */
  version: number;
  name: string;
  /** Statements that both databases understand. */
  sql: string;
}

const serviceConfiguration = `
  "sourceType" TEXT NOT NULL, "buildType" TEXT NOT NULL, "applicationStatus" TEXT NOT NULL, "replicas" BIGINT NOT NULL,
  "env" TEXT NOT NULL, "buildArgs" TEXT, "buildSecrets" TEXT, "createEnvFile" BIGINT NOT NULL,
  "memoryLimit" TEXT, "memoryReservation" TEXT, "cpuLimit" TEXT, "cpuReservation" TEXT,
  "repository" TEXT, "owner" TEXT, "branch" TEXT, "buildPath" TEXT NOT NULL,
  "dockerfile" TEXT NOT NULL, "containerContextPath" TEXT, "containerBuildStage" TEXT, "publishDirectory" TEXT, "isStaticSpa" BIGINT NOT NULL,
  "customGitUrl" TEXT, "customGitBranch" TEXT, "customGitBuildPath" TEXT NOT NULL, "customGitSSHKeyId" TEXT REFERENCES "ssh_key"("sshKeyId"),
  "customGitUsername" TEXT, "customGitPassword" TEXT, "enableSubmodules" BIGINT NOT NULL,
  "containerImage" TEXT, "registryUrl" TEXT, "username" TEXT, "password" TEXT, "registryId" TEXT REFERENCES "registry"("registryId"),
  "autoDeploy" BIGINT NOT NULL, "refreshToken" TEXT NOT NULL, "watchPaths" TEXT NOT NULL, "triggerType" TEXT NOT NULL, "cleanCache" BIGINT NOT NULL,
  "healthCheck" TEXT, "updateOrder" TEXT NOT NULL, "placement" TEXT NOT NULL, "labels" TEXT NOT NULL, "networks" TEXT NOT NULL,
  "stopGracePeriod" BIGINT, "rollbackActive" BIGINT NOT NULL, "preReleaseCommand" TEXT,
  "command" TEXT, "args" TEXT NOT NULL, "serverId" TEXT, "githubId" TEXT,
  "previewEnv" TEXT, "previewBuildArgs" TEXT, "previewBuildSecrets" TEXT, "previewWildcard" TEXT, "previewPort" BIGINT NOT NULL,
  "previewPath" TEXT NOT NULL, "previewHttps" BIGINT NOT NULL, "previewCertificateType" TEXT NOT NULL, "previewCustomCertResolver" TEXT, "previewLimit" BIGINT NOT NULL,
  "previewLabels" TEXT NOT NULL, "isPreviewDeploymentsActive" BIGINT NOT NULL, "previewRequireCollaboratorPermissions" BIGINT NOT NULL,
  "uploadPath" TEXT, "liveDeploymentId" TEXT, "releasedAppName" TEXT, "isStopped" BIGINT NOT NULL, "createdAt" TEXT NOT NULL`;

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'foundation',
    sql: `
CREATE TABLE "user" ("userId" TEXT PRIMARY KEY, "email" TEXT NOT NULL UNIQUE, "name" TEXT NOT NULL, "passwordHash" TEXT NOT NULL, "createdAt" TEXT NOT NULL);
CREATE TABLE "organization" ("organizationId" TEXT PRIMARY KEY, "name" TEXT NOT NULL, "createdAt" TEXT NOT NULL);
CREATE TABLE "member" ("memberId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE,
  "userId" TEXT NOT NULL REFERENCES "user"("userId") ON DELETE CASCADE, "role" TEXT NOT NULL, "grants" TEXT NOT NULL, "createdAt" TEXT NOT NULL, UNIQUE ("userId", "organizationId"));
CREATE INDEX "member_organization" ON "member"("organizationId");
CREATE TABLE "session" ("sessionId" TEXT PRIMARY KEY, "tokenHash" TEXT NOT NULL UNIQUE, "userId" TEXT NOT NULL REFERENCES "user"("userId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE, "createdAt" TEXT NOT NULL, "expiresAt" BIGINT NOT NULL, "ip" TEXT NOT NULL, "userAgent" TEXT NOT NULL);
CREATE INDEX "session_user" ON "session"("userId");
CREATE TABLE "api_key" ("apiKeyId" TEXT PRIMARY KEY, "keyHash" TEXT NOT NULL UNIQUE, "userId" TEXT NOT NULL REFERENCES "user"("userId") ON DELETE CASCADE,
  "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId") ON DELETE CASCADE, "name" TEXT NOT NULL, "prefix" TEXT, "start" TEXT NOT NULL, "enabled" BIGINT NOT NULL,
  "createdAt" TEXT NOT NULL, "createdAtMs" BIGINT NOT NULL, "expiresAt" BIGINT, "lastRequestAt" BIGINT,
  "rateLimitEnabled" BIGINT NOT NULL, "rateLimitTimeWindow" BIGINT, "rateLimitMax" BIGINT, "windowStart" BIGINT, "windowCount" BIGINT NOT NULL,
  "remaining" BIGINT, "refillAmount" BIGINT, "refillInterval" BIGINT, "refillsApplied" BIGINT NOT NULL, "permissions" TEXT);
CREATE INDEX "api_key_user" ON "api_key"("userId", "organizationId");
CREATE TABLE "project" ("projectId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL REFERENCES "organization"("organizationId"), "name" TEXT NOT NULL, "description" TEXT NOT NULL,
  "env" TEXT NOT NULL, "createdAt" TEXT NOT NULL);
CREATE INDEX "project_organization" ON "project"("organizationId", "createdAt");
CREATE TABLE "environment" ("environmentId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "projectId" TEXT NOT NULL REFERENCES "project"("projectId"), "name" TEXT NOT NULL,
  "description" TEXT NOT NULL, "env" TEXT NOT NULL, "isDefault" BIGINT NOT NULL, "networkIndex" BIGINT UNIQUE, "createdAt" TEXT NOT NULL);
CREATE INDEX "environment_project" ON "environment"("projectId", "createdAt");
CREATE INDEX "environment_organization" ON "environment"("organizationId");
CREATE TABLE "ssh_key" ("sshKeyId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL, "description" TEXT NOT NULL, "publicKey" TEXT NOT NULL,
  "privateKey" TEXT NOT NULL, "fingerprint" TEXT NOT NULL, "createdAt" TEXT NOT NULL);
CREATE INDEX "ssh_key_organization" ON "ssh_key"("organizationId", "createdAt");
CREATE TABLE "registry" ("registryId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "name" TEXT NOT NULL, "registryUrl" TEXT NOT NULL, "username" TEXT NOT NULL,
  "password" TEXT NOT NULL, "imagePrefix" TEXT NOT NULL, "createdAt" TEXT NOT NULL);
CREATE INDEX "registry_organization" ON "registry"("organizationId", "createdAt");
CREATE TABLE "application" ("applicationId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "environmentId" TEXT NOT NULL REFERENCES "environment"("environmentId"),
  "name" TEXT NOT NULL, "appName" TEXT NOT NULL, "description" TEXT NOT NULL, ${serviceConfiguration});
CREATE UNIQUE INDEX "application_app_name" ON "application"(lower("appName"));
CREATE UNIQUE INDEX "application_refresh_token" ON "application"("refreshToken");
CREATE INDEX "application_environment" ON "application"("environmentId", "createdAt");
CREATE INDEX "application_organization" ON "application"("organizationId");
CREATE INDEX "application_ssh_key" ON "application"("customGitSSHKeyId");
CREATE INDEX "application_registry" ON "application"("registryId");
CREATE TABLE "deployment" ("deploymentId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL,
  "applicationId" TEXT NOT NULL REFERENCES "application"("applicationId") ON DELETE CASCADE, "kind" TEXT NOT NULL, "title" TEXT NOT NULL, "description" TEXT NOT NULL,
  "status" TEXT NOT NULL, "stage" TEXT, "commit" TEXT, "image" TEXT, "errorMessage" TEXT, "settings" TEXT, "sourceDeploymentId" TEXT, "child" TEXT, "previousVersion" BIGINT,
  "createdAt" TEXT NOT NULL, "startedAt" TEXT, "healthyAt" TEXT, "finishedAt" TEXT, "sequence" BIGINT NOT NULL UNIQUE);
CREATE INDEX "deployment_application" ON "deployment"("applicationId", "sequence");
CREATE INDEX "deployment_status" ON "deployment"("status");
CREATE TABLE "job" ("jobId" TEXT PRIMARY KEY, "kind" TEXT NOT NULL, "payload" TEXT NOT NULL, "serviceKey" TEXT NOT NULL, "serverKey" TEXT NOT NULL, "state" TEXT NOT NULL,
  "attempts" BIGINT NOT NULL, "worker" TEXT, "leaseUntil" BIGINT NOT NULL, "sequence" BIGINT NOT NULL UNIQUE, "createdAt" TEXT NOT NULL);
CREATE INDEX "job_state" ON "job"("state", "sequence");
CREATE INDEX "job_service" ON "job"("serviceKey", "state", "sequence");
CREATE TABLE "domain" ("domainId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "host" TEXT NOT NULL, "asciiHost" TEXT NOT NULL, "path" TEXT NOT NULL, "port" BIGINT NOT NULL,
  "https" BIGINT NOT NULL, "certificateType" TEXT NOT NULL, "customCertResolver" TEXT, "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "composeId" TEXT, "serviceName" TEXT, "domainType" TEXT NOT NULL, "previewDeploymentId" TEXT, "internalPath" TEXT NOT NULL, "stripPath" BIGINT NOT NULL,
  "uniqueConfigKey" BIGINT NOT NULL UNIQUE, "serverKey" TEXT NOT NULL, "createdAt" TEXT NOT NULL);
CREATE UNIQUE INDEX "domain_host_path" ON "domain"("serverKey", "asciiHost", "path");
CREATE INDEX "domain_application" ON "domain"("applicationId", "createdAt");
CREATE TABLE "port" ("portId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "applicationId" TEXT NOT NULL REFERENCES "application"("applicationId") ON DELETE CASCADE,
  "publishedPort" BIGINT NOT NULL, "targetPort" BIGINT NOT NULL, "protocol" TEXT NOT NULL, "publishMode" TEXT NOT NULL, "createdAt" TEXT NOT NULL);
CREATE UNIQUE INDEX "port_published" ON "port"("publishedPort", "protocol");
CREATE INDEX "port_application" ON "port"("applicationId", "createdAt");
CREATE TABLE "mount" ("mountId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "type" TEXT NOT NULL, "hostPath" TEXT, "volumeName" TEXT, "filePath" TEXT, "content" TEXT,
  "mountPath" TEXT NOT NULL, "serviceType" TEXT NOT NULL, "applicationId" TEXT REFERENCES "application"("applicationId") ON DELETE CASCADE, "createdAt" TEXT NOT NULL);
CREATE INDEX "mount_application" ON "mount"("applicationId", "createdAt");
CREATE TABLE "setting" ("name" TEXT PRIMARY KEY, "value" TEXT NOT NULL);
CREATE TABLE "audit" ("auditId" TEXT PRIMARY KEY, "organizationId" TEXT NOT NULL, "at" TEXT NOT NULL, "userId" TEXT, "apiKeyId" TEXT, "procedure" TEXT NOT NULL,
  "resourceId" TEXT, "outcome" TEXT NOT NULL, "ip" TEXT NOT NULL);
CREATE INDEX "audit_organization" ON "audit"("organizationId", "at");
`,
  },
  {
    version: 2,
    name: 'one mount for each path of a service',
    sql: `CREATE UNIQUE INDEX "mount_path" ON "mount"("applicationId", "mountPath");`,
  },
];

/** The version the database is at; 0 for an empty one. */
export async function schemaVersion(database: Database): Promise<number> {
  await database.script('CREATE TABLE IF NOT EXISTS "schema_migration" ("version" BIGINT PRIMARY KEY, "name" TEXT NOT NULL, "appliedAt" TEXT NOT NULL)');
  const rows = await database.run<{ version: number | null }>({
    sql: 'select max("version") as "version" from "schema_migration"', parameters: [], query: rawNode, queryId: { queryId: 'schema-version' },
  });
  return rows[0]?.version ?? 0;
}

const rawNode = { kind: 'RawNode', sqlFragments: [], parameters: [] } as const;

/** Applies what is missing, each step in a transaction of its own. Gives the versions applied. */
export async function migrate(database: Database, now: string, steps: readonly Migration[] = migrations): Promise<number[]> {
  const present = await schemaVersion(database);
  const newest = steps.at(-1)?.version ?? 0;
  if (present > newest) {
    throw new AppError('PRECONDITION_FAILED', `The database is at version ${present}, this Berth knows only ${newest}. Start the newer Berth, or put back the backup made before its upgrade.`);
  }
  const missing = steps.filter((step) => step.version > present);
  for (const step of missing) {
    await database.transaction(async () => {
      await database.script(step.sql);
      await database.script(`INSERT INTO "schema_migration" VALUES (${step.version}, '${step.name}', '${now}')`);
    });
  }
  return missing.map((step) => step.version);
}
