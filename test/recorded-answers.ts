/** A small shop, as Berth answers it: what the recording of the command line shows. */
import type { Answers } from './answering-server.ts';
import { recordedCoverage } from './recorded-coverage.ts';
import { recordedPreviews } from './recorded-previews.ts';
import { recordedCatalogueAt } from './recorded-catalogue.ts';
import { recordedRecords } from './recorded-records.ts';

const clusterNode = {
  isHead: false,
  role: 'worker',
  isLeader: false,
  availability: 'active',
  state: 'ready',
  address: '203.0.113.20',
  tasks: 0,
};

/** The moment of the recording. */
export const now = Date.parse('2026-03-01T12:00:00.000Z');
const at = (minutesAgo: number): string => new Date(now - minutesAgo * 60_000).toISOString();

const place = { description: '', env: '', createdAt: at(60 * 24 * 40) };
const none = { applications: [], compose: [], postgres: [], mysql: [], mariadb: [], mongo: [], redis: [] };
const app = (name: string, applicationStatus: string, applicationId = `${name}-id`): object => ({
  applicationId,
  name,
  appName: `${name}-k3x9a1`,
  applicationStatus,
});
/** The shop; with the database that `db create` makes, once that is made. */
export const projectsOf = (made: readonly object[]): readonly object[] => [
  {
    ...place,
    projectId: 'p1',
    name: 'shop',
    organizationId: 'o1',
    baseDomain: null,
    environments: [
      {
        ...place,
        ...none,
        environmentId: 'e1',
        name: 'production',
        projectId: 'p1',
        isDefault: true,
        applications: [app('web', 'done'), app('worker', 'error')],
        postgres: [
          { postgresId: 'db-id', name: 'db', appName: 'db-77aa12', applicationStatus: 'done' },
          ...made,
        ],
      },
      {
        ...place,
        ...none,
        environmentId: 'e2',
        name: 'staging',
        projectId: 'p1',
        isDefault: false,
        applications: [app('web', 'running', 'staging-web-id')],
      },
    ],
  },
];
const deployment = (deploymentId: string, minutesAgo: number, more: object = {}): object => ({
  deploymentId,
  applicationId: 'web-id',
  databaseId: null,
  composeId: null,
  previewDeploymentId: null,
  kind: 'deploy',
  title: 'Manual deployment',
  description: '',
  status: 'done',
  stage: 'prune',
  commit: '4f2a9c81d0e35b7766a1c2d3e4f5061728394a5b',
  commitInfo: null,
  image: 'berth/web:d3',
  errorMessage: null,
  createdAt: at(minutesAgo),
  startedAt: at(minutesAgo),
  healthyAt: at(minutesAgo - 0.6),
  finishedAt: at(minutesAgo - 0.7),
  startedBy: null,
  stages: null,
  ...more,
});
const failure = 'Nothing listens on port 3000; the program listens on 8080. Set the port, or PORT.';
const failed = deployment('d9', 12, { status: 'error', errorMessage: failure });
const running = deployment('d4Nw9gYr3MqC', 1, { title: 'Push to main', stage: 'build', finishedAt: null });
const deployments = [
  deployment('d3Zk8fWq2LmN', 35),
  deployment('d2Hy7sXe1KpB', 60 * 26, { title: 'Commit 9b1c', commit: '9b1c44aa' }),
  deployment('d1Tr6aVd0JoA', 60 * 50, { status: 'error', errorMessage: failure }),
];
const listed = (serviceId: string, more: object): object => ({
  serviceId,
  condition: 'up',
  reason: null,
  running: 1,
  desired: 1,
  since: at(35),
  status: 'done',
  deployment: null,
  address: null,
  ...more,
});
const begins = { condition: 'starting', running: 0, since: null, status: 'running' };
const address = { host: 'shop.example.com', path: '/', https: true, port: 3000 };
const domain = { ...address, certificateType: 'acme', allowOnDemand: null };
const line = (minutesAgo: number, text: string): { at: string; stream: 'stdout'; text: string } => ({
  at: at(minutesAgo),
  stream: 'stdout',
  text,
});
const run = { operation: 'backup', status: 'done', destinationId: 's3', database: 'shop', isStored: true };
const linesOfRuns: Readonly<Record<string, string>> = {
  'moment-1': 'The database changed over; the volume before it is kept.',
  'branch-1': 'Reading shop/2026-03-01T03-00-00.dump',
};
const steps = [{ name: 'dump', status: 'done', startedAt: at(540), finishedAt: at(539), detail: null }];

const recordedCatalogue = recordedCatalogueAt(at);

export const recordedAnswers: Answers = {
  'template.all': () => [
    {
      name: 'status',
      title: 'Status',
      description: 'Watches whether your sites answer.',
      website: 'https://status.example.com',
      tags: ['monitoring'],
      icon: null,
      images: ['status:2.1.0'],
      catalogue: null,
    },
    {
      name: 'wiki',
      title: 'Wiki',
      description: 'Pages of ours.',
      website: 'https://wiki.example.com',
      tags: ['docs'],
      icon: null,
      images: ['wiki:1.0'],
      catalogue: { templateCatalogueId: 'ours', name: 'Ours' },
    },
  ],
  'templateCatalogue.all': () => [recordedCatalogue],
  'templateCatalogue.create': () => recordedCatalogue,
  'templateCatalogue.refresh': () => recordedCatalogue,
  'templateCatalogue.remove': () => recordedCatalogue,
  'template.updates': () => [
    {
      composeId: 'status-id',
      name: 'status',
      template: 'status',
      title: 'Status',
      images: [{ service: 'app', from: 'status:2.0.4', to: 'status:2.1.0' }],
    },
  ],
  'template.create': () => ({
    composeId: 'status-id',
    name: 'status',
    appName: 'status-k3x9a1',
    deploymentId: 'd3Zk8fWq2LmN',
    domainId: 'd1',
    address: 'http://status-3f2a.203-0-113-7.sslip.io',
    domains: [{ name: 'web', domainId: 'd1', address: 'http://status-3f2a.203-0-113-7.sslip.io' }],
    firstSignIn: 'Open it right after the deployment: the first visitor makes the account.',
    instructions: '',
  }),
  'project.all': projectsOf([]),
  'project.one': projectsOf([])[0],
  'project.update': ({ baseDomain }: { baseDomain?: string | null }) => ({
    projectId: 'p1',
    name: 'shop',
    baseDomain: baseDomain ?? null,
  }),
  'settings.get': { baseDomain: 'apps.example.com' },
  'service.all': [
    listed('web-id', { running: 2, desired: 2, address: 'https://shop.example.com' }),
    listed('worker-id', { status: 'error', deployment: failed }),
    listed('staging-web-id', { ...begins, deployment: running }),
    listed('db-id', {
      condition: 'degraded',
      reason: 'It keeps ending and being started again. Exit code 1: the disk is full.',
      since: at(3),
    }),
  ],
  'deployment.latest': ({ applicationId }: { applicationId?: string }) =>
    applicationId === 'worker-id' ? failed : running,
  'deployment.all': deployments,
  'deployment.one': deployment('d4Nw9gYr3MqC', 1),
  'deployment.rollback': deployment('d4Nw9gYr3MqC', 1),
  'deployment.logs': [
    { type: 'line', text: '2026-03-01T11:59:00.000Z ── Using the uploaded source' },
    { type: 'line', text: '   checkout took 0.2 s' },
    { type: 'line', text: '── Building with dockerfile' },
    { type: 'line', text: '#5 [2/2] COPY . .' },
    { type: 'line', text: '   build took 8.4 s' },
    { type: 'line', text: '── Waiting until the new version is healthy' },
    { type: 'line', text: '   await-healthy took 3.1 s' },
    { type: 'line', text: 'Done.' },
    { type: 'end', outcome: 'done' },
  ],
  'container.getServiceContainersByAppName': [1, 2].map((number) => ({
    containerId: `8a1f0c9de7b${number}4455`,
    name: `web-k3x9a1.${number}.x5k2p9`,
    image: 'berth/web:d3',
    state: 'running',
    status: `started since ${at(35)}`,
  })),
  'application.one': {
    env: 'NODE_ENV=production\nCOLOR=blue\nAPI_TOKEN=t0ps3cret',
    sourceType: 'drop',
    repository: null,
    deployments: [],
    domains: [],
  },
  'application.create': { applicationId: 'web-id', appName: 'web-k3x9a1', applicationStatus: 'idle' },
  'application.saveBuildType': { applicationId: 'web-id' },
  'application.uploadedChunks': { upload: null, names: '' },
  'application.dropDeployment': true,
  'application.redeploy': true,
  'application.moveToServer': { deploymentId: 'd4Nw9gYr3MqC' },
  'compose.moveToServer': { deploymentId: 'd4Nw9gYr3MqC' },
  'postgres.moveToServer': { deploymentId: 'd4Nw9gYr3MqC' },
  'application.saveEnvironment': { applicationId: 'web-id' },
  'application.reload': { success: true },
  'application.start': { applicationId: 'web-id', applicationStatus: 'done' },
  'application.stop': { applicationId: 'web-id', applicationStatus: 'idle' },
  'application.scale': { applicationId: 'web-id' },
  'application.run': { exitCode: 0, error: '', log: [line(0, 'migrated 3 tables')] },
  'application.readLogs': ({ search = '' }: { search?: string }) =>
    [line(3, 'GET /cart 200 12 ms'), line(1, 'GET /pay 500 3 ms')].filter(({ text }) =>
      text.includes(search),
    ),
  'postgres.readLogs': [line(2, 'LOG:  checkpoint complete: wrote 42 buffers')],
  'redirect.byApplicationId': [],
  'schedule.all': [],
  'postgres.one': {
    name: 'db',
    appName: 'db-77aa12',
    description: '',
    applicationStatus: 'done',
    databaseName: 'shop',
    databaseUser: 'shop',
    containerImage: 'postgres:18',
    deployments: [
      {
        deploymentId: 'd5',
        status: 'done',
      },
    ],
    pendingChanges: [],
    mounts: [],
    backups: [],
    env: '',
    connection: {
      internal: 'postgresql://shop:s3cret@db-77aa12:5432/shop',
      external: null,
    },
  },
  'postgres.create': { postgresId: 'orders-id' },
  'postgres.deploy': { postgresId: 'db-id' },
  'domain.byApplicationId': [{ ...domain, serviceName: null, domainId: 'dom' }],
  'domain.create': domain,
  'domain.generateDomain': 'web-k3x9a1-8f2c1d-203-0-113-7.sslip.io',
  ...recordedRecords,
  'domain.validateDomain': {
    isValid: false,
    resolvedIps: ['198.51.100.9'],
    expectedIp: '203.0.113.7',
    error: 'leads to 198.51.100.9 and not to 203.0.113.7. Change its A record.',
    machines: [{ serverId: null, address: '203.0.113.7', isLed: false }],
  },
  ...recordedPreviews(at),
  'backup.byDatabase': [{ backupId: 'b1' }],
  'backup.manualBackupPostgres': true,
  'backup.runsByDatabase': [{ ...run, path: 'shop/2026-03-01T03-00-00.dump', storedBytes: 4_200_000, steps }],
  'backup.restoreBackupWithLogs': [
    { type: 'line', text: 'Reading shop/2026-03-01T03-00-00.dump' },
    { type: 'line', text: 'The database changed over; the volume before it is kept.' },
    { type: 'end', outcome: 'success' },
  ],
  'backup.useFormerVolume': { backupRunId: 'r2' },
  ...recordedCoverage(at),
  'backup.restoreToMoment': { backupRunId: 'moment-1' },
  'backup.branch': {
    databaseId: 'test-id',
    backupRunId: 'branch-1',
    path: 'shop/2026-03-01T03-00-00.dump',
    asOf: at(540),
    expiresAt: new Date(now + 72 * 3_600_000).toISOString(),
  },
  'backup.runLogs': ({ backupRunId }: { backupRunId: string }) => [
    { type: 'line', text: linesOfRuns[backupRunId] ?? 'The volume shop-db-former is used again.' },
    { type: 'end', outcome: 'success' },
  ],
  'user.get': { email: 'ann@example.com', role: 'owner', organizationId: 'o1' },
  'organization.all': [{ organizationId: 'o1', name: 'Example' }],
  'organization.members': [
    { email: 'ann@example.com', name: 'Ann', role: 'owner', createdAt: at(60 * 24 * 40) },
    { email: 'ben@example.com', name: 'Ben', role: 'member', createdAt: at(60 * 24 * 3) },
  ],
  'sshKey.generate': { sshKeyId: 'key-id', publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample berth' },
  'server.create': { serverId: 'paris-id', name: 'paris' },
  'server.setup': { serverId: 'fsn-id', name: 'fsn-1', setupStatus: 'running' },
  'server.setupLogs': [
    { type: 'line', text: '2026-03-01T11:59:00.000Z ── connect' },
    { type: 'line', text: '2026-03-01T11:59:00.000Z Connected to fsn-1 at 203.0.113.20 as root.' },
    { type: 'line', text: '2026-03-01T11:59:01.000Z ── engine' },
    { type: 'line', text: '2026-03-01T11:59:09.000Z Changed: installed the container engine' },
  ],
  'server.one': { serverId: 'fsn-id', name: 'fsn-1', setupStatus: 'done', setupError: null },
  'server.services': [
    { kind: 'application', serviceId: 'web-id', name: 'web', appName: 'shop-web-4f2a1b' },
    { kind: 'database', serviceId: 'orders-id', name: 'orders', appName: 'orders-9c3e5d' },
  ],
  'server.forget': {
    serverId: 'fsn-id',
    name: 'fsn-1',
    forgotten: [
      { kind: 'application', serviceId: 'web-id', name: 'web', appName: 'shop-web-4f2a1b' },
      { kind: 'database', serviceId: 'orders-id', name: 'orders', appName: 'orders-9c3e5d' },
    ],
    formerNodes: ['fsn-2'],
  },
  'cluster.nodes': [
    { ...clusterNode, name: 'fsn-1', isHead: true, role: 'manager', isLeader: true, tasks: 9 },
    { ...clusterNode, name: 'fsn-2', address: '203.0.113.21', tasks: 6 },
    { ...clusterNode, name: 'fsn-3', address: '203.0.113.22', state: 'down' },
  ],
  'cluster.join': { ...clusterNode, name: 'fsn-2' },
  'cluster.drain': { ...clusterNode, name: 'fsn-2', availability: 'drain' },
  'cluster.activate': { ...clusterNode, name: 'fsn-2' },
  'cluster.promote': { ...clusterNode, name: 'fsn-2', role: 'manager' },
  'cluster.demote': { ...clusterNode, name: 'fsn-2' },
  'cluster.leave': { serverId: 'fsn-2-id', name: 'fsn-2', setupStatus: 'running' },
  'cluster.remove': { serverId: 'fsn-2-id', name: 'fsn-2', status: 'inactive' },
  'cleanup.unfinished': [],
  'cleanup.unknown': [
    {
      serverKey: 'local',
      name: 'shop-former-4f2a',
      owner: 'application:former-id',
      seenAt: '2026-03-01T09:00:00.000Z',
      removedAt: null,
    },
    {
      serverKey: 'fsn-id',
      name: 'shop-queue-81cc',
      owner: 'redis:queue-id',
      seenAt: '2026-03-01T11:00:00.000Z',
      removedAt: '2026-03-02T11:00:00.000Z',
    },
  ],
  'cleanup.removeUnknown': true,
  'cleanup.others': [
    { kind: 'service', name: 'blog-web-77aa', installationId: 'k3v9' },
    { kind: 'volume', name: 'berth-data-old', installationId: null },
  ],
  'cleanup.giveUp': true,
  'cleanup.keptVolumes': [
    {
      volumeName: 'berth-4f2a-data',
      kind: 'application',
      serviceId: '4f2a',
      bytes: 48_300_000,
      deletedAt: at(60 * 26),
    },
  ],
  'cleanup.removeKeptVolume': true,
  'volumeBackup.volumes': [{ volumeName: 'data', mountPaths: ['/data'] }],
  'volumeBackup.useKeptVolume': { backupRunId: 'return-1' },
  'server.all': [
    {
      serverId: 'fsn-id',
      name: 'fsn-1',
      status: 'active',
      username: 'root',
      ipAddress: '203.0.113.20',
      port: 22,
      serverType: 'deploy',
      totalServices: 7,
    },
    {
      serverId: 'fsn-2-id',
      name: 'fsn-2',
      status: 'active',
      username: 'root',
      ipAddress: '203.0.113.21',
      port: 22,
      serverType: 'deploy',
      totalServices: 0,
    },
  ],
};
