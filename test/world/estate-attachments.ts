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
    backup: [backup(estate, own), volumeBackup(estate, own)],
    preview_deployment: [preview(estate, application)],
    schedule: [schedule(estate, application)],
    schedule_run: [scheduleRun(estate, own, number)],
    hook_delivery: [hookDelivery(estate, number)],
    alarm: [alarm(estate)],
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
    applicationId: null,
    composeId: null,
    volumeName: null,
    serviceDuring: null,
  };
}

function volumeBackup(estate: Estate, own: Own): TableRecord<'backup'> {
  return {
    ...backup(estate, own),
    backupId: of(estate, 'volumeBackupId'),
    databaseId: null,
    sourceType: 'volume',
    databaseType: null,
    database: '',
    applicationId: of(estate, 'applicationId'),
    volumeName: 'data',
    serviceDuring: 'paused',
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
    applicationId: null,
    composeId: null,
    volumeName: null,
    held: null,
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

function schedule(estate: Estate, application: OfApplication): TableRecord<'schedule'> {
  return {
    ...application,
    scheduleId: of(estate, 'scheduleId'),
    composeId: null,
    serviceName: null,
    name: 'nightly',
    cron: '0 4 * * *',
    timeZone: 'UTC',
    command: ['true'],
    limitMinutes: 60,
    enabled: false,
    nextRunAt: null,
  };
}

function scheduleRun(estate: Estate, own: Own, number: number): TableRecord<'schedule_run'> {
  return {
    ...own,
    scheduleRunId: of(estate, 'scheduleRunId'),
    scheduleId: of(estate, 'scheduleId'),
    startedBy: 'schedule',
    status: 'missed',
    exitCode: null,
    errorMessage: 'Berth did not run at that time.',
    dueAt: own.createdAt,
    startedAt: null,
    finishedAt: own.createdAt,
    sequence: number,
    nanoCpus: null,
    memoryBytes: null,
  };
}

function hookDelivery(estate: Estate, number: number): TableRecord<'hook_delivery'> {
  return {
    webhookDeliveryId: of(estate, 'webhookDeliveryId'),
    organizationId: estate.organizationId,
    applicationId: of(estate, 'applicationId'),
    composeId: null,
    provider: 'github',
    hostDeliveryId: 'd-1',
    summary: 'push to the branch next: Fix the door',
    outcome: 'skipped',
    reason: 'the branch next is not main',
    deploymentId: null,
    events: [
      {
        kind: 'push',
        refKind: 'branch',
        ref: 'next',
        commit: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7',
        message: 'Fix the door',
        changedPaths: undefined,
      },
    ],
    source: 'signed',
    replayOf: null,
    receivedAt: '2026-01-01T00:00:00.000Z',
    sequence: number,
  };
}

/** That has ended, so that the evaluator of a started program has no reason to end it. */
function alarm(estate: Estate): TableRecord<'alarm'> {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    alarmId: of(estate, 'alarmId'),
    organizationId: estate.organizationId,
    kind: 'serviceDown',
    subjectType: 'application',
    subjectId: of(estate, 'applicationId'),
    subjectName: 'shop',
    sentence: 'shop is down.',
    projectId: of(estate, 'projectId'),
    environmentId: of(estate, 'environmentId'),
    serviceId: of(estate, 'applicationId'),
    begunAt: at,
    endedAt: at,
    acknowledgedAt: null,
    acknowledgedBy: null,
    times: 1,
  };
}
