import { identityLabels } from '../../../domain/names/labels.ts';

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

/** The same for a container beside all services. */
export function overridingAll(labels: Readonly<Record<string, string>>): Record<string, string> {
  return { ...nothingFor([...identityLabels, ...taskLabels]), ...labels };
}

/** As they were meant: without those that only override. */
export function withoutOverrides(labels: Record<string, string>): Record<string, string> {
  const known = new Set([...identityLabels, ...taskLabels]);
  return Object.fromEntries(
    Object.entries(labels).filter(([name, value]) => value !== '' || !known.has(name)),
  );
}

function nothingFor(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '']));
}
