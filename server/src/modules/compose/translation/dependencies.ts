/** What waits for what: `depends_on` and the order that follows from it. Pure. */
import { badField } from '../../../domain/errors.ts';
import { entriesOf } from '../compose-file.ts';
import type { Dependency, PlannedService } from './plan.ts';
import { below, booleanAt, textsAt, wordAt, type Place } from './values.ts';

const conditions = {
  service_started: 'started',
  service_healthy: 'healthy',
  service_completed_successfully: 'completed',
} as const;
const conditionNames = ['service_started', 'service_healthy', 'service_completed_successfully'] as const;

export interface WantedDependency extends Dependency {
  required: boolean;
}

export function dependenciesAt(value: unknown, place: Place): WantedDependency[] {
  if (!(value instanceof Map))
    return textsAt(value, place).map((service) => ({ service, condition: 'started', required: true }));
  return entriesOf(value).map(([service, item]) => {
    const at = below(place, service);
    const condition: unknown = item instanceof Map ? item.get('condition') : undefined;
    const required: unknown = item instanceof Map ? item.get('required') : undefined;
    return {
      service,
      condition:
        conditions[
          condition === undefined
            ? 'service_started'
            : wordAt(condition, below(at, 'condition'), conditionNames)
        ],
      required: required === undefined || booleanAt(required, below(at, 'required')),
    };
  });
}

/** The services in an order in which each stands after those it depends on. BAD_REQUEST for a circle. */
export function inOrder(services: readonly PlannedService[], field: string): PlannedService[] {
  const byName = new Map(services.map((service) => [service.name, service]));
  const ordered = new Set<PlannedService>();
  const visit = (service: PlannedService, path: readonly string[]): void => {
    if (ordered.has(service)) return;
    if (path.includes(service.name))
      throw badField(
        field,
        `services.${service.name}.depends_on is circular: ${[...path, service.name].join(' → ')}`,
      );
    for (const { service: name } of service.dependsOn) {
      const needed = byName.get(name);
      if (needed) visit(needed, [...path, service.name]);
    }
    ordered.add(service);
  };
  for (const service of services) visit(service, []);
  return [...ordered];
}
