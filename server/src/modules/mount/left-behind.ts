/** Which data of the live release a changed or new mount would leave behind. Pure. */
import type { TableRecord } from '../../db/tables.ts';
import { isVolumeFrom } from '../../domain/names/restored-volumes.ts';

/** A mount of a running container. */
export interface LiveMount {
  type: string;
  /** Name of the volume in the engine, or folder of the server. */
  source: string;
  target: string;
}

/** A recorded mount, as far as it says where its data is. */
export type MountPlace = Pick<TableRecord<'mount'>, 'type' | 'mountPath' | 'hostPath' | 'volumeName'>;

export interface LeftBehind {
  /** As a sentence names it: `the volume data`. */
  what: string;
  target: string;
}

/**
 * Data that the live release has at a path of the mount and that would not be there afterwards; undefined
 * when there is none. Another folder of the server in place of a folder is what somebody named, and not
 * empty.
 */
export function leftBehind(
  live: readonly LiveMount[],
  service: { serviceId: string },
  present: MountPlace | undefined,
  next: MountPlace,
): LeftBehind | undefined {
  if (present && isSamePlace(present, next)) return undefined;
  const paths = new Set([...(present ? [present.mountPath] : []), next.mountPath]);
  const lost = live.find(
    ({ type, source, target }) =>
      (type === 'volume' || type === 'bind') &&
      paths.has(target) &&
      !(target === next.mountPath && holdsSame(service, next, { type, source })),
  );
  if (!lost) return undefined;
  const name = present && lost.target === present.mountPath ? present.volumeName : null;
  const what = lost.type === 'bind' ? `the folder ${lost.source}` : `the volume ${name ?? lost.source}`;
  return { what, target: lost.target };
}

const isSamePlace = (one: MountPlace, other: MountPlace): boolean =>
  one.type === other.type && one.mountPath === other.mountPath && one.volumeName === other.volumeName;

function holdsSame(
  service: { serviceId: string },
  next: MountPlace,
  { type, source }: Pick<LiveMount, 'type' | 'source'>,
): boolean {
  if (next.type !== type) return false;
  return type === 'bind' || isVolumeFrom(source, service, next.volumeName ?? '');
}
