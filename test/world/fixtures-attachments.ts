/** What hangs on the services of the fixtures. */
import { noDomainRules } from '../../server/src/modules/domain/route-rules.ts';
import type { TableRecord } from '../../server/src/db/tables.ts';
import { hiddenTexts, of, type Fixtures, type Rows } from './fixtures.ts';
import { later, type Own } from './fixtures-times.ts';

export function attachmentRows(fixtures: Fixtures, own: Own, number: number): Rows {
  const application = { ...own, applicationId: of(fixtures, 'applicationId') };
  return {
    domain: domains(fixtures, application, number),
    port: [
      {
        ...application,
        portId: of(fixtures, 'portId'),
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
        mountId: of(fixtures, 'mountId'),
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
        redirectId: of(fixtures, 'redirectId'),
        regex: '^/old/(.*)$',
        replacement: '/new/$1',
        permanent: true,
      },
    ],
    basic_auth: [
      {
        ...application,
        basicAuthId: of(fixtures, 'basicAuthId'),
        username: 'visitor',
        passwordHash: hiddenTexts.basicAuth,
      },
    ],
    backup_run: [failedBackup(fixtures, own, number)],
    backup: [backup(fixtures, own), volumeBackup(fixtures, own)],
    preview_deployment: [preview(fixtures, application)],
    held_pull_request: [heldPullRequest(fixtures, application)],
    schedule: [schedule(fixtures, application)],
    schedule_run: [scheduleRun(fixtures, own, number)],
    hook_delivery: [hookDelivery(fixtures, number)],
    alarm: [alarm(fixtures)],
  };
}

/** A row of the first application of the fixtures. */
interface OfApplication extends Own {
  applicationId: string;
}

/** One in the open, one with TLS, one of the preview. */
function domains(fixtures: Fixtures, application: OfApplication, number: number): TableRecord<'domain'>[] {
  const domain: Omit<TableRecord<'domain'>, 'domainId' | 'host' | 'asciiHost' | 'uniqueConfigKey'> = {
    ...application,
    path: '/',
    port: 3000,
    ownPort: 3000,
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
    ...noDomainRules,
    serverKey: 'local',
  };
  return [
    {
      ...domain,
      domainId: of(fixtures, 'domainId'),
      host: fixtures['host'] ?? '',
      asciiHost: fixtures['host'] ?? '',
      uniqueConfigKey: 3 * number + 1,
    },
    {
      ...domain,
      createdAt: later,
      domainId: of(fixtures, 'secureDomainId'),
      host: `secure.${fixtures['host']}`,
      asciiHost: `secure.${fixtures['host']}`,
      https: true,
      // It follows its image, which has shown nothing yet.
      ownPort: null,
      uniqueConfigKey: 3 * number + 3,
    },
    {
      ...domain,
      applicationId: null,
      domainId: of(fixtures, 'previewDomainId'),
      host: `preview.${fixtures['host']}`,
      asciiHost: `preview.${fixtures['host']}`,
      domainType: 'preview',
      previewDeploymentId: of(fixtures, 'previewDeploymentId'),
      uniqueConfigKey: 3 * number + 2,
    },
  ];
}

function backup(fixtures: Fixtures, own: Own): TableRecord<'backup'> {
  return {
    ...own,
    backupId: of(fixtures, 'backupId'),
    databaseId: of(fixtures, 'mysqlId'),
    sourceType: 'database',
    databaseType: 'mysql',
    database: 'shop',
    destinationId: of(fixtures, 'destinationId'),
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
    keepDays: null,
  };
}

function volumeBackup(fixtures: Fixtures, own: Own): TableRecord<'backup'> {
  return {
    ...backup(fixtures, own),
    backupId: of(fixtures, 'volumeBackupId'),
    databaseId: null,
    sourceType: 'volume',
    databaseType: null,
    database: '',
    applicationId: of(fixtures, 'applicationId'),
    volumeName: 'data',
    serviceDuring: 'paused',
  };
}

function failedBackup(fixtures: Fixtures, own: Own, number: number): TableRecord<'backup_run'> {
  return {
    ...own,
    backupRunId: of(fixtures, 'backupRunId'),
    operation: 'backup',
    backupId: of(fixtures, 'backupId'),
    databaseId: of(fixtures, 'mysqlId'),
    startedBy: 'person',
    destinationId: of(fixtures, 'destinationId'),
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
    previousDatabase: null,
    restoredAt: null,
    shape: null,
    leftOut: null,
    moment: null,
    held: null,
    recipients: [],
    identity: null,
  };
}

function heldPullRequest(
  { prefix }: Fixtures,
  { applicationId, organizationId, createdAt }: OfApplication,
): TableRecord<'held_pull_request'> {
  const commit = 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7';
  return {
    applicationId,
    composeId: null,
    organizationId,
    number: 44,
    provider: 'gitea',
    event: {
      kind: 'pullRequest',
      action: 'open',
      number: 44,
      title: `Fix the price of two for ${prefix}`,
      baseBranch: 'main',
      headBranch: 'price',
      commit,
      isFork: true,
      labels: [],
      author: { id: '11', name: 'eve' },
      repository: 'acme/shop',
    },
    commit,
    reason: 'it comes from a fork',
    heldAt: createdAt,
    approvedCommit: null,
    approvedBy: null,
    approvedAt: null,
    hasVariables: false,
  };
}

function preview(fixtures: Fixtures, application: OfApplication): TableRecord<'preview_deployment'> {
  return {
    ...application,
    previewDeploymentId: of(fixtures, 'previewDeploymentId'),
    branch: 'feature',
    pullRequestNumber: 12,
    name: null,
    image: null,
    expiresAt: null,
    domain: `preview.${fixtures['host']}`,
    domainId: of(fixtures, 'previewDomainId'),
    status: 'running',
    appName: `preview-${fixtures.prefix}-12`,
    commit: null,
    repository: '',
    provider: 'gitea',
    isTrusted: true,
    isFork: false,
    liveDeploymentId: null,
    releasedAppName: null,
    isStopped: false,
    commentId: null,
    commentDigest: null,
  };
}

function schedule(fixtures: Fixtures, application: OfApplication): TableRecord<'schedule'> {
  return {
    ...application,
    scheduleId: of(fixtures, 'scheduleId'),
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

function scheduleRun(fixtures: Fixtures, own: Own, number: number): TableRecord<'schedule_run'> {
  return {
    ...own,
    scheduleRunId: of(fixtures, 'scheduleRunId'),
    scheduleId: of(fixtures, 'scheduleId'),
    startedBy: 'schedule',
    status: 'missed',
    exitCode: null,
    errorMessage: 'Berth was not running at that time.',
    dueAt: own.createdAt,
    startedAt: null,
    finishedAt: own.createdAt,
    sequence: number,
    nanoCpus: null,
    memoryBytes: null,
  };
}

function hookDelivery(fixtures: Fixtures, number: number): TableRecord<'hook_delivery'> {
  return {
    webhookDeliveryId: of(fixtures, 'webhookDeliveryId'),
    organizationId: fixtures.organizationId,
    applicationId: of(fixtures, 'applicationId'),
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
function alarm(fixtures: Fixtures): TableRecord<'alarm'> {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    alarmId: of(fixtures, 'alarmId'),
    organizationId: fixtures.organizationId,
    kind: 'serviceDown',
    subjectType: 'application',
    subjectId: of(fixtures, 'applicationId'),
    subjectName: 'shop',
    sentence: 'shop is down.',
    projectId: of(fixtures, 'projectId'),
    environmentId: of(fixtures, 'environmentId'),
    serviceId: of(fixtures, 'applicationId'),
    begunAt: at,
    endedAt: at,
    acknowledgedAt: null,
    acknowledgedBy: null,
    times: 1,
  };
}
