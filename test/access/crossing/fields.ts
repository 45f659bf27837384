/**
 * What every text field of every input names: a rule for each name, so that a new field without one fails the
 * walk. Pure.
 */
import { dnsKindNames, dnsKinds } from '../../../server/src/modules/dns-provider/kinds/kinds.ts';
import type { NamedProcedure } from '../../../server/src/procedure/describe/listing.ts';
import type { ResourceKind } from '../../../server/src/procedure/procedure.ts';
import { nameOf, textFields, type TextField } from '../../e2e/hostile/input-fields.ts';

/**
 * `id`: of a record. `engineId`: of something of the engine. `serviceName`: of a service of Berth.
 * `engineName`: of a volume, network, node or service of the engine. `label`, `image`, `host`, `address` (of
 * another machine), `path` (of a file), `token` (whoever knows it may). `plain`: names nothing that anybody
 * else has.
 */
export const fieldClasses = [
  'id',
  'engineId',
  'serviceName',
  'engineName',
  'label',
  'image',
  'host',
  'address',
  'path',
  'token',
  'file',
  'plain',
] as const;
export type FieldClass = (typeof fieldClasses)[number];

/** Kinds of the ids that no procedure declares among its resources, since their handlers decide. */
export const idsBesideResources: Readonly<Record<string, ResourceKind | 'session'>> = {
  'user.createApiKey metadata.organizationId': 'organization',
  'user.endSession sessionId': 'session',
  'environment.update projectId': 'project',
  'application.update serverId': 'server',
  'backup.create redisId': 'redis',
  'backup.byDatabase redisId': 'redis',
  'audit.all userId': 'user',
  'audit.all resourceId': 'application',
};

const named: Readonly<Record<Exclude<FieldClass, 'id' | 'plain'>, readonly string[]>> = {
  engineId: ['containerId', 'nodeId', 'task'],
  serviceName: ['appName', 'suffix'],
  engineName: [
    'volumeName',
    'keptVolume',
    'serviceName',
    'placement.0',
    'metricsConfig.containers.services.include.0',
    'metricsConfig.containers.services.exclude.0',
    'customCertResolver',
    'previewCustomCertResolver',
  ],
  label: ['labels (key)', 'labels.team'],
  image: ['containerImage', 'image', 'imagePrefix', 'sharedImages.0'],
  host: ['baseDomain', 'host', 'hosts.team', 'previewWildcard', 'domain.validateDomain domain'],
  address: [
    'rfc2136.server',
    'powerdns.apiUrl',
    'acmeDirectory',
    'address',
    'discord.webhookUrl',
    'email.host',
    'ntfy.serverUrl',
    'push.endpoint',
    'slack.webhookUrl',
    'telegram.apiUrl',
    'webhook.url',
    'allowedPrivateNetworks.0',
    'apiUrl',
    'baseUrl',
    'builderReleases.0',
    'customGitUrl',
    'directoryUrl',
    'dnsResolver',
    'endpoint',
    'ipAddress',
    'networkPool',
    'registryUrl',
    'serverIp',
    'metricsConfig.server.urlCallback',
    'server.getServerMetrics url',
  ],
  path: [
    'backupFile',
    'buildPath',
    'composePath',
    'containerContextPath',
    'customGitBuildPath',
    'destination.create path',
    'destination.update path',
    'destination.testConnection path',
    'backup.create prefix',
    'backup.update prefix',
    'backup.setRecovery prefix',
    'volumeBackup.create prefix',
    'volumeBackup.update prefix',
    'bucket',
    'dockerContextPath',
    'dockerfile',
    'dropBuildPath',
    'definition.files.0.mountPath',
    'definition.files.0.path',
    'filePath',
    'hostPath',
    'installationBackup.set prefix',
    'localRepositoryPaths.0',
    'mountPath',
    'publishDirectory',
  ],
  token: ['organization.accept token'],
  file: ['composeFile', 'definition.file'],
};

const dnsAddresses: readonly string[] = ['rfc2136.server', 'powerdns.apiUrl'];

/** Each with what it is, where the name does not tell. */
const plain: readonly string[] = [
  // Of the account at a DNS provider, whose address is the kind's own.
  ...dnsKindNames
    .flatMap((kind) => Object.keys(dnsKinds[kind].input.shape).map((field) => `${kind}.${field}`))
    .filter((field) => !dnsAddresses.includes(field)),
  // Paths of addresses, seen by visitors alone, and patterns that are compared with names of a repository.
  'domain.create path',
  'domain.update path',
  'internalPath',
  'healthCheck.path',
  'previewPath',
  // Of pull requests.
  'previewLabels.0',
  'previewDatabases.0.from',
  'previewDatabases.0.mask',
  'watchPaths.0',
  // Ids at a git host, of its own account.
  'appId',
  'installationId',
  // At another machine, with a credential of that machine.
  'telegram.chatId',
  'ntfy.topic',
  'push.p256dh',
  'push.publicKey',
  'email.from',
  'email.to.0',
  'email.username',
  'channel',
  'events.0',
  'email.security',
  // Proved by whoever asks, at their own DNS provider.
  'names.0',
  'dnsProvider.test hostName',
  // Of a plan that was shown.
  'digest',
  'route53.accessKeyId',
  'kind',
  // Of a host key.
  'fingerprint',
  'hostKey',
  // Of this installation's past; its people alone name them.
  'incarnationId',
  // Templates come with Berth, and variables of one are those of the service made of it.
  'template',
  // One of three words.
  'template.apply edits',
  // A template of one's own names its own services, variables and domains.
  'definition.title',
  'definition.description',
  'definition.website',
  'definition.tags.0',
  'definition.service',
  'definition.domains.0.name',
  'definition.domains.0.service',
  'definition.domains.0.path',
  'definition.domains.0.description',
  'definition.firstSignIn',
  'definition.instructions',
  'definition.files.0.content',
  'definition.variables.0.name',
  'definition.variables.0.description',
  'definition.variables.0.generate',
  'definition.variables.0.alphabet',
  'definition.variables.0.claims (key)',
  'definition.variables.0.claims.team',
  'definition.variables.0.signedWith',
  'definition.variables.0.domain',
  'definition.variables.0.value',
  'definition.variables.0.pattern',
  'definition.variables.0.message',
  'definition.name',
  'definition.icon',
  'hosts (key)',
  'variables (key)',
  'variables.team',
  // Within the database that the call names, whose server knows no other.
  'database.rows schema',
  'database.rows table',
  'database.query statement',
  'database.keys match',
  'database.keys cursor',
  'database.value key',
  // One's own names for one's own things.
  'name',
  'title',
  'description',
  'email',
  'username',
  'prefix',
  'database',
  'databaseName',
  'databaseUser',
  'region',
  // Secrets that are given, and read nowhere.
  'accessKey',
  'email.password',
  'ntfy.accessToken',
  'push.auth',
  'push.privateKey',
  'telegram.botToken',
  'webhook.secret',
  'accessToken',
  'code',
  'currentPassword',
  'databasePassword',
  'databaseRootPassword',
  'eab.hmacKey',
  'eab.keyId',
  'identity',
  'recipients.0',
  'newPassword',
  'passphrase',
  'password',
  'privateKey',
  'publicKey',
  'secretAccessKey',
  'token',
  'metricsConfig.server.token',
  'webhookSecret',
  'certificateChain',
  'certificateData',
  'rootCertificates',
  'acmeRoots',
  // Of a repository, at the host and with the account that the link names.
  'branch',
  'commit',
  'customGitBranch',
  'gitHost',
  'owner',
  'repository',
  'containerBuildStage',
  'dockerBuildStage',
  // What a service or its build is given; variables in them are the service's own places.
  'args.0',
  'buildArgs',
  'buildSecrets',
  'command',
  'command.0',
  'content',
  'env',
  'healthCheck.command',
  'healthCheck.command.0',
  'previewBuildArgs',
  'previewBuildSecrets',
  'previewEnv',
  'previewInherits.0',
  'previewSecretEnv',
  'removePreviewSecretEnv.0',
  'removeSecretEnv.0',
  'secretEnv',
  'postReleaseCommand',
  'postReleaseCommand.0',
  'preReleaseCommand',
  'preReleaseCommand.0',
  'requestHeaders (key)',
  'requestHeaders.team',
  'responseHeaders (key)',
  'responseHeaders.team',
  'errorPages (key)',
  'errorPages.team',
  'maintenancePage',
  'allowedAddresses.0',
  'allowOnDemand',
  'deniedAddresses.0',
  'trustedProxies.0',
  'regex',
  'replacement',
  // One of a few words, a number, a time.
  'acmeEmail',
  'appType',
  'applicationStatus',
  'buildCpu',
  'buildMemory',
  'buildType',
  'certificateType',
  'composeStatus',
  'composeType',
  'cpuLimit',
  'cpuReservation',
  'cursor',
  'databaseType',
  'digest',
  'domainType',
  'init',
  'memoryLimit',
  'memoryReservation',
  'metricsConfig.server.cronJob',
  'permissions (key)',
  'permissions.team.0',
  'previewCertificateType',
  'procedure',
  'protocol',
  'provider',
  'publishMode',
  'role',
  'cron',
  'cleanupSchedule',
  'schedule',
  'search',
  'serverType',
  'serviceDuring',
  'serviceType',
  'since',
  'backup.restoreToMoment at',
  'backup.branch at',
  'backup.branch mask',
  'sourceType',
  'timeZone',
  'triggerType',
  'type',
  'updateOrder',
  'verifySchedule',
];

/** Rules by which a field names something, whatever else it is called. */
const looksLikeId = /(^|\.)(\w*Ids?|\w+Id)(\.\d+)?$|^grants\.accessed\w+\.0$|^networks\.0$/;

const classOfName = new Map<string, FieldClass>([
  ...Object.entries(named).flatMap(([kind, names]) =>
    names.map((name): [string, FieldClass] => [name, fieldClasses.find((one) => one === kind) ?? 'plain']),
  ),
  ...plain.map((name): [string, FieldClass] => [name, 'plain']),
]);

export interface ClassedField {
  procedure: NamedProcedure;
  field: TextField;
  /** For people, and in the tables here. */
  name: string;
  class: FieldClass;
  /** Of an id. */
  kind?: ResourceKind | 'session' | undefined;
  /** The guard judges it, since the procedure declares it. */
  isDeclared: boolean;
}

/** The field with its class; undefined when no rule knows it. */
function classed(procedure: NamedProcedure, field: TextField): ClassedField | undefined {
  const name = nameOf(field);
  const path = `${procedure.path} ${name}`;
  const declared = procedure.procedure.access.resources.find(
    (one) => one.field === name.replaceAll(/\.0(?=\.|$)/g, ''),
  );
  const known = classOfName.get(path) ?? classOfName.get(name);
  const kind = declared?.kind ?? idsBesideResources[path];
  if (kind !== undefined)
    return { procedure, field, name, class: 'id', kind, isDeclared: declared !== undefined };
  if (known === undefined || (looksLikeId.test(name) && known === 'plain' && !plainIds.includes(name)))
    return undefined;
  return { procedure, field, name, class: known, isDeclared: false };
}

/** Of other systems, and of the installation's own past. */
const plainIds: readonly string[] = [
  'appId',
  'installationId',
  'eab.keyId',
  'telegram.chatId',
  'route53.accessKeyId',
  'incarnationId',
];

export interface Classed {
  fields: ClassedField[];
  /** `<procedure> <field>` of those that no rule knows. */
  unknown: string[];
  /** Names in the rules that no input has. */
  stale: string[];
}

export function classify(procedures: readonly NamedProcedure[]): Classed {
  const fields: ClassedField[] = [];
  const unknown: string[] = [];
  const met = new Set<string>();
  for (const procedure of procedures)
    for (const field of textFields(procedure.procedure)) {
      const name = nameOf(field);
      for (const one of [name, `${procedure.path} ${name}`]) met.add(one);
      const found = classed(procedure, field);
      if (found) fields.push(found);
      else unknown.push(`${procedure.path} ${name}`);
    }
  const stale = [...classOfName.keys(), ...Object.keys(idsBesideResources)].filter((name) => !met.has(name));
  return { fields, unknown, stale };
}
