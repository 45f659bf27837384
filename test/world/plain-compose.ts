import type { TableRecord } from '../../server/src/db/tables.ts';

/** The settings of previews of one that has none. */
export const noPreviews = {
  previewWildcard: null,
  previewLimit: 3,
  previewLabels: [],
  previewEnv: null,
  previewSecretEnv: '',
  previewInherits: [],
  isPreviewDeploymentsActive: false,
  previewRequireCollaboratorPermissions: true,
  previewOf: null,
} satisfies Partial<TableRecord<'compose'>>;

/** A compose service whose settings nobody has touched, without what makes it this one. */
export const plainCompose: Omit<
  TableRecord<'compose'>,
  'composeId' | 'organizationId' | 'environmentId' | 'name' | 'appName' | 'refreshToken' | 'createdAt'
> = {
  revision: 0,
  description: '',
  serverId: null,
  composeType: 'compose',
  sourceType: 'raw',
  env: '',
  createEnvFile: false,
  composeStatus: 'idle',
  randomize: false,
  suffix: '',
  repository: null,
  owner: null,
  branch: null,
  gitHost: null,
  githubId: null,
  customGitUrl: null,
  customGitBranch: null,
  customGitSSHKeyId: null,
  customGitUsername: null,
  enableSubmodules: false,
  watchPaths: [],
  triggerType: 'push',
  releasedAppName: null,
  isStopped: false,
  liveDeploymentId: null,
  releasedSuffix: '',
  releasedServices: null,
  restoredVolumes: {},
  networkIndex: null,
  approval: null,
  awaitsApproval: null,
  ...noPreviews,
  secretEnv: '',
  composeFile: '',
  composePath: '',
  autoDeploy: false,
  customGitPassword: null,
  webhookSecret: null,
};
