/** A valid input for every procedure: its own example with the ids of the estate, or a row here. */
import { generateKeyPairSync } from 'node:crypto';
import { contracts } from '../../../server/src/modules/contracts.ts';
import { listProcedures } from '../../../server/src/procedure/describe/listing.ts';
import { makeCertificate } from '../../certificates/authority.ts';
import { exampleOf } from '../../world/inputs.ts';
import { absentRepository, type Estate } from '../fixtures/estate.ts';
import { backupInputs } from './backup-inputs.ts';
import type { Inputs, Make } from './make-inputs.ts';

const project = ({ projectId }: Estate) => ({ projectId });
const environment = ({ environmentId }: Estate) => ({ environmentId });
const application = ({ applicationId }: Estate) => ({ applicationId });
const deployment = ({ deploymentId }: Estate) => ({ deploymentId });
const domain = ({ domainId }: Estate) => ({ domainId });
const port = ({ portId }: Estate) => ({ portId });
const mount = ({ mountId }: Estate) => ({ mountId });
const sshKey = ({ sshKeyId }: Estate) => ({ sshKeyId });
const registry = ({ registryId }: Estate) => ({ registryId });
const password = 'correct horse battery';
const newDatabase = ({ environmentId }: Estate, unique: string) => ({
  name: 'another',
  appName: unique,
  databasePassword: 'something',
  environmentId,
});
const hosted = (estate: Estate) => ({
  ...application(estate),
  owner: 'acme',
  repository: 'shop',
  branch: 'main',
});
const server = ({ serverId }: Estate) => ({ serverId });
const node = ({ serverId }: Estate) => ({ nodeServerId: serverId });
const certificate = ({ certificateId }: Estate) => ({ certificateId });
const certificateResolver = ({ certificateResolverId }: Estate) => ({ certificateResolverId });
/** No procedure makes one: pull requests will. */
const preview = () => ({ previewDeploymentId: 'absent' });
const gitProvider = ({ gitProviderId }: Estate) => ({ gitProviderId });
const destination = ({ destinationId }: Estate) => ({ destinationId });
const service = ({ applicationId }: Estate) => ({ serviceId: applicationId });
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
    update: (estate) => ({ ...project(estate), name: 'Renamed' }),
    remove: project,
  },
  service: {
    endedTasks: service,
    endedOutput: (estate) => ({ ...service(estate), task: 'gone' }),
    metrics: service,
  },
  environment: {
    create: ({ projectId }) => ({ projectId, name: 'another' }),
    one: environment,
    byProjectId: project,
    update: ({ otherEnvironmentId }) => ({ environmentId: otherEnvironmentId, description: 'changed' }),
    remove: ({ otherEnvironmentId }) => ({ environmentId: otherEnvironmentId }),
  },
  application: {
    create: ({ environmentId }) => ({ environmentId, name: 'Another' }),
    one: application,
    update: (estate) => ({ ...application(estate), description: 'changed' }),
    saveEnvironment: (estate) => ({ ...application(estate), env: 'A=1' }),
    saveBuildType: (estate) => ({ ...application(estate), buildType: 'dockerfile' }),
    saveGitProvider: (estate) => ({
      ...application(estate),
      customGitUrl: absentRepository,
      customGitBranch: 'main',
    }),
    saveGithubProvider: hosted,
    saveGitlabProvider: hosted,
    saveBitbucketProvider: hosted,
    saveGiteaProvider: hosted,
    saveContainerProvider: (estate) => ({ ...application(estate), containerImage: 'berth/node:24' }),
    uploadedChunks: application,
    dropDeployment: application,
    start: application,
    stop: application,
    reload: (estate) => ({ ...application(estate), appName: estate.appName }),
    deploy: application,
    redeploy: application,
    cancelDeployment: application,
    killBuild: application,
    cleanQueues: application,
    clearDeployments: application,
    delete: application,
    move: (estate) => ({ ...application(estate), targetEnvironmentId: estate.otherEnvironmentId }),
    refreshToken: application,
    run: (estate) => ({ ...application(estate), command: ['true'] }),
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
    create: (estate, unique) => ({
      ...newDatabase(estate, unique),
      databaseName: 'shop',
      databaseUser: 'shop',
      databaseRootPassword: 'something',
    }),
    reload: ({ mariadbId, name }) => ({ mariadbId, appName: `${name}-mariadb` }),
  },
  mysql: {
    create: (estate, unique) => ({
      ...newDatabase(estate, unique),
      databaseName: 'shop',
      databaseUser: 'shop',
      databaseRootPassword: 'something',
    }),
    reload: ({ mysqlId, name }) => ({ mysqlId, appName: `${name}-mysql` }),
  },
  postgres: {
    create: (estate, unique) => ({
      ...newDatabase(estate, unique),
      databaseName: 'shop',
      databaseUser: 'shop',
    }),
    reload: ({ postgresId, name }) => ({ postgresId, appName: `${name}-postgres` }),
  },
  mongo: {
    create: (estate, unique) => ({ ...newDatabase(estate, unique), databaseUser: 'shop' }),
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
    create: (estate) => ({ ...application(estate), regex: '^/old', replacement: '/new', permanent: false }),
  },
  basicAuth: { create: (estate, unique) => ({ ...application(estate), username: unique, password }) },
  previewDeployment: {
    all: application,
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
    update: (estate) => ({ ...gitProvider(estate), name: 'another' }),
    remove: gitProvider,
    testConnection: gitProvider,
    repositories: gitProvider,
    branches: (estate) => ({ ...gitProvider(estate), repository: 'acme/shop' }),
  },
  domain: {
    create: (estate, unique) => ({ ...application(estate), host: `${unique}.localhost` }),
    update: (estate) => ({ ...domain(estate), host: `${estate.name}.localhost` }),
    one: domain,
    byApplicationId: application,
    byComposeId: ({ composeId }) => ({ composeId }),
    delete: domain,
    generateDomain: ({ appName }) => ({ appName }),
    validateDomain: ({ name }) => ({ domain: `${name}.localhost`, serverIp: '127.0.0.1' }),
  },
  port: {
    create: (estate) => ({
      ...application(estate),
      publishedPort: 45_000,
      targetPort: 8080,
      publishMode: 'host',
    }),
    one: port,
    byApplicationId: application,
    update: (estate) => ({ ...port(estate), targetPort: 81 }),
    delete: port,
  },
  mount: {
    create: (estate, unique) => ({
      ...application(estate),
      type: 'file',
      content: 'text',
      mountPath: `/files/${unique}`,
    }),
    one: mount,
    byApplicationId: application,
    update: (estate) => ({ ...mount(estate), mountPath: '/data' }),
    remove: mount,
  },
  sshKey: {
    create: () => ({ name: 'another', privateKey }),
    generate: () => ({ name: 'another' }),
    one: sshKey,
    all: nothing,
    update: (estate) => ({ ...sshKey(estate), name: 'Renamed' }),
    remove: sshKey,
  },
  registry: {
    create: () => ({
      name: 'another',
      registryUrl: '127.0.0.1:1',
      username: 'someone',
      password: 'something',
    }),
    test: () => ({ registryUrl: '127.0.0.1:1', username: 'someone', password: 'something' }),
    one: registry,
    all: nothing,
    update: (estate) => ({ ...registry(estate), name: 'Renamed' }),
    remove: registry,
  },
  settings: { get: nothing, update: () => ({ keptImages: 5 }) },
  audit: { all: nothing },
  cluster: {
    join: (estate) => ({ ...server(estate), ...node(estate) }),
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
    update: (estate) => ({ ...server(estate), description: 'changed' }),
    remove: server,
    setup: server,
    validate: server,
    security: server,
    setupMonitoring: (estate) => ({
      ...server(estate),
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
    create: (_estate, unique) => ({
      name: unique,
      directoryUrl: 'https://acme.localhost/directory',
      email: 'ann@example.com',
      eab: { keyId: 'someone', hmacKey: 'c29tZXRoaW5n' },
    }),
    one: certificateResolver,
    all: nothing,
    update: (estate) => ({ ...certificateResolver(estate), email: 'bob@example.com' }),
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
    update: (estate) => ({ ...destination(estate), name: 'another' }),
    remove: destination,
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
export function inputFor(path: string, estate: Estate, unique: string): Record<string, unknown> {
  const procedure = procedures.get(path);
  if (!procedure) throw new Error(`There is no procedure ${path}.`);
  const made = byPath.get(path)?.(estate, unique);
  if (made) return Object.fromEntries(Object.entries(made));
  const ids = new Map<string, unknown>(Object.entries(estate));
  const ofKind = new Map(procedure.access.resources.map(({ kind, field }) => [field, `${kind}Id`]));
  return Object.fromEntries(
    Object.entries(exampleOf(path, procedure)).map(([name, value]) => [
      name,
      ids.get(ofKind.get(name) ?? name) ?? value,
    ]),
  );
}
