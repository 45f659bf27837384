/** A new application before anyone set anything (decisions 5, defaults). */
import type { ApplicationRecord } from '../../db/tables.ts';

export type Identity = Pick<
  ApplicationRecord,
  | 'applicationId'
  | 'organizationId'
  | 'environmentId'
  | 'name'
  | 'appName'
  | 'description'
  | 'refreshToken'
  | 'createdAt'
>;

export function newApplication(identity: Identity): ApplicationRecord {
  return {
    ...identity,
    revision: 0,
    ...source(),
    ...build,
    ...runtime(),
    ...previews(),
    ...state,
  };
}

/** Functions where a value is an array or object, of which each application has its own. */
function source() {
  return {
    sourceType: 'github',
    repository: null,
    owner: null,
    branch: null,
    gitHost: null,
    githubId: null,
    customGitUrl: null,
    customGitBranch: null,
    customGitBuildPath: '/',
    customGitSSHKeyId: null,
    customGitUsername: null,
    customGitPassword: null,
    enableSubmodules: true,
    containerImage: null,
    registryUrl: null,
    username: null,
    password: null,
    registryId: null,
    autoDeploy: true,
    watchPaths: [],
    triggerType: 'push',
    webhookSecret: null,
    uploadPath: null,
  } satisfies Partial<ApplicationRecord>;
}

function runtime() {
  return {
    replicas: 1,
    env: '',
    secretEnv: '',
    createEnvFile: false,
    memoryLimit: null,
    memoryReservation: null,
    cpuLimit: null,
    cpuReservation: null,
    pidsLimit: null,
    healthCheck: null,
    updateOrder: 'start-first',
    placement: [],
    labels: {},
    networks: [],
    stopGracePeriod: null,
    init: 'auto',
    rollbackActive: true,
    preReleaseCommand: null,
    postReleaseCommand: null,
    command: null,
    args: [],
    serverId: null,
  } satisfies Partial<ApplicationRecord>;
}

function previews() {
  return {
    previewEnv: null,
    previewSecretEnv: '',
    previewInherits: [],
    previewDatabases: [],
    previewBuildArgs: null,
    previewBuildSecrets: null,
    previewWildcard: null,
    previewPort: 3000,
    previewPath: '/',
    previewHttps: false,
    previewCertificateType: 'none',
    previewCustomCertResolver: null,
    previewLimit: 3,
    previewLabels: [],
    isPreviewDeploymentsActive: false,
    previewRequireCollaboratorPermissions: true,
  } satisfies Partial<ApplicationRecord>;
}

const build = {
  buildType: 'auto',
  buildPath: '/',
  dockerfile: 'Dockerfile',
  containerContextPath: null,
  containerBuildStage: null,
  publishDirectory: null,
  isStaticSpa: false,
  buildArgs: null,
  buildSecrets: null,
  buildServerId: null,
  cleanCache: false,
} satisfies Partial<ApplicationRecord>;

const state = {
  applicationStatus: 'idle',
  liveDeploymentId: null,
  releasedAppName: null,
  shownPort: null,
  isStopped: false,
  restoredVolumes: {},
} satisfies Partial<ApplicationRecord>;
