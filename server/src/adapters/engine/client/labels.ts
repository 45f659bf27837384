import {
  builderSpecLabel,
  containerLabel,
  deploymentLabel,
  identityLabels,
  ownerPrefixes,
  taskIdLabel,
  taskNameLabel,
} from '../../../domain/names/labels.ts';

/** The engine itself says these of a service's container, and of no other (Docker's swarmkit). */
const taskLabels: readonly string[] = [
  'com.docker.swarm.node.id',
  'com.docker.swarm.service.id',
  'com.docker.swarm.service.name',
  'com.docker.swarm.task',
  'com.docker.swarm.task.id',
  'com.docker.swarm.task.name',
];

/** Labels of a service's containers: none of the image's own stands for one of ours. */
export function overriding(labels: Readonly<Record<string, string>>): Record<string, string> {
  return { ...nothingFor(identityLabels), ...labels };
}

/** The same for a container of this name beside all services. */
export function overridingAll(
  name: string,
  labels: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...nothingFor([...identityLabels, ...taskLabels]), ...labels, [containerLabel]: name };
}

/** The name of a container that is about to be replaced. */
export const formerName = (name: string): string => `${name}-former`;

/**
 * Labels of a container of these names, without those that it only has from its image. A person may start a
 * container from an image that Berth built, or that was committed from one of its containers; such a
 * container belongs to neither Berth nor a service.
 */
export function provenLabels(
  names: readonly string[],
  labels: Readonly<Record<string, string>>,
): Record<string, string> {
  const plain = names.map((name) => name.replace(/^\//, ''));
  const meant = withoutOverrides(labels);
  if (isTask(plain, labels) || isBesideServices(plain, labels)) return meant;
  return Object.fromEntries(
    Object.entries(meant).filter(([name]) => !ownerPrefixes.some((prefix) => name.startsWith(prefix))),
  );
}

/** The swarm names a container for its task and says so in a label; names are unique on an engine. */
function isTask(names: readonly string[], labels: Readonly<Record<string, string>>): boolean {
  const name = labels[taskNameLabel];
  return !!labels[taskIdLabel] && name !== undefined && names.includes(name);
}

/** Containers from before they bore their names are known by labels that no build sets. */
function isBesideServices(names: readonly string[], labels: Readonly<Record<string, string>>): boolean {
  const name = labels[containerLabel];
  if (name !== undefined) return names.includes(name) || names.includes(formerName(name));
  return !labels[deploymentLabel] && (labels[taskIdLabel] === '' || builderSpecLabel in labels);
}

/** As they were meant: without those that only override. */
export function withoutOverrides(labels: Readonly<Record<string, string>>): Record<string, string> {
  const known = new Set([...identityLabels, ...taskLabels]);
  return Object.fromEntries(
    Object.entries(labels).filter(([name, value]) => value !== '' || !known.has(name)),
  );
}

function nothingFor(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '']));
}
