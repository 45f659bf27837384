/**
 * What belongs to an organization: servers, certificates, keys, registries, destinations, settings, the audit
 * log.
 */
import { certificateChain, expiredCertificate, otherPrivateKey } from '../../world/certificates.ts';
import { any, type Rows } from '../row.ts';

const certificate = {
  certificateId: any.id,
  name: any.text,
  expirationDate: any.time,
  notBefore: any.time,
  commonName: 'shop.example.com',
  subjectAlternativeNames: any.list,
  issuer: any.text,
  serverId: '<placeServerId>',
  status: 'valid',
  domains: any.list,
  privateKey: any.absent,
  certificateData: any.absent,
};
const good = {
  name: 'shop',
  certificateData: certificateChain.certificate,
  privateKey: certificateChain.privateKey,
};

export const certificateRows: Rows = [
  {
    rule: ['the private key is never returned', "a certificate's reads"],
    call: 'certificate.create',
    input: good,
    gives: {
      ...certificate,
      name: 'shop',
      subjectAlternativeNames: ['shop.example.com', 'www.shop.example.com'],
      issuer: any.matching(/Example Root/),
    },
  },
  {
    call: 'certificate.create',
    input: { ...good, certificateChain: certificateChain.root },
    gives: certificate,
  },
  {
    rule: 'Invalid certificate',
    call: 'certificate.create',
    input: { ...good, certificateData: 'no certificate' },
    flat: 'Invalid certificate',
  },
  {
    rule: 'Key mismatch',
    call: 'certificate.create',
    input: { ...good, privateKey: otherPrivateKey },
    flat: 'Key mismatch',
  },
  {
    rule: 'Certificate expired',
    call: 'certificate.create',
    input: {
      ...good,
      certificateData: expiredCertificate.certificate,
      privateKey: expiredCertificate.privateKey,
    },
    flat: 'Certificate expired',
  },
  {
    rule: 'a member calling an admin procedure is 403',
    call: 'certificate.create',
    as: 'granted',
    input: good,
    refused: 'FORBIDDEN',
  },
  {
    rule: 'an id nested in a body is checked likewise',
    call: 'certificate.create',
    input: { ...good, serverId: '<foreign.serverId>' },
    refused: 'FORBIDDEN',
  },
  {
    rule: 'a missing required field is 400 with its name',
    call: 'certificate.create',
    input: { name: 'shop', privateKey: 'x' },
    refused: 'BAD_REQUEST',
    field: 'certificateData',
  },
  {
    rule: ["a certificate's reads", 'the private key is never returned'],
    call: 'certificate.one',
    input: { certificateId: '<certificateId>' },
    gives: { ...certificate, name: 'free' },
  },
  {
    rule: 'an unknown certificate is 404 in the envelope',
    call: 'certificate.one',
    input: { certificateId: 'none' },
    refused: 'NOT_FOUND',
  },
  {
    rule: 'an unknown certificate is 404 in the envelope',
    call: 'certificate.remove',
    input: { certificateId: 'none' },
    refused: 'NOT_FOUND',
  },
  {
    call: 'certificate.all',
    gives: [
      { ...certificate, name: 'used', domains: any.listOf({ host: any.text }) },
      { ...certificate, name: 'free' },
    ],
  },
  {
    call: 'certificate.remove',
    input: { certificateId: '<certificateId>' },
    gives: { ...certificate, name: 'free' },
    after: [{ call: 'certificate.one', input: { certificateId: '<certificateId>' }, refused: 'NOT_FOUND' }],
  },
  {
    rule: 'Certificate in use',
    call: 'certificate.remove',
    input: { certificateId: '<usedCertificateId>' },
    flat: 'Certificate in use',
  },
];

const resolver = {
  certificateResolverId: any.id,
  name: 'internal',
  directoryUrl: 'https://acme.example.com/directory',
  email: 'ops@example.com',
  eabHmacKey: any.absent,
};

export const certificateResolverRows: Rows = [
  {
    call: 'certificateResolver.create',
    input: {
      name: 'step',
      directoryUrl: 'https://ca.example.com/acme',
      email: 'ops@example.com',
      eab: { keyId: 'k', hmacKey: 'bm90LWEta2V5' },
    },
    gives: { certificateResolverId: any.id, name: 'step', directoryUrl: 'https://ca.example.com/acme' },
    keep: { madeId: 'certificateResolverId' },
    after: [{ call: 'certificateResolver.remove', input: { certificateResolverId: '<madeId>' } }],
    installation: true,
  },
  {
    call: 'certificateResolver.one',
    input: { certificateResolverId: '<certificateResolverId>' },
    gives: resolver,
  },
  { call: 'certificateResolver.all', gives: [resolver] },
  {
    call: 'certificateResolver.update',
    input: { certificateResolverId: '<certificateResolverId>', email: 'tls@example.com' },
    gives: { ...resolver, email: 'tls@example.com' },
    installation: true,
  },
  {
    call: 'certificateResolver.remove',
    input: { certificateResolverId: '<certificateResolverId>' },
    gives: resolver,
  },
];

const server = {
  serverId: any.id,
  name: any.text,
  description: any.textOrNull,
  ipAddress: '203.0.113.7',
  port: 22,
  username: 'root',
  sshKeyId: any.textOrNull,
  serverType: 'deploy',
  status: any.text,
  buildsConcurrency: 1,
  createdAt: any.time,
};
const made = { name: 'node', ipAddress: '203.0.113.9', port: 22, username: 'root', serverType: 'deploy' };
const monitoring = {
  server: {
    refreshRate: 2,
    port: 4500,
    token: 't',
    urlCallback: 'https://berth.example.com/metrics',
    retentionDays: 1,
    cronJob: '0 0 * * *',
    thresholds: { cpu: 0, memory: 100 },
  },
  containers: { refreshRate: 2, services: { include: ['shop*'], exclude: [] } },
};
const wrongMonitoring = (field: string, config: object): Rows[number] => ({
  rule: 'metricsConfig has its bounds',
  call: 'server.setupMonitoring',
  input: { serverId: '<serverId>', metricsConfig: config },
  refused: 'BAD_REQUEST',
  field: `metricsConfig.${field}`,
});

/** What a cluster does is shown on three machines (test/e2e/servers/cluster.e2e.test.ts). */
const clusterRows: Rows = [
  { call: 'cluster.nodes', input: { serverId: '<serverId>' }, refused: 'PRECONDITION_FAILED' },
  {
    call: 'cluster.join',
    input: { serverId: '<serverId>', nodeServerId: '<busyServerId>', role: 'worker' },
    refused: 'BAD_REQUEST',
    field: 'serverId',
  },
  {
    call: 'cluster.join',
    input: { serverId: '<serverId>', nodeServerId: '<serverId>' },
    refused: 'BAD_REQUEST',
    field: 'nodeServerId',
  },
  ...['drain', 'activate', 'promote', 'demote', 'leave', 'remove'].map((name): Rows[number] => ({
    call: `cluster.${name}`,
    input: { nodeServerId: '<serverId>' },
    refused: 'BAD_REQUEST',
    field: 'nodeServerId',
  })),
];

export const serverRows: Rows = [
  ...clusterRows,
  {
    rule: 'what a server needs at creation',
    call: 'server.create',
    input: { ...made, description: null, sshKeyId: null },
    gives: { serverId: any.id, ...made, description: null, sshKeyId: null },
  },
  {
    call: 'server.create',
    input: {
      ...made,
      description: 'Rack 1',
      sshKeyId: '<sshKeyId>',
      serverType: 'build',
      ipAddress: 'node-1.example.com',
    },
    gives: { serverType: 'build', sshKeyId: '<sshKeyId>', ipAddress: 'node-1.example.com' },
  },
  ...['name', 'ipAddress', 'port', 'username', 'serverType'].map((field): Rows[number] => ({
    rule: 'what a server needs at creation',
    call: 'server.create',
    input: Object.fromEntries(Object.entries(made).filter(([name]) => name !== field)),
    refused: 'BAD_REQUEST',
    field,
  })),
  {
    rule: 'an id nested in a body is checked likewise',
    call: 'server.create',
    input: { ...made, sshKeyId: '<foreign.sshKeyId>' },
    refused: 'FORBIDDEN',
  },
  {
    rule: 'a member calling an admin procedure is 403',
    call: 'server.all',
    as: 'granted',
    refused: 'FORBIDDEN',
  },
  { call: 'server.one', input: { serverId: '<serverId>' }, gives: server },
  {
    rule: 'server.all counts services',
    call: 'server.all',
    gives: [
      { ...server, name: 'node-2', totalServices: 1 },
      { ...server, name: 'node-1', totalServices: 0 },
    ],
  },
  {
    call: 'server.update',
    input: { serverId: '<serverId>', name: 'renamed', description: 'Rack 2' },
    gives: { ...server, name: 'renamed', description: 'Rack 2' },
  },
  {
    call: 'server.update',
    input: { serverId: '<serverId>', baseDomain: '<prefix>.edge.localhost' },
    gives: { ...server, baseDomain: '<prefix>.edge.localhost' },
  },
  {
    call: 'server.remove',
    input: { serverId: '<serverId>' },
    gives: server,
    after: [{ call: 'server.one', input: { serverId: '<serverId>' }, refused: 'NOT_FOUND' }],
  },
  {
    rule: 'a server with active services stays',
    call: 'server.remove',
    input: { serverId: '<busyServerId>' },
    refused: 'PRECONDITION_FAILED',
  },
  { call: 'server.services', input: { serverId: '<serverId>' }, gives: [] },
  {
    rule: 'a lost server is forgotten by its name alone',
    call: 'server.forget',
    input: { serverId: '<busyServerId>', name: 'node-1' },
    refused: 'BAD_REQUEST',
    field: 'name',
  },
  {
    rule: 'what stands on a lost server loses its records with it',
    call: 'server.forget',
    input: { serverId: '<busyServerId>', name: 'node-2' },
    gives: { ...server, name: 'node-2', formerNodes: [] },
    after: [
      { call: 'server.one', input: { serverId: '<busyServerId>' }, refused: 'NOT_FOUND' },
      { call: 'server.all', gives: [{ ...server, name: 'node-1', totalServices: 0 }] },
    ],
  },
  {
    call: 'server.update',
    input: { serverId: '<busyServerId>', serverType: 'build' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    rule: 'a changed host key is refused until it is trusted',
    call: 'server.trustHostKey',
    input: { serverId: '<serverId>', fingerprint: `SHA256:${'a'.repeat(43)}` },
    gives: { ...server, hostKeyFingerprint: `SHA256:${'a'.repeat(43)}` },
  },
  {
    call: 'server.setTrusted',
    input: { serverId: '<serverId>', trusted: true },
    refused: 'FORBIDDEN',
  },
  {
    call: 'server.setTrusted',
    input: { serverId: '<foreign.serverId>', trusted: false },
    gives: { serverId: '<foreign.serverId>', trusted: false },
    installation: true,
  },
  {
    rule: 'setup is accepted at once and runs as a job',
    call: 'server.setup',
    input: { serverId: '<serverId>' },
    gives: { ...server, setupStatus: 'running', setupStage: null, setupError: null },
  },
  { call: 'server.setupLogs', input: { serverId: '<serverId>' } },
  {
    rule: 'setup without a key is 412',
    call: 'server.setup',
    before: [{ call: 'server.update', input: { serverId: '<serverId>', sshKeyId: null } }],
    input: { serverId: '<serverId>' },
    refused: 'PRECONDITION_FAILED',
  },
  // Its address is one that nobody has.
  { call: 'server.validate', input: { serverId: '<serverId>' }, refused: 'PRECONDITION_FAILED' },
  { call: 'server.security', input: { serverId: '<serverId>' }, refused: 'PRECONDITION_FAILED' },
  {
    call: 'server.setupMonitoring',
    rule: 'metricsConfig has its bounds',
    input: { serverId: '<serverId>', metricsConfig: monitoring },
    refused: 'PRECONDITION_FAILED',
    after: [
      {
        call: 'server.one',
        input: { serverId: '<serverId>' },
        gives: {
          metricsConfig: { server: { port: 4500, token: any.absent }, containers: monitoring.containers },
        },
      },
    ],
  },
  wrongMonitoring('server.refreshRate', { ...monitoring, server: { ...monitoring.server, refreshRate: 1 } }),
  wrongMonitoring('server.port', { ...monitoring, server: { ...monitoring.server, port: 0 } }),
  wrongMonitoring('server.retentionDays', {
    ...monitoring,
    server: { ...monitoring.server, retentionDays: 0 },
  }),
  wrongMonitoring('server.urlCallback', {
    ...monitoring,
    server: { ...monitoring.server, urlCallback: 'no address' },
  }),
  wrongMonitoring('server.cronJob', { ...monitoring, server: { ...monitoring.server, cronJob: 'often' } }),
  ...[-1, 101].map((cpu) =>
    wrongMonitoring('server.thresholds.cpu', {
      ...monitoring,
      server: { ...monitoring.server, thresholds: { cpu, memory: 50 } },
    }),
  ),
  ...[-1, 101].map((memory) =>
    wrongMonitoring('server.thresholds.memory', {
      ...monitoring,
      server: { ...monitoring.server, thresholds: { cpu: 50, memory } },
    }),
  ),
  wrongMonitoring('containers.refreshRate', {
    ...monitoring,
    containers: { ...monitoring.containers, refreshRate: 1 },
  }),
  wrongMonitoring('containers.services.include', {
    ...monitoring,
    containers: { refreshRate: 2, services: { include: 'shop', exclude: [] } },
  }),
  {
    rule: 'metrics are asked of registered servers only',
    call: 'server.getServerMetrics',
    input: { url: 'http://198.51.100.1:4500/metrics', token: 't', dataPoints: 50 },
    refused: 'FORBIDDEN',
  },
  {
    rule: 'metrics are asked of registered servers only',
    call: 'server.getServerMetrics',
    input: { url: 'http://169.254.169.254/latest/meta-data', token: 't', dataPoints: 50 },
    refused: 'FORBIDDEN',
  },
  {
    call: 'server.getServerMetrics',
    input: { url: 'http://203.0.113.7:4500/metrics', token: 't', dataPoints: 50 },
    refused: 'PRECONDITION_FAILED',
  },
  // It has no monitoring.
  { call: 'server.metrics', input: { serverId: '<serverId>', points: 5 }, refused: 'PRECONDITION_FAILED' },
  { call: 'service.endedTasks', input: { serviceId: '<applicationId>' }, gives: [] },
  {
    call: 'service.endedOutput',
    input: { serviceId: '<applicationId>', task: 'gone' },
    refused: 'NOT_FOUND',
  },
  { call: 'service.usage', gives: any.list },
  { call: 'service.metrics', input: { serviceId: '<applicationId>' }, gives: any.list },
];

const preview = {
  previewDeploymentId: '<previewDeploymentId>',
  applicationId: '<applicationId>',
  branch: 'feature',
  pullRequestNumber: 12,
  name: null,
  image: null,
  expiresAt: null,
  domain: any.text,
  status: 'running',
  createdAt: any.time,
  commit: any.textOrNull,
  isTrusted: true,
  live: null,
};

export const previewDeploymentRows: Rows = [
  {
    rule: 'previews are listed, shown and deleted',
    call: 'previewDeployment.all',
    input: { applicationId: '<applicationId>' },
    gives: [{ ...preview, databases: [], errorMessage: null }],
  },
  {
    rule: 'previews are listed, shown and deleted',
    call: 'previewDeployment.one',
    input: { previewDeploymentId: '<previewDeploymentId>' },
    gives: {
      ...preview,
      databases: [],
      errorMessage: null,
      pendingChanges: [],
      domainId: '<previewDomainId>',
      application: {
        applicationId: '<applicationId>',
        environment: { environmentId: '<environmentId>', project: { projectId: '<projectId>' } },
      },
    },
  },
  {
    call: 'previewDeployment.create',
    input: { applicationId: '<applicationId>', name: 'checkout', image: 'registry.example.com/shop:2' },
    gives: {
      previewDeploymentId: any.id,
      applicationId: '<applicationId>',
      composeId: null,
      name: 'checkout',
      branch: '',
      image: 'registry.example.com/shop:2',
      pullRequestNumber: null,
      commit: null,
      isTrusted: true,
      status: 'building',
      domain: any.text,
    },
    after: [
      {
        call: 'previewDeployment.create',
        input: { applicationId: '<applicationId>', name: '12', branch: 'main' },
        refused: 'BAD_REQUEST',
        field: 'name',
      },
    ],
  },
  {
    call: 'previewDeployment.waiting',
    input: { applicationId: '<applicationId>' },
    gives: [
      {
        pullRequestNumber: 44,
        title: any.text,
        author: 'eve',
        repository: 'acme/shop',
        baseBranch: 'main',
        branch: 'price',
        isFork: true,
        commit: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7',
        reason: 'it comes from a fork',
        heldAt: any.time,
        approvedCommit: null,
      },
    ],
  },
  {
    call: 'previewDeployment.approve',
    input: { applicationId: '<applicationId>', pullRequestNumber: 44, commit: 'a'.repeat(40) },
    refused: 'CONFLICT',
  },
  {
    rule: 'previewDeployment.redeploy has its title',
    call: 'previewDeployment.redeploy',
    input: { previewDeploymentId: '<previewDeploymentId>' },
    gives: true,
    after: [
      {
        call: 'deployment.all',
        input: { previewDeploymentId: '<previewDeploymentId>' },
        gives: [
          {
            title: 'Rebuild Preview Deployment',
            previewDeploymentId: '<previewDeploymentId>',
            applicationId: null,
          },
        ],
      },
    ],
  },
  {
    rule: 'a stopped preview is started again',
    call: 'previewDeployment.start',
    input: { previewDeploymentId: '<previewDeploymentId>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    rule: 'a preview can be stopped',
    call: 'previewDeployment.stop',
    needs: 'engine',
    input: { previewDeploymentId: '<previewDeploymentId>' },
    gives: { ...preview, status: 'stopped' },
  },
  {
    call: 'previewDeployment.logs',
    needs: 'engine',
    input: { previewDeploymentId: '<previewDeploymentId>' },
    gives: { lines: [], lastEventId: null },
  },
  {
    call: 'previewDeployment.killBuild',
    input: { previewDeploymentId: '<previewDeploymentId>' },
    gives: preview,
  },
  {
    rule: 'previews are listed, shown and deleted',
    call: 'previewDeployment.delete',
    needs: 'engine',
    input: { previewDeploymentId: '<previewDeploymentId>' },
    gives: true,
    after: [{ call: 'previewDeployment.all', input: { applicationId: '<applicationId>' }, gives: [] }],
  },
];

const gitProvider = {
  gitProviderId: any.id,
  provider: 'gitea',
  name: any.text,
  baseUrl: any.text,
  apiUrl: any.text,
  appId: null,
  installationId: null,
  username: null,
  createdAt: any.time,
  accessToken: any.absent,
  privateKey: any.absent,
  webhookSecret: any.absent,
};
const newGitea = {
  provider: 'gitea',
  name: 'Ours',
  baseUrl: 'https://git.example.com',
  accessToken: 'something',
};

export const gitProviderRows: Rows = [
  {
    rule: 'git providers show no secrets',
    call: 'gitProvider.create',
    input: newGitea,
    gives: { ...gitProvider, apiUrl: 'https://git.example.com/api/v1' },
  },
  {
    rule: 'git providers show no secrets',
    call: 'gitProvider.create',
    input: { provider: 'github', name: 'App' },
    refused: 'BAD_REQUEST',
    field: 'appId',
  },
  {
    rule: 'git providers show no secrets',
    call: 'gitProvider.create',
    as: 'member',
    input: newGitea,
    refused: 'FORBIDDEN',
  },
  {
    call: 'gitProvider.createFromManifest',
    input: { code: 'no code/at all' },
    refused: 'BAD_REQUEST',
    field: 'code',
  },
  {
    call: 'gitProvider.createFromManifest',
    as: 'member',
    input: { code: 'a180b1a3d263' },
    refused: 'FORBIDDEN',
  },
  {
    rule: 'git providers show no secrets',
    call: 'gitProvider.one',
    input: { gitProviderId: '<gitProviderId>' },
    gives: gitProvider,
  },
  { rule: 'git providers show no secrets', call: 'gitProvider.all', gives: [gitProvider] },
  {
    call: 'gitProvider.update',
    input: { gitProviderId: '<gitProviderId>', name: 'Renamed' },
    gives: { ...gitProvider, name: 'Renamed' },
  },
  {
    call: 'gitProvider.update',
    input: { gitProviderId: '<gitProviderId>', baseUrl: 'https://elsewhere.example.com' },
    refused: 'BAD_REQUEST',
    field: 'accessToken',
  },
  {
    call: 'gitProvider.testConnection',
    input: { gitProviderId: '<gitProviderId>' },
    refused: 'SERVICE_UNAVAILABLE',
    installation: true,
  },
  {
    call: 'gitProvider.testConnection',
    input: { gitProviderId: '<gitProviderId>' },
    refused: 'PRECONDITION_FAILED',
    says: 'its address is not public',
  },
  {
    call: 'gitProvider.repositories',
    input: { gitProviderId: '<gitProviderId>' },
    refused: 'SERVICE_UNAVAILABLE',
    installation: true,
  },
  {
    call: 'gitProvider.branches',
    input: { gitProviderId: '<gitProviderId>', repository: 'acme/shop' },
    refused: 'SERVICE_UNAVAILABLE',
    installation: true,
  },
  {
    call: 'gitProvider.remove',
    input: { gitProviderId: '<gitProviderId>' },
    gives: gitProvider,
    after: [{ call: 'gitProvider.one', input: { gitProviderId: '<gitProviderId>' }, refused: 'NOT_FOUND' }],
  },
];

const sshKey = {
  sshKeyId: any.id,
  name: any.text,
  description: any.text,
  publicKey: any.matching(/^ssh-/),
  fingerprint: any.matching(/^SHA256:/),
  createdAt: any.time,
  privateKey: any.absent,
};

export const sshKeyRows: Rows = [
  {
    rule: 'private parts of keys and registries are write-only',
    call: 'sshKey.generate',
    input: { name: 'new' },
    gives: { ...sshKey, name: 'new', publicKey: any.matching(/^ssh-ed25519 /) },
  },
  {
    call: 'sshKey.makePair',
    gives: {
      publicKey: any.matching(/^ssh-ed25519 /),
      privateKey: any.matching(/^-----BEGIN OPENSSH PRIVATE KEY-----/),
    },
  },
  {
    rule: 'private parts of keys and registries are write-only',
    call: 'sshKey.create',
    input: { name: 'mine', privateKey: certificateChain.privateKey },
    gives: { ...sshKey, publicKey: any.matching(/^ecdsa-/), name: 'mine' },
  },
  {
    rule: 'private parts of keys and registries are write-only',
    call: 'sshKey.create',
    input: { name: 'mine', privateKey: 'no key' },
    refused: 'BAD_REQUEST',
    field: 'privateKey',
  },
  { call: 'sshKey.one', input: { sshKeyId: '<sshKeyId>' }, gives: sshKey },
  { call: 'sshKey.all', gives: any.listOf(sshKey) },
  {
    call: 'sshKey.update',
    input: { sshKeyId: '<sshKeyId>', name: 'other' },
    gives: { ...sshKey, name: 'other' },
  },
  { call: 'sshKey.remove', input: { sshKeyId: '<freeSshKeyId>' }, gives: { sshKeyId: '<freeSshKeyId>' } },
];

const registry = {
  registryId: any.id,
  name: any.text,
  registryUrl: any.text,
  username: any.text,
  imagePrefix: any.text,
  createdAt: any.time,
  password: any.absent,
};

export const registryRows: Rows = [
  {
    rule: 'private parts of keys and registries are write-only',
    call: 'registry.create',
    input: {
      name: 'ours',
      registryUrl: 'registry.example.com',
      username: 'u',
      password: 'hidden-registry-password',
      imagePrefix: 'team',
    },
    gives: { ...registry, name: 'ours', imagePrefix: 'team' },
  },
  { call: 'registry.one', input: { registryId: '<registryId>' }, gives: registry },
  { call: 'registry.all', gives: [registry] },
  {
    call: 'registry.update',
    input: { registryId: '<registryId>', name: 'theirs' },
    gives: { ...registry, name: 'theirs' },
  },
  {
    call: 'registry.test',
    needs: 'engine',
    input: { registryId: '<registryId>' },
    refused: 'BAD_REQUEST',
    installation: true,
  },
  { call: 'registry.remove', input: { registryId: '<registryId>' }, gives: registry },
];

const destination = {
  destinationId: any.id,
  name: any.text,
  provider: 's3',
  bucket: 'backups',
  region: any.text,
  endpoint: any.text,
  path: any.text,
  createdAt: any.time,
  accessKey: any.absent,
  secretAccessKey: any.absent,
  identities: any.absent,
  identity: any.absent,
};
const s3 = {
  name: 'offsite',
  provider: 's3',
  accessKey: 'hidden-access-key',
  secretAccessKey: 'hidden-secret-access-key',
  bucket: 'backups',
  region: 'eu',
  endpoint: 'https://s3.example.com',
};

export const destinationRows: Rows = [
  {
    rule: 'a destination never shows its secrets',
    call: 'destination.create',
    input: s3,
    gives: { ...destination, name: 'offsite' },
  },
  {
    call: 'destination.create',
    input: { name: 'disk', provider: 'local', path: '/srv/backups' },
    gives: { provider: 'local', path: '/srv/backups' },
    installation: true,
  },
  {
    call: 'destination.create',
    input: { name: 'disk', provider: 'local', path: '/srv/backups' },
    refused: 'FORBIDDEN',
  },
  {
    call: 'destination.create',
    input: { name: 'disk', provider: 'local', path: 'nightly' },
    gives: { provider: 'local', path: 'nightly' },
  },
  {
    rule: 'a destination never shows its secrets',
    call: 'destination.one',
    input: { destinationId: '<destinationId>' },
    gives: destination,
  },
  {
    call: 'destination.all',
    gives: [
      { ...destination, name: 'free' },
      { ...destination, name: 'backups' },
    ],
  },
  {
    call: 'destination.update',
    input: { destinationId: '<destinationId>', name: 'elsewhere' },
    gives: { ...destination, name: 'elsewhere' },
  },
  {
    rule: 'a destination never shows its secrets',
    call: 'destination.makeKey',
    input: { destinationId: '<destinationId>' },
    gives: { recipient: any.text, identity: any.text, destination },
  },
  {
    call: 'destination.update',
    input: { destinationId: '<destinationId>', recipients: ['ssh-ed25519 AAAA'] },
    refused: 'BAD_REQUEST',
  },
  {
    rule: 'a used destination stays',
    call: 'destination.remove',
    input: { destinationId: '<destinationId>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    call: 'destination.remove',
    input: { destinationId: '<freeDestinationId>' },
    gives: { destinationId: '<freeDestinationId>' },
  },
  {
    call: 'destination.testConnection',
    input: { destinationId: '<destinationId>' },
    refused: 'SERVICE_UNAVAILABLE',
  },
];

const notification = {
  notificationId: any.id,
  name: any.text,
  channel: 'webhook',
  enabled: true,
  events: any.list,
  webhook: { url: any.text, secret: any.absent },
  slack: null,
  waiting: 0,
  lastSentAt: null,
  lastError: null,
  createdAt: any.time,
};
const slackUrl = 'https://hooks.slack.com/services/hidden-access-token';

export const notificationRows: Rows = [
  {
    rule: 'a channel never shows its secrets',
    call: 'notification.create',
    input: {
      name: 'ops',
      channel: 'webhook',
      events: ['deploymentFailed', 'serviceDown'],
      webhook: { url: 'https://example.com/berth', secret: 'hidden-webhook-secret' },
    },
    gives: { ...notification, name: 'ops' },
  },
  {
    rule: 'a channel never shows its secrets',
    call: 'notification.create',
    input: { name: 'chat', channel: 'slack', events: ['backupFailed'], slack: { webhookUrl: slackUrl } },
    gives: { channel: 'slack', slack: { webhookUrl: any.absent }, webhook: null },
  },
  {
    call: 'notification.create',
    input: { name: 'chat', channel: 'slack', events: ['backupFailed'] },
    refused: 'BAD_REQUEST',
    field: 'slack',
  },
  {
    call: 'notification.create',
    input: { name: 'chat', channel: 'ntfy', events: ['nothing'], ntfy: { topic: 'x' } },
    refused: 'BAD_REQUEST',
    field: 'events.0',
  },
  {
    call: 'notification.one',
    input: { notificationId: '<notificationId>' },
    gives: { ...notification, name: 'on call' },
  },
  { call: 'notification.all', gives: [{ ...notification, name: 'on call' }] },
  {
    call: 'notification.update',
    input: { notificationId: '<notificationId>', name: 'everybody', events: ['serviceDown'] },
    gives: { ...notification, name: 'everybody', events: ['serviceDown'] },
  },
  {
    rule: 'secrets of a channel go nowhere that they were not given for',
    call: 'notification.update',
    input: { notificationId: '<notificationId>', webhook: { url: 'https://elsewhere.example.com/' } },
    refused: 'BAD_REQUEST',
    field: 'webhook.secret',
  },
  {
    call: 'notification.test',
    input: { notificationId: '<notificationId>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    call: 'notification.remove',
    input: { notificationId: '<notificationId>' },
    gives: notification,
    after: [
      { call: 'notification.one', input: { notificationId: '<notificationId>' }, refused: 'NOT_FOUND' },
    ],
  },
];

export const settingsRows: Rows = [
  {
    call: 'settings.get',
    installation: true,
    gives: {
      serverIp: any.textOrNull,
      baseDomain: null,
      cloud: false,
      acmeEmail: null,
      acmeDirectory: null,
      dnsResolver: null,
      buildMemory: any.text,
      buildCpu: any.text,
      uploadLimit: any.number,
      localRepositoryPaths: [],
      networkPool: any.text,
    },
  },
  {
    call: 'settings.portWall',
    installation: true,
    gives: { isSet: any.boolean, problem: any.textOrNull },
  },
  {
    call: 'settings.builders',
    installation: true,
    gives: any.listOf({
      name: any.text,
      buildTypes: any.list,
      version: any.textOrNull,
      problem: any.textOrNull,
      install: any.text,
    }),
  },
  {
    call: 'settings.update',
    installation: true,
    input: { keptImages: 7 },
    gives: { keptImages: 7 },
    after: [{ call: 'settings.update', input: { keptImages: 5 } }],
  },
  {
    rule: "settings belong to the installation's first organization",
    call: 'settings.get',
    refused: 'FORBIDDEN',
  },
  {
    rule: 'a member calling an admin procedure is 403',
    call: 'settings.get',
    as: 'granted',
    refused: 'FORBIDDEN',
  },
];

export const auditRows: Rows = [
  {
    rule: 'the audit tells who did what',
    call: 'audit.all',
    before: [{ call: 'project.create', input: { name: 'Watched' } }],
    gives: any.listOf({
      auditId: any.id,
      at: any.time,
      userId: '<owner.userId>',
      apiKeyId: any.textOrNull,
      procedure: any.text,
      resourceId: any.textOrNull,
      outcome: any.text,
      ip: any.text,
    }),
  },
  {
    rule: 'a member calling an admin procedure is 403',
    call: 'audit.all',
    as: 'granted',
    refused: 'FORBIDDEN',
  },
];
