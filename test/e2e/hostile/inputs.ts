/** A valid input for every procedure: its own example with the ids of the fixtures, or a row here. */
import { generateKeyPairSync } from 'node:crypto';
import { contracts } from '../../../server/src/modules/contracts.ts';
import { listProcedures } from '../../../server/src/procedure/describe/listing.ts';
import { makeCertificate } from '../../certificates/authority.ts';
import { exampleOf } from '../../world/inputs.ts';
import { absentRepository, type Fixtures } from '../fixtures/one-of-everything.ts';
import { backupInputs } from './backup-inputs.ts';
import type { Inputs, Make } from './make-inputs.ts';

const project = ({ projectId }: Fixtures) => ({ projectId });
const environment = ({ environmentId }: Fixtures) => ({ environmentId });
const application = ({ applicationId }: Fixtures) => ({ applicationId });
const deployment = ({ deploymentId }: Fixtures) => ({ deploymentId });
const domain = ({ domainId }: Fixtures) => ({ domainId });
const port = ({ portId }: Fixtures) => ({ portId });
const mount = ({ mountId }: Fixtures) => ({ mountId });
const sshKey = ({ sshKeyId }: Fixtures) => ({ sshKeyId });
const catalogue = () => ({ templateCatalogueId: 'V1StGXR8Z5jdHi6BmyT3k' });
const account = { username: 'someone', password: 'something' };
const signIn = { registryUrl: '127.0.0.1:1', ...account };
const registry = ({ registryId }: Fixtures) => ({ registryId });
const password = 'correct horse battery';
const newDatabase = ({ environmentId }: Fixtures, unique: string) => ({
  name: 'another',
  appName: unique,
  databasePassword: 'something',
  environmentId,
});
const hosted = (fixtures: Fixtures) => ({
  ...application(fixtures),
  owner: 'acme',
  repository: 'shop',
  branch: 'main',
});
const server = ({ serverId }: Fixtures) => ({ serverId });
const node = ({ serverId }: Fixtures) => ({ nodeServerId: serverId });
const certificate = ({ certificateId }: Fixtures) => ({ certificateId });
const certificateResolver = ({ certificateResolverId }: Fixtures) => ({ certificateResolverId });
const preview = () => ({ previewDeploymentId: 'absent' });
const gitProvider = ({ gitProviderId }: Fixtures) => ({ gitProviderId });
const destination = ({ destinationId }: Fixtures) => ({ destinationId });
const service = ({ applicationId }: Fixtures) => ({ serviceId: applicationId });
const nothing = () => ({});

const privateKey = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;

const issuer = makeCertificate({ name: 'Authority' });
const uploaded = makeCertificate({ name: 'another.localhost', hosts: ['another.localhost'], issuer });

export const inputs = {
  user: {
    get: nothing,
    createApiKey: ({ organizationId }) => ({ name: 'another', metadata: { organizationId } }),
    deleteApiKey: ({ apiKeyId }) => ({ apiKeyId }),
    delete: () => ({ password }),
  },
  project: {
    create: () => ({ name: 'Another' }),
    all: nothing,
    one: project,
    update: (fixtures) => ({ ...project(fixtures), name: 'Renamed' }),
    remove: project,
  },
  service: {
    endedTasks: service,
    endedOutput: (fixtures) => ({ ...service(fixtures), task: 'gone' }),
    metrics: service,
  },
  environment: {
    create: ({ projectId }) => ({ projectId, name: 'another' }),
    one: environment,
    logs: environment,
    byProjectId: project,
    update: ({ otherEnvironmentId }) => ({ environmentId: otherEnvironmentId, description: 'changed' }),
    remove: ({ otherEnvironmentId }) => ({ environmentId: otherEnvironmentId }),
  },
  application: {
    create: ({ environmentId }) => ({ environmentId, name: 'Another' }),
    one: application,
    update: (fixtures) => ({ ...application(fixtures), description: 'changed' }),
    saveEnvironment: (fixtures) => ({ ...application(fixtures), env: 'A=1' }),
    saveBuildType: (fixtures) => ({ ...application(fixtures), buildType: 'dockerfile' }),
    saveGitProvider: (fixtures) => ({
      ...application(fixtures),
      customGitUrl: absentRepository,
      customGitBranch: 'main',
    }),
    saveGithubProvider: hosted,
    saveGitlabProvider: hosted,
    saveBitbucketProvider: hosted,
    saveGiteaProvider: hosted,
    saveContainerProvider: (fixtures) => ({ ...application(fixtures), containerImage: 'berth/node:24' }),
    uploadedChunks: application,
    dropDeployment: application,
    start: application,
    stop: application,
    reload: (fixtures) => ({ ...application(fixtures), appName: fixtures.appName }),
    deploy: application,
    redeploy: application,
    cancelDeployment: application,
    killBuild: application,
    cleanQueues: application,
    clearDeployments: application,
    delete: application,
    move: (fixtures) => ({ ...application(fixtures), targetEnvironmentId: fixtures.otherEnvironmentId }),
    refreshToken: application,
    run: (fixtures) => ({ ...application(fixtures), command: ['true'] }),
    readLogs: application,
    logs: application,
  },
  deployment: {
    all: application,
    one: deployment,
    readLogs: deployment,
    logs: deployment,
    rollback: deployment,
  },
  mariadb: {
    create: (fixtures, unique) => ({
      ...newDatabase(fixtures, unique),
      databaseName: 'shop',
      databaseUser: 'shop',
      databaseRootPassword: 'something',
    }),
    reload: ({ mariadbId, name }) => ({ mariadbId, appName: `${name}-mariadb` }),
  },
  mysql: {
    create: (fixtures, unique) => ({
      ...newDatabase(fixtures, unique),
      databaseName: 'shop',
      databaseUser: 'shop',
      databaseRootPassword: 'something',
    }),
    reload: ({ mysqlId, name }) => ({ mysqlId, appName: `${name}-mysql` }),
  },
  postgres: {
    create: (fixtures, unique) => ({
      ...newDatabase(fixtures, unique),
      databaseName: 'shop',
      databaseUser: 'shop',
    }),
    reload: ({ postgresId, name }) => ({ postgresId, appName: `${name}-postgres` }),
  },
  mongo: {
    create: (fixtures, unique) => ({ ...newDatabase(fixtures, unique), databaseUser: 'shop' }),
    reload: ({ mongoId, name }) => ({ mongoId, appName: `${name}-mongo` }),
  },
  redis: { create: newDatabase, reload: ({ redisId, name }) => ({ redisId, appName: `${name}-redis` }) },
  compose: {
    create: ({ environmentId }, unique) => ({ name: 'another', appName: unique, environmentId }),
    update: ({ spareComposeId }) => ({ composeId: spareComposeId, description: 'changed' }),
    saveEnvironment: ({ spareComposeId }) => ({ composeId: spareComposeId }),
  },
  ...backupInputs,
  redirect: {
    create: (fixtures) => ({
      ...application(fixtures),
      regex: '^/old',
      replacement: '/new',
      permanent: false,
    }),
  },
  basicAuth: { create: (fixtures, unique) => ({ ...application(fixtures), username: unique, password }) },
  previewDeployment: {
    create: (fixtures) => ({ ...application(fixtures), name: 'hostile', image: 'shop:2' }),
    all: application,
    waiting: application,
    approve: (fixtures) => ({
      ...application(fixtures),
      pullRequestNumber: 12,
      commit: 'a'.repeat(40),
    }),
    one: preview,
    redeploy: preview,
    killBuild: preview,
    delete: preview,
  },
  gitProvider: {
    create: () => ({
      provider: 'gitea',
      name: 'another',
      baseUrl: 'https://127.0.0.1:1',
      accessToken: 'something',
    }),
    one: gitProvider,
    all: nothing,
    update: (fixtures) => ({ ...gitProvider(fixtures), name: 'another' }),
    remove: gitProvider,
    testConnection: gitProvider,
    repositories: gitProvider,
    branches: (fixtures) => ({ ...gitProvider(fixtures), repository: 'acme/shop' }),
  },
  domain: {
    create: (fixtures, unique) => ({ ...application(fixtures), host: `${unique}.localhost` }),
    update: (fixtures) => ({ ...domain(fixtures), host: `${fixtures.name}.localhost` }),
    one: domain,
    byApplicationId: application,
    byComposeId: ({ composeId }) => ({ composeId }),
    delete: domain,
    generateDomain: ({ appName }) => ({ appName }),
    planRecords: domain,
    applyRecords: (fixtures) => ({ ...domain(fixtures), digest: '0'.repeat(64) }),
    validateDomain: ({ name }) => ({ domain: `${name}.localhost`, serverIp: '127.0.0.1' }),
  },
  port: {
    create: (fixtures) => ({
      ...application(fixtures),
      publishedPort: 45_000,
      targetPort: 8080,
      publishMode: 'host',
    }),
    one: port,
    byApplicationId: application,
    update: (fixtures) => ({ ...port(fixtures), targetPort: 81 }),
    delete: port,
  },
  mount: {
    create: (fixtures, unique) => ({
      ...application(fixtures),
      type: 'file',
      content: 'text',
      mountPath: `/files/${unique}`,
    }),
    one: mount,
    byApplicationId: application,
    update: (fixtures) => ({ ...mount(fixtures), mountPath: '/data' }),
    remove: mount,
  },
  sshKey: {
    create: () => ({ name: 'another', privateKey }),
    generate: () => ({ name: 'another' }),
    one: sshKey,
    all: nothing,
    update: (fixtures) => ({ ...sshKey(fixtures), name: 'Renamed' }),
    remove: sshKey,
  },
  registry: {
    create: () => ({ name: 'another', ...signIn }),
    test: () => signIn,
    one: registry,
    all: nothing,
    update: (fixtures) => ({ ...registry(fixtures), name: 'Renamed' }),
    remove: registry,
  },
  settings: { get: nothing, update: () => ({ keptImages: 5 }) },
  database: {
    tables: ({ postgresId }) => ({ databaseId: postgresId }),
    rows: ({ postgresId }) => ({ databaseId: postgresId, schema: 'public', table: 'orders' }),
    query: ({ postgresId }) => ({ databaseId: postgresId, statement: 'select 1' }),
    keys: ({ redisId }) => ({ databaseId: redisId }),
    value: ({ redisId }) => ({ databaseId: redisId, key: 'session:1' }),
  },
  template: {
    create: ({ environmentId }, unique) => ({
      template: 'uptime-kuma',
      environmentId,
      host: `${unique}.localhost`,
    }),
    updates: nothing,
    changes: ({ composeId }) => ({ composeId }),
    apply: ({ composeId }) => ({ composeId }),
  },
  templateCatalogue: {
    create: () => ({ name: 'another', url: 'https://127.0.0.1:1/none.git', ...account }),
    one: catalogue,
    all: nothing,
    update: () => ({ ...catalogue(), name: 'Renamed' }),
    refresh: catalogue,
    remove: catalogue,
  },
  audit: { all: nothing },
  cluster: {
    join: (fixtures) => ({ ...server(fixtures), ...node(fixtures) }),
    nodes: server,
    drain: node,
    activate: node,
    promote: node,
    demote: node,
    leave: node,
    remove: node,
  },
  server: {
    create: ({ sshKeyId }) => ({
      name: 'another',
      description: 'text',
      ipAddress: '127.0.0.1',
      port: 1,
      username: 'root',
      sshKeyId,
      serverType: 'build',
    }),
    one: server,
    all: nothing,
    update: (fixtures) => ({ ...server(fixtures), description: 'changed' }),
    remove: server,
    // Refused for its name, since the server is used by the others.
    forget: (fixtures) => ({ ...server(fixtures), name: 'not its name' }),
    setup: server,
    validate: server,
    security: server,
    setupMonitoring: (fixtures) => ({
      ...server(fixtures),
      metricsConfig: {
        server: {
          refreshRate: 20,
          port: 4500,
          token: 'something',
          urlCallback: 'https://berth.localhost/metrics',
          retentionDays: 7,
          cronJob: '0 0 * * *',
          thresholds: { cpu: 80, memory: 80 },
        },
        containers: { refreshRate: 20, services: { include: ['a*'], exclude: [] } },
      },
    }),
    getServerMetrics: () => ({ url: 'http://127.0.0.1:4500/metrics', token: 'something', dataPoints: 5 }),
  },
  certificate: {
    create: () => ({
      name: 'another',
      certificateData: uploaded.pem,
      privateKey: uploaded.key,
      certificateChain: issuer.pem,
    }),
    one: certificate,
    all: nothing,
    remove: certificate,
  },
  certificateResolver: {
    create: (_fixtures, unique) => ({
      name: unique,
      directoryUrl: 'https://acme.localhost/directory',
      email: 'ann@example.com',
      eab: { keyId: 'someone', hmacKey: 'c29tZXRoaW5n' },
    }),
    one: certificateResolver,
    all: nothing,
    update: (fixtures) => ({ ...certificateResolver(fixtures), email: 'bob@example.com' }),
    remove: certificateResolver,
  },
  destination: {
    create: () => ({
      name: 'another',
      provider: 's3',
      accessKey: 'someone',
      secretAccessKey: 'something',
      bucket: 'backups',
      region: 'nowhere',
      endpoint: 'http://127.0.0.1:1',
      path: 'another',
    }),
    one: destination,
    all: nothing,
    update: (fixtures) => ({ ...destination(fixtures), name: 'another' }),
    remove: destination,
    makeKey: destination,
    testConnection: destination,
  },
  container: {
    getContainers: nothing,
    restartContainer: () => ({ containerId: 'nothing' }),
    getConfig: () => ({ containerId: 'nothing' }),
    getContainersByAppNameMatch: ({ appName }) => ({ appName }),
    getContainersByAppLabel: ({ appName }) => ({ appName, type: 'swarm' }),
    getStackContainersByAppName: ({ appName }) => ({ appName }),
    getServiceContainersByAppName: ({ appName }) => ({ appName }),
  },
  swarm: { getNodes: nothing, getNodeInfo: () => ({ nodeId: 'nothing' }), getNodeApps: nothing },
} satisfies Inputs;

const byPath: ReadonlyMap<string, Make<object>> = new Map(
  Object.entries(inputs).flatMap(([router, rows]) =>
    Object.entries<Make<object>>(rows).map(([name, make]): [string, Make<object>] => [
      `${router}.${name}`,
      make,
    ]),
  ),
);
const procedures = new Map(listProcedures(contracts).map(({ path, procedure }) => [path, procedure]));

/** The valid input of a procedure. */
export function inputFor(path: string, fixtures: Fixtures, unique: string): Record<string, unknown> {
  const procedure = procedures.get(path);
  if (!procedure) throw new Error(`There is no procedure ${path}.`);
  const made = byPath.get(path)?.(fixtures, unique);
  if (made) return Object.fromEntries(Object.entries(made));
  const ids = new Map<string, unknown>(Object.entries(fixtures));
  const ofKind = new Map(procedure.access.resources.map(({ kind, field }) => [field, `${kind}Id`]));
  return Object.fromEntries(
    Object.entries(exampleOf(path, procedure)).map(([name, value]) => [
      name,
      ids.get(ofKind.get(name) ?? name) ?? value,
    ]),
  );
}
