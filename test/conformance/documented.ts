/** The procedures that the interface document and its decisions name, with the section each stands in. */

const of = (source: string, router: string, names: string): Record<string, string> =>
  Object.fromEntries(names.split(' ').map((name) => [`${router}.${name}`, source]));
const kinds = ['mariadb', 'mysql', 'postgres', 'mongo', 'redis'];
const operations =
  'create one deploy start stop reload update saveEnvironment saveExternalPort changeStatus move ' +
  'rebuild remove';

export const documentedProcedures: Readonly<Record<string, string>> = {
  ...of('interface: Authentication-related and general', 'user', 'createApiKey get deleteApiKey'),
  ...of('decisions 12', 'user', 'changePassword sessions endSession'),
  ...of('interface: Authentication-related and general', 'project', 'all'),
  ...of('decisions 3', 'project', 'create one update remove duplicate'),
  ...of('interface: Environments', 'environment', 'create one byProjectId update remove duplicate'),
  ...of(
    'interface: Applications',
    'application',
    'create one update start stop reload delete move refreshToken saveEnvironment deploy redeploy ' +
      'cancelDeployment cleanQueues killBuild clearDeployments',
  ),
  ...of(
    'decisions 5',
    'application',
    'saveBuildType saveGithubProvider saveGitProvider saveGitlabProvider saveBitbucketProvider ' +
      'saveGiteaProvider saveContainerProvider dropDeployment run readLogs logs',
  ),
  ...of('decisions 5', 'deployment', 'all one readLogs logs rollback'),
  ...of('decisions 5', 'port', 'create one byApplicationId update delete'),
  ...of('decisions 5', 'mount', 'create one byApplicationId update remove'),
  ...of('decisions 5', 'redirect', 'create one byApplicationId update delete'),
  ...of('decisions 5', 'basicAuth', 'create one byApplicationId update delete'),
  ...of(
    'interface: Domains',
    'domain',
    'create update one byApplicationId byComposeId delete generateDomain validateDomain',
  ),
  ...Object.assign({}, ...kinds.map((kind) => of('interface: Databases', kind, operations))),
  ...of(
    'interface: Databases; decisions 7',
    'backup',
    'create manualBackupMariadb manualBackupMySql manualBackupPostgres manualBackupMongo ' +
      'restoreBackupWithLogs',
  ),
  ...of('decisions 7', 'backup', 'one update remove byDatabase listFiles'),
  ...of('decisions 17', 'notification', 'create one all update remove test'),
  ...of('decisions 7', 'destination', 'create one all update remove testConnection'),
  ...of(
    'decisions 8',
    'compose',
    'create one update delete deploy redeploy start stop move saveEnvironment loadServices refreshToken ' +
      'cleanQueues killBuild readLogs',
  ),
  ...of(
    'interface: Servers',
    'server',
    'create one all setup validate security setupMonitoring update remove getServerMetrics',
  ),
  ...of('interface: Preview deployments', 'previewDeployment', 'all one redeploy delete'),
  ...of('interface: Certificates', 'certificate', 'create one all remove'),
  ...of('decisions 9', 'certificateResolver', 'create one all update remove'),
  ...of(
    'interface: Containers',
    'container',
    'getContainers restartContainer getConfig getContainersByAppNameMatch getContainersByAppLabel ' +
      'getStackContainersByAppName getServiceContainersByAppName',
  ),
  ...of('interface: Swarm', 'swarm', 'getNodes getNodeInfo getNodeApps'),
  ...of('decisions 12', 'sshKey', 'create generate one all remove'),
  ...of('decisions 12', 'registry', 'create one all update remove test'),
  ...of(
    'decisions 12',
    'organization',
    'create one all update delete setActive members invite invitations revoke accept updateMember ' +
      'removeMember',
  ),
  ...of('decisions 12', 'settings', 'get update'),
  ...of('decisions 12', 'audit', 'all'),
};
