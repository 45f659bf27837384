import { identityLabels, managedLabel } from '../../../domain/names/labels.ts';
import { AppError } from '../../../domain/errors.ts';

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

/** These labels and the one that says "made by Berth". */
export function managed(labels: Record<string, string> = {}): Record<string, string> {
  return { ...labels, [managedLabel]: 'true' };
}

/**
 * Throws CONFLICT when a thing of the engine is not Berth's: `kind` and `name` as a person would say them.
 */
export function requireManaged(
  labels: Record<string, string> | null | undefined,
  kind: string,
  name: string,
): void {
  if (labels?.[managedLabel] === 'true') return;
  throw new AppError(
    'CONFLICT',
    `The engine already has a ${kind} named ${name} that Berth did not make. Berth leaves it alone; ` +
      `choose another name, or remove that ${kind} if nothing needs it.`,
  );
}
