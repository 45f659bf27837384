/**
 * What every text field of every input names: a rule for each name, so that a new field without one fails the
 * walk. Pure.
 */
import type { NamedProcedure } from '../../../server/src/procedure/describe/listing.ts';
import type { ResourceKind } from '../../../server/src/procedure/procedure.ts';
import { nameOf, textFields, type TextField } from '../../e2e/hostile/input-fields.ts';
import { plainFields } from './plain-fields.ts';

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
    'url',
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
    'folder',
    'hostPath',
    'installationBackup.set prefix',
    'localRepositoryPaths.0',
    'mountPath',
    'publishDirectory',
  ],
  token: ['organization.accept token'],
  file: ['composeFile', 'definition.file'],
};

/** Rules by which a field names something, whatever else it is called. */
const looksLikeId = /(^|\.)(\w*Ids?|\w+Id)(\.\d+)?$|^grants\.accessed\w+\.0$|^networks\.0$/;

const classOfName = new Map<string, FieldClass>([
  ...Object.entries(named).flatMap(([kind, names]) =>
    names.map((name): [string, FieldClass] => [name, fieldClasses.find((one) => one === kind) ?? 'plain']),
  ),
  ...plainFields.map((name): [string, FieldClass] => [name, 'plain']),
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
