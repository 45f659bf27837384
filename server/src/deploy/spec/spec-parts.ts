/** Parts of a service's specification that every kind of service has. Pure. */
import {
  environmentLabel,
  managedLabel,
  organizationLabel,
  projectLabel,
} from '../../domain/names/labels.ts';
import type { MountRecord } from '../release/release-inputs.ts';
import { parseCpus, parseMemory } from '../../domain/resources/resources.ts';
import { ownerLabels, type ServiceRef } from '../../domain/names/service-ref.ts';
import { volumeNameOf } from '../../modules/mount/mount.ts';
import { type ServiceSpec } from '../../ports/engine/engine.ts';
import type { ServiceMount } from '../../ports/engine/service-mount.ts';
import type { Placement } from '../context.ts';

interface Resources {
  memoryLimit: string | null;
  memoryReservation: string | null;
  cpuLimit: string | null;
  cpuReservation: string | null;
  pidsLimit: number | null;
}

/** Labels that say to whom a service belongs. */
export function serviceLabels(
  { kind, serviceId }: ServiceRef,
  { organizationId, projectId, environmentId }: Placement,
): Record<string, string> {
  return {
    [managedLabel]: 'true',
    [organizationLabel]: organizationId,
    [projectLabel]: projectId,
    [environmentLabel]: environmentId,
    [ownerLabels[kind]]: serviceId,
  };
}

/** Labels of a service's volume, without project and environment, since the volume may outlive both. */
export function volumeLabels({
  kind,
  serviceId,
  organizationId,
}: ServiceRef & { organizationId: string }): Record<string, string> {
  return { [managedLabel]: 'true', [organizationLabel]: organizationId, [ownerLabels[kind]]: serviceId };
}

export function serviceMount(
  mount: MountRecord,
  owner: ServiceRef & { organizationId: string },
): ServiceMount {
  if (mount.type === 'bind') return { type: 'bind', source: mount.hostPath ?? '', target: mount.mountPath };
  return {
    type: 'volume',
    source: volumeNameOf(mount),
    target: mount.mountPath,
    labels: volumeLabels(owner),
  };
}

export function filesOf(mounts: readonly MountRecord[]): ServiceSpec['files'] {
  return mounts
    .filter(({ type }) => type === 'file')
    .map(({ mountPath, content }) => ({ path: mountPath, content: content ?? '' }));
}

export function limitsOf({ memoryLimit, cpuLimit, pidsLimit }: Resources): ServiceSpec['limits'] {
  return {
    memoryBytes: bytes(memoryLimit, 'memoryLimit'),
    nanoCpus: cpus(cpuLimit, 'cpuLimit'),
    ...(pidsLimit === null ? {} : { pids: pidsLimit }),
  };
}

export function reservationsOf({
  memoryReservation,
  cpuReservation,
}: Resources): ServiceSpec['reservations'] {
  return {
    memoryBytes: bytes(memoryReservation, 'memoryReservation'),
    nanoCpus: cpus(cpuReservation, 'cpuReservation'),
  };
}

function bytes(text: string | null, field: string): number | undefined {
  return text ? parseMemory(text, field) : undefined;
}

function cpus(text: string | null, field: string): number | undefined {
  return text ? parseCpus(text, field) : undefined;
}
