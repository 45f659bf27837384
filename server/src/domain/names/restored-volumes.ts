/** Volumes that restores made: what a service has in the place of the volume that it had at first. */
import type { ServiceRef } from './service-ref.ts';

/** What the engine calls them, by the names that volumes have within their service. */
export type RestoredVolumes = Readonly<Record<string, string>>;

const mark = '.restored-';

/**
 * Name in the engine of the volume that a service had at first: by its id, so that a renamed service keeps
 * its data (decisions 4).
 */
export const firstVolume = ({ serviceId }: Pick<ServiceRef, 'serviceId'>, volumeName: string): string =>
  `berth-${serviceId}-${volumeName}`;

/** Name in the engine of the volume that a restore makes; another run makes another one. */
export function restoredVolume(service: ServiceRef, volumeName: string, backupRunId: string): string {
  return `${firstVolume(service, volumeName)}${mark}${backupRunId}`;
}

/** The volume that stands for this one now; one that no restore replaced stays. */
export function presentVolume(source: string, service: ServiceRef, restored: RestoredVolumes): string {
  for (const [volumeName, now] of Object.entries(restored)) {
    const first = firstVolume(service, volumeName);
    if (source === first || source.startsWith(`${first}${mark}`)) return now;
  }
  return source;
}

/** A release of before, on the volumes of now. */
export function onPresentVolumes<M extends { type: string; source: string }>(
  mounts: readonly M[],
  service: ServiceRef,
  restored: RestoredVolumes,
): M[] {
  return mounts.map((mount) =>
    mount.type === 'volume' ? { ...mount, source: presentVolume(mount.source, service, restored) } : mount,
  );
}
