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
    sourceType: 'github',
    buildType: 'nixpacks',
    applicationStatus: 'idle',
    replicas: 1,
    env: '',
    buildArgs: null,
    buildSecrets: null,
    createEnvFile: false,
    memoryLimit: null,
    memoryReservation: null,
    cpuLimit: null,
    cpuReservation: null,
    repository: null,
    owner: null,
    branch: null,
    buildPath: '/',
    dockerfile: 'Dockerfile',
    containerContextPath: null,
    containerBuildStage: null,
    publishDirectory: null,
    isStaticSpa: false,
    customGitUrl: null,
    customGitBranch: null,
    customGitBuildPath: '/',
    customGitSSHKeyId: null,
    customGitUsername: null,
    customGitPassword: null,
    enableSubmodules: false,
    containerImage: null,
    registryUrl: null,
    username: null,
    password: null,
    registryId: null,
    autoDeploy: true,
    watchPaths: [],
    triggerType: 'push',
    cleanCache: false,
    healthCheck: null,
    updateOrder: 'start-first',
    placement: [],
    labels: {},
    networks: [],
    stopGracePeriod: null,
    rollbackActive: true,
    preReleaseCommand: null,
    command: null,
    args: [],
    serverId: null,
    githubId: null,
    previewEnv: null,
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
    uploadPath: null,
    liveDeploymentId: null,
    releasedAppName: null,
    isStopped: false,
    webhookSecret: null,
    gitHost: null,
  };
}
