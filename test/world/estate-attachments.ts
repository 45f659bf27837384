/** What hangs on the services of an estate. */
import type { TableRecord } from '../../server/src/db/tables.ts';
import { hiddenTexts, of, type Estate, type Rows } from './estate.ts';
import { later, type Own } from './estate-times.ts';

export function attachmentRows(estate: Estate, own: Own, number: number): Rows {
  const application = { ...own, applicationId: of(estate, 'applicationId') };
  return {
    domain: domains(estate, application, number),
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
        isSecret: false,
        mountId: of(estate, 'mountId'),
        type: 'volume',
        hostPath: null,
        approval: null,
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
    backup_run: [failedBackup(estate, own, number)],
    backup: [backup(estate, own)],
    preview_deployment: [preview(estate, application)],
  };
}

/** A row of the estate's first application. */
interface OfApplication extends Own {
  applicationId: string;
}

/** One in the open, one with TLS, one of the preview. */
function domains(estate: Estate, application: OfApplication, number: number): TableRecord<'domain'>[] {
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
  return [
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
  ];
}

function backup(estate: Estate, own: Own): TableRecord<'backup'> {
  return {
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
  };
}

function failedBackup(estate: Estate, own: Own, number: number): TableRecord<'backup_run'> {
  return {
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
  };
}

function preview(estate: Estate, application: OfApplication): TableRecord<'preview_deployment'> {
  return {
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
  };
}
