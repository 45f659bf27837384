/** One of everything that an organization can have, as rows: names and ids begin with the estate's own prefix, so that any number of estates stand beside each other. */
import { newApplication } from '../../server/src/modules/application/defaults.ts';
import { neverRan } from '../../server/src/modules/database/database.ts';
import { noGrants } from '../../server/src/domain/permissions.ts';
import { databaseKindNames, type DatabaseKindName } from '../../server/src/domain/database-kind.ts';
import type { TableName, TableRecord } from '../../server/src/db/tables.ts';
import { hashToken } from '../../server/src/ports/token.ts';
import { certificateChain } from './certificates.ts';

export type Rows = { [T in TableName]?: TableRecord<T>[] };

/** Texts that no answer may ever hold: each stands in a column that is written and never read out. */
export const hiddenTexts = {
  registryPassword: 'hidden-registry-password',
  sshPrivateKey: 'hidden-ssh-private-key',
  accessKey: 'hidden-access-key',
  secretAccessKey: 'hidden-secret-access-key',
  gitPassword: 'hidden-git-password',
  imagePassword: 'hidden-image-password',
  basicAuth: `$2b$10$${'hiddenBasicAuthHash'.padEnd(53, 'x')}`,
  eab: 'hidden-eab-key',
  passwordHash: 'hidden-password-hash',
  certificateKey: certificateChain.privateKey.split('\n')[1] ?? '',
  webhookSecret: 'hidden-webhook-secret',
  accessToken: 'hidden-access-token',
} as const;

/** Names of things → their ids; `<name>` in a row of the conformance suite. */
export type Estate = Readonly<Record<string, string>> & {
  readonly organizationId: string;
  readonly prefix: string;
};

/** `number` is different for every estate of an installation: published ports and the like are made from it. */
export function estateOf(prefix: string): Estate {
  const id = (name: string): string => `${prefix}-${name}`;
  const databases = databaseKindNames.map((kind): [string, string] => [`${kind}Id`, id(kind)]);
  return {
    prefix,
    organizationId: id('organization'),
    name: prefix,
    appName: id('app'),
    otherAppName: id('other-app'),
    composeAppName: id('stack'),
    mysqlAppName: id('mysql'),
    host: `${prefix}.example.com`,
    projectId: id('project'),
    emptyProjectId: id('empty-project'),
    remoteProjectId: id('remote-project'),
    environmentId: id('environment'),
    otherEnvironmentId: id('staging'),
    emptyEnvironmentId: id('empty-environment'),
    applicationId: id('application'),
    otherApplicationId: id('other-application'),
    composeId: id('compose'),
    ...Object.fromEntries(databases),
    ...Object.fromEntries(databaseKindNames.map((kind) => [`${kind}AppName`, id(kind)])),
    deploymentId: id('deployment'),
    domainId: id('domain'),
    secureDomainId: id('secure-domain'),
    portId: id('port'),
    mountId: id('mount'),
    redirectId: id('redirect'),
    basicAuthId: id('basic-auth'),
    backupId: id('backup'),
    backupRunId: id('backup-run'),
    previewDeploymentId: id('preview'),
    previewDomainId: id('preview-domain'),
    sshKeyId: id('ssh-key'),
    freeSshKeyId: id('free-ssh-key'),
    registryId: id('registry'),
    serverId: id('server'),
    busyServerId: id('busy-server'),
    destinationId: id('destination'),
    freeDestinationId: id('free-destination'),
    certificateId: id('certificate'),
    usedCertificateId: id('used-certificate'),
    certificateResolverId: id('resolver'),
    invitationId: id('invitation'),
    gitProviderId: id('git-provider'),
  };
}

const createdAt = '2026-06-01T00:00:00.000Z';
/** Of the things that come in pairs, the one that is newer. */
const later = '2026-06-02T00:00:00.000Z';

/** `number` is the estate's own among all of an installation. */
export function rowsOfEstate(estate: Estate, number: number): Rows {
  const own = { organizationId: estate.organizationId, createdAt };
  return {
    ...places(estate, own),
    ...services(estate, own, number),
    ...besides(estate, own, number),
    ...shared(estate, own),
  };
}

interface Own {
  organizationId: string;
  createdAt: string;
}

/** An estate has every name that `estateOf` gives it. */
function of(estate: Estate, name: string): string {
  const value = estate[name];
  if (value === undefined) throw new Error(`An estate has no ${name}.`);
  return value;
}

function places(estate: Estate, own: Own): Rows {
  const environment = {
    ...own,
    projectId: of(estate, 'projectId'),
    description: '',
    env: '',
    isDefault: false,
    networkIndex: null,
  };
  return {
    organization: [{ ...own, name: estate.prefix }],
    project: [
      { ...own, projectId: of(estate, 'projectId'), name: 'Shop', description: 'The shop', env: 'REGION=eu' },
      {
        ...own,
        createdAt: later,
        projectId: of(estate, 'emptyProjectId'),
        name: 'Empty',
        description: '',
        env: '',
      },
      {
        ...own,
        createdAt: later,
        projectId: of(estate, 'remoteProjectId'),
        name: 'Remote',
        description: '',
        env: '',
      },
    ],
    environment: [
      {
        ...environment,
        environmentId: of(estate, 'environmentId'),
        name: 'production',
        env: 'LOG=info',
        isDefault: true,
      },
      {
        ...environment,
        createdAt: later,
        environmentId: of(estate, 'otherEnvironmentId'),
        name: 'staging',
        env: 'LOG=debug',
      },
      {
        ...environment,
        projectId: of(estate, 'emptyProjectId'),
        environmentId: of(estate, 'emptyEnvironmentId'),
        name: 'production',
        isDefault: true,
      },
    ],
  };
}

function services(estate: Estate, own: Own, number: number): Rows {
  const place = { ...own, environmentId: of(estate, 'environmentId'), description: '' };
  const application = newApplication({
    ...place,
    applicationId: of(estate, 'applicationId'),
    name: 'web',
    appName: of(estate, 'appName'),
    refreshToken: `${estate.prefix}-token-application`,
  });
  const other = newApplication({
    ...place,
    createdAt: later,
    applicationId: of(estate, 'otherApplicationId'),
    name: 'worker',
    appName: of(estate, 'otherAppName'),
    refreshToken: `${estate.prefix}-token-other`,
  });
  const database = (kind: DatabaseKindName): TableRecord<'database'> => ({
    ...place,
    databaseId: of(estate, `${kind}Id`),
    kind,
    name: kind,
    appName: of(estate, `${kind}AppName`),
    databaseName: kind === 'mongo' || kind === 'redis' ? null : 'shop',
    databaseUser: kind === 'redis' ? null : 'shop',
    databasePassword: 'readable-password',
    databaseRootPassword: kind === 'mariadb' || kind === 'mysql' ? 'readable-root-password' : null,
    containerImage: `${kind}:8`,
    replicaSets: false,
    serverId: null,
    applicationStatus: 'idle',
    memoryLimit: null,
    memoryReservation: null,
    cpuLimit: null,
    cpuReservation: null,
    command: null,
    args: [],
    env: '',
    externalPort: null,
    ...neverRan(of(estate, `${kind}Id`)),
  });
  const names = [
    ['applicationId', 'appName'],
    ['otherApplicationId', 'otherAppName'],
    ['composeId', 'composeAppName'],
    ...databaseKindNames.map((kind) => [`${kind}Id`, `${kind}AppName`]),
  ];
  return {
    application: [
      {
        ...application,
        sourceType: 'container',
        containerImage: 'berth/none:1',
        username: 'puller',
        password: hiddenTexts.imagePassword,
        customGitPassword: hiddenTexts.gitPassword,
        webhookSecret: hiddenTexts.webhookSecret,
        previewWildcard: `*.${estate.prefix}.example.com`,
      },
      { ...other, sourceType: 'git', customGitUrl: 'https://127.0.0.1:1/none.git', customGitBranch: 'main' },
    ],
    deployment: [
      {
        ...own,
        deploymentId: of(estate, 'deploymentId'),
        applicationId: of(estate, 'applicationId'),
        databaseId: null,
        composeId: null,
        previewDeploymentId: null,
        kind: 'deploy',
        title: 'Manual deployment',
        description: '',
        status: 'error',
        stage: 'build',
        commit: null,
        image: null,
        errorMessage: 'The build failed.',
        settings: null,
        sourceDeploymentId: null,
        child: null,
        previousVersion: null,
        startedAt: createdAt,
        healthyAt: null,
        finishedAt: createdAt,
        sequence: number + 1,
      },
    ],
    compose: [
      {
        ...place,
        composeId: of(estate, 'composeId'),
        name: 'stack',
        appName: of(estate, 'composeAppName'),
        serverId: null,
        composeType: 'compose',
        sourceType: 'raw',
        composeFile: 'services:\n  web:\n    image: berth/none:1\n',
        composePath: 'compose.yaml',
        env: '',
        createEnvFile: false,
        composeStatus: 'idle',
        refreshToken: `${estate.prefix}-token-compose`,
        autoDeploy: true,
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
        customGitPassword: hiddenTexts.gitPassword,
        enableSubmodules: false,
        watchPaths: [],
        triggerType: 'push',
        webhookSecret: hiddenTexts.webhookSecret,
        releasedAppName: null,
        isStopped: false,
        liveDeploymentId: null,
        releasedSuffix: '',
        networkIndex: null,
        mayReachServer: false,
      },
    ],
    database: databaseKindNames.map(database),
    service_name: names.map(([idName = '', appName = '']) => ({
      nameKey: of(estate, appName).toLowerCase(),
      serviceId: of(estate, idName),
    })),
  };
}

/** What hangs on services. */
function besides(estate: Estate, own: Own, number: number): Rows {
  const application = { ...own, applicationId: of(estate, 'applicationId') };
  const domain: Omit<TableRecord<'domain'>, 'domainId' | 'host' | 'asciiHost' | 'uniqueConfigKey'> = {
    ...application,
    path: '/',
    port: 3000,
    https: false,
    certificateType: 'none',
    customCertResolver: null,
    composeId: null,
    serviceName: null,
    domainType: 'application',
    previewDeploymentId: null,
    internalPath: '/',
    stripPath: false,
    hstsMaxAge: null,
    requestHeaders: {},
    maxBodyBytes: null,
    serverKey: 'local',
  };
  return {
    domain: [
      {
        ...domain,
        domainId: of(estate, 'domainId'),
        host: estate['host'] ?? '',
        asciiHost: estate['host'] ?? '',
        uniqueConfigKey: 3 * number + 1,
      },
      {
        ...domain,
        createdAt: later,
        domainId: of(estate, 'secureDomainId'),
        host: `secure.${estate['host']}`,
        asciiHost: `secure.${estate['host']}`,
        https: true,
        uniqueConfigKey: 3 * number + 3,
      },
      {
        ...domain,
        applicationId: null,
        domainId: of(estate, 'previewDomainId'),
        host: `preview.${estate['host']}`,
        asciiHost: `preview.${estate['host']}`,
        domainType: 'preview',
        previewDeploymentId: of(estate, 'previewDeploymentId'),
        uniqueConfigKey: 3 * number + 2,
      },
    ],
    port: [
      {
        ...application,
        portId: of(estate, 'portId'),
        publishedPort: 20_000 + number,
        targetPort: 80,
        protocol: 'tcp',
        publishMode: 'host',
        serverKey: 'local',
      },
    ],
    mount: [
      {
        ...application,
        mountId: of(estate, 'mountId'),
        type: 'volume',
        hostPath: null,
        volumeName: 'data',
        filePath: null,
        content: null,
        mountPath: '/data',
        serviceType: 'application',
        databaseId: null,
        composeId: null,
      },
    ],
    redirect: [
      {
        ...application,
        redirectId: of(estate, 'redirectId'),
        regex: '^/old/(.*)$',
        replacement: '/new/$1',
        permanent: true,
      },
    ],
    basic_auth: [
      {
        ...application,
        basicAuthId: of(estate, 'basicAuthId'),
        username: 'visitor',
        passwordHash: hiddenTexts.basicAuth,
      },
    ],
    backup_run: [
      {
        ...own,
        backupRunId: of(estate, 'backupRunId'),
        operation: 'backup',
        backupId: of(estate, 'backupId'),
        databaseId: of(estate, 'mysqlId'),
        startedBy: 'person',
        destinationId: of(estate, 'destinationId'),
        path: 'shop/one.sql.gz',
        database: 'shop',
        status: 'error',
        steps: [],
        bytes: null,
        storedBytes: null,
        checksum: null,
        isStored: false,
        previousVolume: null,
        errorCode: 'PRECONDITION_FAILED',
        errorMessage: 'It did not run.',
        startedAt: null,
        finishedAt: null,
        sequence: number,
      },
    ],
    backup: [
      {
        ...own,
        backupId: of(estate, 'backupId'),
        databaseId: of(estate, 'mysqlId'),
        sourceType: 'database',
        databaseType: 'mysql',
        database: 'shop',
        destinationId: of(estate, 'destinationId'),
        schedule: '0 3 * * *',
        timeZone: 'UTC',
        prefix: 'shop',
        enabled: true,
        keepLatestCount: 7,
        nextRunAt: null,
        verifySchedule: null,
        nextVerifyAt: null,
        alarmAfterHours: null,
        alarmSince: null,
        lastGoodAt: null,
        sealedKey: null,
      },
    ],
    preview_deployment: [
      {
        ...application,
        previewDeploymentId: of(estate, 'previewDeploymentId'),
        branch: 'feature',
        pullRequestNumber: 12,
        domain: `preview.${estate['host']}`,
        domainId: of(estate, 'previewDomainId'),
        status: 'running',
        appName: `preview-${estate.prefix}-12`,
        commit: null,
        repository: '',
        provider: 'gitea',
        isTrusted: true,
        liveDeploymentId: null,
        releasedAppName: null,
        isStopped: false,
        commentId: null,
        commentDigest: null,
      },
    ],
  };
}

/** What belongs to the organization. */
function shared(estate: Estate, own: Own): Rows {
  const server: Omit<TableRecord<'server'>, 'serverId' | 'name'> = {
    ...own,
    description: null,
    ipAddress: '203.0.113.7',
    port: 22,
    username: 'root',
    sshKeyId: of(estate, 'sshKeyId'),
    serverType: 'deploy',
    status: 'inactive',
    hostKeyFingerprint: null,
    buildsConcurrency: 1,
    metricsConfig: null,
    metricsToken: null,
  };
  const sshKey = {
    ...own,
    description: '',
    publicKey: 'ssh-ed25519 AAAA deploy',
    privateKey: hiddenTexts.sshPrivateKey,
    fingerprint: 'SHA256:x',
  };
  const certificate = {
    ...own,
    ...certificateChain.facts,
    subjectAlternativeNames: [...certificateChain.facts.subjectAlternativeNames],
    certificateData: certificateChain.certificate,
    privateKey: certificateChain.privateKey,
    serverId: null,
  };
  return {
    ssh_key: [
      { ...sshKey, sshKeyId: of(estate, 'sshKeyId'), name: 'deploy' },
      { ...sshKey, createdAt: later, sshKeyId: of(estate, 'freeSshKeyId'), name: 'free' },
    ],
    registry: [
      {
        ...own,
        registryId: of(estate, 'registryId'),
        name: 'registry',
        registryUrl: '127.0.0.1:1',
        username: 'pusher',
        password: hiddenTexts.registryPassword,
        imagePrefix: '',
      },
    ],
    server: [
      { ...server, serverId: of(estate, 'serverId'), name: 'node-1' },
      { ...server, createdAt: later, serverId: of(estate, 'busyServerId'), name: 'node-2' },
    ],
    destination: [
      { id: 'destinationId', name: 'backups', createdAt },
      { id: 'freeDestinationId', name: 'free', createdAt: later },
    ].map(
      (one): TableRecord<'destination'> => ({
        ...own,
        createdAt: one.createdAt,
        destinationId: of(estate, one.id),
        name: one.name,
        provider: 's3',
        accessKey: hiddenTexts.accessKey,
        secretAccessKey: hiddenTexts.secretAccessKey,
        bucket: 'backups',
        region: 'eu-central-1',
        endpoint: 'https://127.0.0.1:1',
        path: '',
      }),
    ),
    certificate: [
      { ...certificate, certificateId: of(estate, 'certificateId'), name: 'free' },
      {
        ...certificate,
        createdAt: later,
        certificateId: of(estate, 'usedCertificateId'),
        name: 'used',
        subjectAlternativeNames: [`secure.${estate['host']}`],
      },
    ],
    certificate_resolver: [
      {
        ...own,
        certificateResolverId: of(estate, 'certificateResolverId'),
        name: 'internal',
        directoryUrl: 'https://acme.example.com/directory',
        email: 'ops@example.com',
        rootCertificates: null,
        eabKeyId: 'key-1',
        eabHmacKey: hiddenTexts.eab,
      },
    ],
    git_provider: [
      {
        ...own,
        gitProviderId: of(estate, 'gitProviderId'),
        provider: 'gitea',
        name: 'gitea',
        baseUrl: 'https://127.0.0.1:1',
        apiUrl: 'https://127.0.0.1:1/api/v1',
        appId: null,
        installationId: null,
        username: null,
        privateKey: null,
        webhookSecret: null,
        accessToken: hiddenTexts.accessToken,
      },
    ],
    invitation: [
      {
        ...own,
        invitationId: of(estate, 'invitationId'),
        email: `${estate.prefix}-invited@example.com`,
        role: 'member',
        grants: noGrants,
        tokenHash: hashToken(`${estate.prefix}-invitation`),
        invitedBy: `${estate.prefix}-owner`,
        status: 'pending',
        expiresAt: 4_000_000_000_000,
      },
    ],
  };
}
