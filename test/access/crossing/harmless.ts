/** Cells of the walk that are not refused, each with the reason why nobody loses by it. */
import type { ClassedField } from './fields.ts';
import type { Reach } from './values.ts';

interface Harmless {
  /** Of its values these alone; all of them without it. */
  values?: RegExp;
  reason: string;
}

const askedThroughTheGate: Harmless = {
  values: /^http/,
  reason: 'Refused when it is connected to, as every address that is not public (adapters/outgoing).',
};
const withinSource: Harmless = {
  values: /^\//,
  reason:
    'Read from the root of the source: no path of a checkout leads out of it, links included ' +
    '(server/src/adapters/files/checkout-links.test.ts).',
};
const connectedLater: Harmless = {
  values: /^http/,
  reason: 'Stored; judged whenever it is connected to, by the address it has then (adapters/outgoing).',
};
const asksTheEngine: Harmless = {
  reason:
    'Answered 503 here, without an engine: what a caller sees of it is decided by its owner ' +
    '(server/src/modules/container/container.store.test.ts, modules/swarm/swarm.store.test.ts).',
};
const keptOnTheEngine: Harmless = {
  reason:
    'Answered 503 here, without an engine: only volumes of deleted services of the organization are found ' +
    '(server/src/modules/cleanup/kept-volumes.store.test.ts).',
};
const ownVolume: Harmless = {
  reason: "The engine's volume is named berth-<service's id>-<this>, so it is always the service's own.",
};
const judgedAtDeployment: Harmless = {
  reason: 'Every deployment is held against what was approved (test/dangers/dangers.test.ts).',
};
const ownNetworkOnly: Harmless = {
  values: /^(berth|host|localhost)$/,
  reason: "A name within the environment's own network; the platform's names all begin with berth-.",
};
const notReached: Harmless = {
  reason: 'Answered 412 here: the server of this world has no key that opens it, so nothing is asked.',
};
const inBucket: Harmless = {
  values: /^\//,
  reason: "Read from the root of the destination's own place; .. is refused.",
};

/**
 * `<procedure> <field>` or `<field>`. A row that no cell needs fails the walk.
 */
const rows: Readonly<Record<string, Harmless>> = {
  previewWildcard: {
    values: /^\*\./,
    reason: 'A preview gets one name below it, never the wildcard; that name is judged as any host is.',
  },
  'templateCatalogue.create url': askedThroughTheGate,
  buildPath: withinSource,
  customGitBuildPath: withinSource,
  dockerfile: withinSource,
  containerContextPath: withinSource,
  dockerContextPath: withinSource,
  publishDirectory: withinSource,
  dropBuildPath: withinSource,
  composePath: withinSource,
  appName: ownNetworkOnly,
  'domain.generateDomain appName': {
    reason: 'A proposal of a name made from the text; nothing is looked up and nothing is kept.',
  },
  'container.getContainersByAppNameMatch appName': asksTheEngine,
  'container.getContainersByAppLabel appName': asksTheEngine,
  'container.getStackContainersByAppName appName': asksTheEngine,
  'container.getServiceContainersByAppName appName': asksTheEngine,
  containerId: asksTheEngine,
  nodeId: asksTheEngine,
  'compose.readLogs serviceName': asksTheEngine,
  'compose.logs serviceName': asksTheEngine,
  'compose.update suffix': { reason: "A part of the engine's names behind the compose service's own." },
  'application.update registryUrl': {
    values: /^\/var/,
    reason: 'Only the account of that registry is looked up by it; no such host can be asked.',
  },
  'application.saveContainerProvider registryUrl': {
    reason: 'Stored; the registry is judged before it is asked, at every deployment (adapters/outgoing).',
  },
  customGitUrl: connectedLater,
  address: connectedLater,
  endpoint: connectedLater,
  'webhook.url': connectedLater,
  composeFile: judgedAtDeployment,
  'domain.update serviceName': {
    reason: "Read of a compose service's domain alone, and then sought in that service's own file.",
  },
  'domain.validateDomain domain': {
    reason: 'A question to the domain name system, whose answer everybody gets.',
  },
  'mount.create volumeName': ownVolume,
  'mount.update volumeName': ownVolume,
  'volumeBackup.create volumeName': ownVolume,
  'volumeBackup.restore volumeName': ownVolume,
  'volumeBackup.useKeptVolume volumeName': ownVolume,
  'volumeBackup.useKeptVolume keptVolume': keptOnTheEngine,
  'cleanup.removeKeptVolume volumeName': keptOnTheEngine,
  mountPath: { values: /^\//, reason: 'A path within the container.' },
  imagePrefix: { values: /^\/etc/, reason: 'A part of the names of images at the registry.' },
  'audit.all userId': { reason: "A filter on the organization's own log." },
  'audit.all resourceId': { reason: "A filter on the organization's own log." },
  'labels.team': {
    reason: 'The value of a label of the tenant’s own; keys that mean something are refused.',
  },
  'metricsConfig.containers.services.include.0': notReached,
  'metricsConfig.containers.services.exclude.0': notReached,
  'backup.create prefix': inBucket,
  'backup.update prefix': inBucket,
  'backup.setRecovery prefix': inBucket,
  'volumeBackup.create prefix': inBucket,
  'volumeBackup.update prefix': inBucket,
  backupFile: inBucket,
};

export const harmlessRows: readonly string[] = Object.keys(rows);

/** The row that speaks for a cell, the narrowest first. */
export function harmlessRow({ procedure, name }: ClassedField, { text }: Reach): string | undefined {
  return [`${procedure.path} ${name}`, name].find((key) => {
    const row = rows[key];
    return row !== undefined && (row.values?.test(text) ?? true);
  });
}
