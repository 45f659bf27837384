/**
 * Rows become the same answers that Berth gives, field by field, as somebody would write it for one table.
 */
import type { Row, Statements } from './database.ts';

const nothingRuns = {
  hasGitProviderAccess: true,
  unauthorizedProvider: null,
  live: null,
  pendingChanges: [],
};

const nothingSecret = { secretEnvNames: [], previewSecretEnvNames: [] };

export function applicationAnswer(database: Statements, row: Row): unknown {
  const { decrypt } = database;
  const applicationId = String(row['applicationId']);
  const organizationId = String(row['organizationId']);
  const read = readers(row, decrypt);
  const { secret, json, is } = read;
  const place = database.placement(String(row['environmentId']));
  return {
    applicationId,
    name: row['name'],
    appName: row['appName'],
    description: row['description'],
    applicationStatus: row['applicationStatus'],
    environmentId: row['environmentId'],
    createdAt: row['createdAt'],
    revision: row['revision'],
    sourceType: row['sourceType'],
    buildType: row['buildType'],
    replicas: row['replicas'],
    env: secret('env'),
    ...nothingSecret,
    buildArgs: secret('buildArgs'),
    buildSecrets: secret('buildSecrets'),
    createEnvFile: is('createEnvFile'),
    ...resources(row),
    ...source(row),
    autoDeploy: is('autoDeploy'),
    refreshToken: row['refreshToken'],
    watchPaths: json('watchPaths'),
    triggerType: row['triggerType'],
    cleanCache: is('cleanCache'),
    healthCheck: json('healthCheck'),
    updateOrder: row['updateOrder'],
    placement: json('placement'),
    labels: json('labels'),
    networks: json('networks'),
    stopGracePeriod: row['stopGracePeriod'],
    rollbackActive: is('rollbackActive'),
    preReleaseCommand: json('preReleaseCommand'),
    command: row['command'],
    args: json('args'),
    ...places(row),
    githubId: row['githubId'],
    ...previewSettings(row, read),
    ...nothingRuns,
    environment: {
      environmentId: row['environmentId'],
      name: place?.['environmentName'],
      projectId: place?.['projectId'],
      project: { projectId: place?.['projectId'], name: place?.['projectName'], organizationId },
    },
    deployments: database.deployments(applicationId).map(deploymentAnswer),
    domains: database.domains(applicationId, organizationId).map(domainAnswer),
    ports: database.ports(applicationId, organizationId).map(portAnswer),
    mounts: database.mounts(applicationId, organizationId).map((mount) => mountAnswer(mount, decrypt)),
  };
}

function resources(row: Row): Record<string, unknown> {
  const { memoryLimit, memoryReservation, cpuLimit, cpuReservation, pidsLimit } = row;
  return { memoryLimit, memoryReservation, cpuLimit, cpuReservation, pidsLimit };
}

function places(row: Row): Record<string, unknown> {
  return { serverId: row['serverId'], buildServerId: row['buildServerId'] };
}

interface Readers {
  secret(name: string): string | null;
  json(name: string): unknown;
  is(name: string): boolean;
}

/** The columns of a row that are not answered as they are stored. */
function readers(row: Row, decrypt: (stored: string) => string): Readers {
  return {
    secret: (name) => (row[name] === null ? null : decrypt(String(row[name]))),
    json: (name) => (row[name] === null ? null : JSON.parse(String(row[name]))),
    is: (name) => row[name] === 1,
  };
}

function source(row: Row): object {
  return {
    repository: row['repository'],
    owner: row['owner'],
    branch: row['branch'],
    gitHost: row['gitHost'],
    buildPath: row['buildPath'],
    dockerfile: row['dockerfile'],
    containerContextPath: row['containerContextPath'],
    containerBuildStage: row['containerBuildStage'],
    dockerContextPath: row['containerContextPath'],
    dockerBuildStage: row['containerBuildStage'],
    publishDirectory: row['publishDirectory'],
    isStaticSpa: row['isStaticSpa'] === 1,
    customGitUrl: row['customGitUrl'],
    customGitBranch: row['customGitBranch'],
    customGitBuildPath: row['customGitBuildPath'],
    customGitSSHKeyId: row['customGitSSHKeyId'],
    enableSubmodules: row['enableSubmodules'] === 1,
    containerImage: row['containerImage'],
    registryUrl: row['registryUrl'],
    username: row['username'],
    registryId: row['registryId'],
  };
}

function previewSettings(row: Row, { secret, json, is }: Readers): object {
  return {
    previewEnv: secret('previewEnv'),
    previewInherits: json('previewInherits'),
    previewDatabases: json('previewDatabases'),
    previewBuildArgs: secret('previewBuildArgs'),
    previewBuildSecrets: secret('previewBuildSecrets'),
    previewWildcard: row['previewWildcard'],
    previewPort: row['previewPort'],
    previewPath: row['previewPath'],
    previewHttps: is('previewHttps'),
    previewCertificateType: row['previewCertificateType'],
    previewCustomCertResolver: row['previewCustomCertResolver'],
    previewLimit: row['previewLimit'],
    previewLabels: json('previewLabels'),
    isPreviewDeploymentsActive: is('isPreviewDeploymentsActive'),
    previewRequireCollaboratorPermissions: is('previewRequireCollaboratorPermissions'),
  };
}

function deploymentAnswer(row: Row): unknown {
  return { ...row, startedBy: parsed(row['startedBy']), stages: parsed(row['stages']) };
}

const parsed = (stored: Row[string] | undefined): unknown =>
  stored === null || stored === undefined ? null : JSON.parse(String(stored));

function domainAnswer(row: Row): unknown {
  return {
    domainId: row['domainId'],
    host: row['host'],
    path: row['path'],
    port: row['port'],
    ownPort: row['ownPort'],
    https: row['https'] === 1,
    certificateType: row['certificateType'],
    customCertResolver: row['customCertResolver'],
    applicationId: row['applicationId'],
    composeId: row['composeId'],
    serviceName: row['serviceName'],
    domainType: row['domainType'],
    previewDeploymentId: row['previewDeploymentId'],
    internalPath: row['internalPath'],
    stripPath: row['stripPath'] === 1,
    uniqueConfigKey: row['uniqueConfigKey'],
    createdAt: row['createdAt'],
    hstsMaxAge: row['hstsMaxAge'],
    requestHeaders: JSON.parse(String(row['requestHeaders'])),
    maxBodyBytes: row['maxBodyBytes'],
  };
}

function portAnswer(row: Row): unknown {
  return {
    portId: row['portId'],
    applicationId: row['applicationId'],
    publishedPort: row['publishedPort'],
    targetPort: row['targetPort'],
    protocol: row['protocol'],
    publishMode: row['publishMode'],
    createdAt: row['createdAt'],
  };
}

function mountAnswer(row: Row, decrypt: (stored: string) => string): unknown {
  return {
    mountId: row['mountId'],
    type: row['type'],
    hostPath: row['hostPath'],
    volumeName: row['volumeName'],
    filePath: row['filePath'],
    isSecret: row['isSecret'] === 1,
    content: row['content'] === null ? null : decrypt(String(row['content'])),
    mountPath: row['mountPath'],
    serviceType: row['serviceType'],
    applicationId: row['applicationId'],
    composeId: row['composeId'],
    mariadbId: null,
    mysqlId: null,
    postgresId: null,
    mongoId: null,
    redisId: null,
    createdAt: row['createdAt'],
  };
}

export function projectsAnswer(database: Statements, organizationId: string): unknown {
  const services = Map.groupBy(
    database.services(organizationId, organizationId, organizationId),
    (row) => row['environmentId'],
  );
  const environments = Map.groupBy(database.environments(organizationId), (row) => row['projectId']);
  return database.projects(organizationId).map((project) => ({
    projectId: project['projectId'],
    name: project['name'],
    description: project['description'],
    env: database.decrypt(String(project['env'])),
    organizationId,
    createdAt: project['createdAt'],
    revision: project['revision'],
    environments: (environments.get(project['projectId'] ?? '') ?? []).map((environment) => ({
      environmentId: environment['environmentId'],
      name: environment['name'],
      description: environment['description'],
      projectId: environment['projectId'],
      env: database.decrypt(String(environment['env'])),
      isDefault: environment['isDefault'] === 1,
      createdAt: environment['createdAt'],
      revision: environment['revision'],
      ...listsOf(services.get(environment['environmentId'] ?? '') ?? []),
    })),
  }));
}

function listsOf(services: Row[]): Record<string, unknown[]> {
  const lists: Record<string, unknown[]> = {
    applications: [],
    mariadb: [],
    mysql: [],
    postgres: [],
    mongo: [],
    redis: [],
    compose: [],
  };
  for (const { kind, id, name, appName, status } of services) {
    const isCompose = kind === 'compose';
    lists[kind === 'application' ? 'applications' : String(kind)]?.push({
      [`${kind}Id`]: id,
      name,
      appName,
      live: null,
      [isCompose ? 'composeStatus' : 'applicationStatus']: status,
    });
  }
  return lists;
}
