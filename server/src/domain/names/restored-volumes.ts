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
export const firstVolume = (service: Pick<ServiceRef, 'serviceId'>, volumeName: string): string =>
  namedIn(volumeName) ?? ownVolume(service, volumeName);

const ownVolume = ({ serviceId }: Pick<ServiceRef, 'serviceId'>, volumeName: string): string =>
  `berth-${serviceId}-${volumeName}`;

/** The volume's name within its service where a compose file names it (`name:`), so that others may, too. */
export const volumeWithName = (source: string): string => `name:${source}`;

/** The engine's name in a name of `volumeWithName`. No volume of a service's own has a colon. */
const namedIn = (volumeName: string): string | undefined => /^name:(.+)$/s.exec(volumeName)?.[1];

/** Name in the engine of the volume that a restore makes; another run makes another one. */
export function restoredVolume(service: ServiceRef, volumeName: string, backupRunId: string): string {
  return `${restoredPrefix(service, volumeName)}${backupRunId}`;
}

/** No volume of a service's own begins with `_`. */
function restoredPrefix(service: Pick<ServiceRef, 'serviceId'>, volumeName: string): string {
  const named = namedIn(volumeName);
  return `${ownVolume(service, named === undefined ? volumeName : `_${named}`)}${mark}`;
}

/** Whether an engine's volume is the first one of this name, or one that a restore put in its place. */
export const isVolumeFrom = (
  source: string,
  service: Pick<ServiceRef, 'serviceId'>,
  volumeName: string,
): boolean =>
  source === firstVolume(service, volumeName) || source.startsWith(restoredPrefix(service, volumeName));

/** The volume that stands for this one now; one that no restore replaced stays. */
export function presentVolume(source: string, service: ServiceRef, restored: RestoredVolumes): string {
  for (const [volumeName, now] of Object.entries(restored)) {
    const given = givenIn(volumeName);
    if (given === source) return now;
    if (given !== undefined) continue;
    if (isVolumeFrom(source, service, volumeName)) return now;
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
  if (former !== undefined && !isVolumeFrom(former, service, volumeName)) given.push(`${key}${former}`);
  // The first one is named as well: releases may name any that stood for it since.
  return { ...others, ...Object.fromEntries([volumeName, ...given].map((name) => [name, now ?? first])) };
}

/** The engine's name of each volume that was ever replaced, by its name within the service. */
export const replacedVolumes = (restored: RestoredVolumes): [volumeName: string, source: string][] =>
  Object.entries(restored).filter(([name]) => givenIn(name) === undefined);

/**
 * Volumes that Berth itself put into the service: restored ones, and those of deleted services. One that a
 * compose file names is not given by being put back.
 */
export const givenVolumes = (restored: RestoredVolumes): string[] =>
  Object.entries(restored).flatMap(([name, now]) => (namedIn(name) === now ? [] : [now]));

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
