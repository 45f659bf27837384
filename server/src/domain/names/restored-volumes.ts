/** What a service has in place of the volumes that it had first: of restores, and of deleted services. */
import type { ServiceRef } from './service-ref.ts';

/**
 * What the engine calls them, by the names that volumes have within their service; by `=<name>=<volume>` too
 * what stands now for a volume of a deleted service that it was given once, which releases of then name.
 */
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

/** Whether an engine's volume is this first one of a service, or one that a restore put in its place. */
export const isVolumeFrom = (source: string, first: string): boolean =>
  source === first || source.startsWith(`${first}${mark}`);

/** The volume that stands for this one now; one that no restore replaced stays. */
export function presentVolume(source: string, service: ServiceRef, restored: RestoredVolumes): string {
  for (const [volumeName, now] of Object.entries(restored)) {
    const given = givenIn(volumeName);
    if (given === source) return now;
    if (given !== undefined) continue;
    const first = firstVolume(service, volumeName);
    if (isVolumeFrom(source, first)) return now;
  }
  return source;
}

/** What is recorded once the volume of this name was replaced; null: by the one that it had at first. */
export function withVolume(
  restored: RestoredVolumes,
  service: ServiceRef,
  volumeName: string,
  now: string | null,
): RestoredVolumes {
  const { [volumeName]: former, ...others } = restored;
  const first = firstVolume(service, volumeName);
  const key = `=${volumeName}=`;
  const given = Object.keys(others).filter((name) => name.startsWith(key));
  if (former !== undefined && !isVolumeFrom(former, first)) given.push(`${key}${former}`);
  // The first one is named as well: releases may name any that stood for it since.
  return { ...others, ...Object.fromEntries([volumeName, ...given].map((name) => [name, now ?? first])) };
}

/** The engine's name of each volume that was ever replaced, by its name within the service. */
export const replacedVolumes = (restored: RestoredVolumes): [volumeName: string, source: string][] =>
  Object.entries(restored).filter(([name]) => givenIn(name) === undefined);

/** Of a key `=<name>=<volume>` the volume. No volume has such a name within its service. */
const givenIn = (key: string): string | undefined => /^=[^=]*=(.*)$/s.exec(key)?.[1];

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
