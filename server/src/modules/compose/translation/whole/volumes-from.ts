/** `volumes_from` of a service: the mounts of another one at their paths (compose-spec, services). Pure. */
import { badField } from '../../../../domain/errors.ts';
import type { PlannedMount } from '../plan.ts';
import { below, fault, textsAt, wordAt, type Place } from '../values.ts';

export interface VolumesFrom {
  service: string;
  readOnly: boolean;
}

/** What is known of a service by then. */
interface Borrowing {
  name: string;
  mounts: PlannedMount[];
  volumesFrom?: VolumesFrom[];
  wants: { volumesFrom: VolumesFrom[] };
}

/** `service`, `service:ro` and `service:rw`. */
export const volumesFromAt = (value: unknown, place: Place): VolumesFrom[] =>
  textsAt(value, place).map((text, index) => {
    const at = below(place, index);
    const [service = '', mode = 'rw', ...others] = text.split(':');
    if (service === 'container')
      throw fault(at, 'names a container; the volumes of other services of the file are possible');
    if (others.length > 0) throw fault(at, 'must be like "data" or "data:ro"');
    return { service, readOnly: wordAt(mode, at, ['ro', 'rw']) === 'ro' };
  });

/**
 * Each service with the mounts of those that it has volumes from, and of those that these have them from; its
 * own mounts, and the earlier of two others, take precedence at a path. Memory is a container's own.
 */
export function withVolumesFrom<T extends Borrowing>(read: readonly T[], field: string): T[] {
  const byName = new Map(read.map((service) => [service.name, service]));
  const mountsOf = (service: T, path: readonly string[]): PlannedMount[] => {
    const where = `services.${service.name}.volumes_from`;
    if (path.includes(service.name))
      throw badField(field, `${where} is circular: ${[...path, service.name].join(' → ')}`);
    const mounts = new Map(service.mounts.map((mount) => [mount.target, mount]));
    for (const { service: name, readOnly } of service.wants.volumesFrom) {
      const other = byName.get(name);
      if (!other) throw badField(field, `${where} names ${name}, which is not deployed with this file`);
      for (const mount of mountsOf(other, [...path, service.name]))
        if (mount.type !== 'tmpfs' && !mounts.has(mount.target))
          mounts.set(mount.target, borrowed(mount, { from: name, readOnly }));
    }
    return [...mounts.values()];
  };
  return read.map((service) =>
    service.wants.volumesFrom.length === 0
      ? service
      : { ...service, mounts: mountsOf(service, []), volumesFrom: service.wants.volumesFrom },
  );
}

function borrowed(
  mount: PlannedMount,
  { from, readOnly }: { from: string; readOnly: boolean },
): PlannedMount {
  const shared = { ...mount, readOnly: mount.readOnly || readOnly };
  return shared.type === 'volume' && shared.isUnnamed === true
    ? { ...shared, of: shared.of ?? from }
    : shared;
}
