/**
 * The names of one of everything that an organization can have: names and ids begin with their own
 * prefix, so that any number of sets of them stand beside each other.
 */
import { databaseKindNames } from '../../server/src/domain/database-kind.ts';
import type { TableName, TableRecord } from '../../server/src/db/tables.ts';
import { certificateChain } from './certificates.ts';

export type Rows = { [T in TableName]?: TableRecord<T>[] };

/** Texts that no answer may ever hold: each stands in a column that is written and never read out. */
export const hiddenTexts = {
  cataloguePassword: 'hidden-catalogue-password',
  registryPassword: 'hidden-registry-password',
  sshPrivateKey: 'hidden-ssh-private-key',
  accessKey: 'hidden-access-key',
  secretAccessKey: 'hidden-secret-access-key',
  gitPassword: 'hidden-git-password',
  imagePassword: 'hidden-image-password',
  basicAuth: `$2b$10$${'hiddenBasicAuthHash'.padEnd(53, 'x')}`,
  eab: 'hidden-eab-key',
  passwordHash: 'hidden-password-hash',
  twoFactor: 'hidden-two-factor-secret',
  certificateKey: certificateChain.privateKey.split('\n')[1] ?? '',
  webhookSecret: 'hidden-webhook-secret',
  logDrainPassword: 'hidden-log-drain-password',
  /** In base64, as a TSIG key is. */
  dnsSecret: 'aGlkZGVuLWRucy1zZWNyZXQ=',
  accessToken: 'hidden-access-token',
} as const;

/** Names of things → their ids; `<name>` in a row of the conformance suite. */
export type Fixtures = Readonly<Record<string, string>> & {
  readonly organizationId: string;
  readonly prefix: string;
};

export function fixturesOf(prefix: string): Fixtures {
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
    volumeBackupId: id('volume-backup'),
    previewDeploymentId: id('preview'),
    previewDomainId: id('preview-domain'),
    sshKeyId: id('ssh-key'),
    freeSshKeyId: id('free-ssh-key'),
    registryId: id('registry'),
    templateCatalogueId: id('template-catalogue'),
    serverId: id('server'),
    busyServerId: id('busy-server'),
    scheduleId: id('schedule'),
    scheduleRunId: id('schedule-run'),
    alarmId: id('alarm'),
    webhookDeliveryId: id('webhook-delivery'),
    notificationId: id('notification'),
    logDrainId: id('log-drain'),
    destinationId: id('destination'),
    freeDestinationId: id('free-destination'),
    certificateId: id('certificate'),
    usedCertificateId: id('used-certificate'),
    certificateResolverId: id('resolver'),
    certificateOrderId: id('certificate-order'),
    dnsProviderId: id('dns-provider'),
    freeDnsProviderId: id('free-dns-provider'),
    invitationId: id('invitation'),
    gitProviderId: id('git-provider'),
  };
}

/** What an organization has, however many projects stand in it. */
const namesOfOrganization = [
  'organizationId',
  'sshKeyId',
  'freeSshKeyId',
  'registryId',
  'templateCatalogueId',
  'serverId',
  'busyServerId',
  'notificationId',
  'logDrainId',
  'destinationId',
  'freeDestinationId',
  'certificateId',
  'usedCertificateId',
  'certificateResolverId',
  'certificateOrderId',
  'dnsProviderId',
  'freeDnsProviderId',
  'invitationId',
  'gitProviderId',
];

/** A further set in the organization of another one: its own projects and services, and what both have. */
export function fixturesBeside(other: Fixtures, prefix: string): Fixtures {
  const shared = namesOfOrganization.map((name): [string, string] => [name, of(other, name)]);
  return { ...fixturesOf(prefix), ...Object.fromEntries(shared) };
}

/** A set of them has every name that `fixturesOf` gives it. */
export function of(fixtures: Fixtures, name: string): string {
  const value = fixtures[name];
  if (value === undefined) throw new Error(`An fixtures has no ${name}.`);
  return value;
}
