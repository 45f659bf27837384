/** A service of which volumes are backed up and restored: an application or a compose service. */
import { AppError } from '../../../domain/errors.ts';
import { applicationRef, composeRef, type ServiceRef } from '../../../domain/names/service-ref.ts';
import type { DiskRoom } from '../../../domain/resources/free-disk.ts';
import type { Engine, ServiceSpec } from '../../../ports/engine/engine.ts';
import {
  firstVolume,
  presentVolume,
  replacedVolumes,
  volumeWithName,
  type RestoredVolumes,
} from '../../../domain/names/restored-volumes.ts';

export interface VolumeService {
  ref: ServiceRef;
  organizationId: string;
  name: string;
  appName: string;
  serverId: string | null;
  isStopped: boolean;
  restoredVolumes: RestoredVolumes;
}

/** What the engine of its host keeps running of it. */
export interface LiveVolumes {
  engine: Engine;
  /** Of the live release; none before the first one. */
  specs: readonly ServiceSpec[];
  /** Path on the host of the busybox that is mounted into containers. */
  probePath: string;
}

export interface VolumeServices {
  find(ref: ServiceRef): Promise<VolumeService | undefined>;
  live(ref: ServiceRef): Promise<LiveVolumes>;
  /** Of the live release; the host is not asked. */
  specs(ref: ServiceRef): Promise<readonly ServiceSpec[]>;
  /** Names of the volumes that its records mount, which need not be deployed. */
  recorded(ref: ServiceRef): Promise<string[]>;
  /** Of the volumes of its host; undefined where nobody can tell. */
  disk(ref: ServiceRef): Promise<DiskRoom | undefined>;
  stop(ref: ServiceRef): Promise<void>;
  start(ref: ServiceRef): Promise<void>;
  /** From its next release on the service has this volume there; null: the one that it had at first. */
  change(ref: ServiceRef, volumeName: string, restored: string | null): Promise<void>;
  /** Makes the live release again, on the volumes of now, and waits; gives the reason of a failure. */
  releaseAgain(
    ref: ServiceRef,
    title: string,
    telling: { signal: AbortSignal; say(line: string): void },
  ): Promise<string | undefined>;
  /** Engines on which something of it may be left, though it is gone. */
  engines(ref: ServiceRef): Promise<Engine[]>;
}

interface Columns {
  applicationId?: string | null | undefined;
  composeId?: string | null | undefined;
}

/** Fit for rows and inputs that name one of them. */
export function refOf({ applicationId, composeId }: Columns): ServiceRef {
  return applicationId ? applicationRef(applicationId) : composeRef(composeId ?? '');
}

export async function foundService(services: VolumeServices, ref: ServiceRef): Promise<VolumeService> {
  return presentService(await services.find(ref));
}

/** PRECONDITION_FAILED for one that is gone. */
export function presentService<T>(found: T | undefined): T {
  if (found !== undefined) return found;
  throw new AppError('PRECONDITION_FAILED', 'The service has been removed in the meantime.');
}

/** What the engine calls a volume of the service now. */
export function volumeNow({ ref, restoredVolumes }: VolumeService, volumeName: string): string {
  return presentVolume(firstVolume(ref, volumeName), ref, restoredVolumes);
}

/**
 * Volumes of the live release by their names within the service, with their paths: its own ones, and those
 * that a compose file names for others, too.
 */
export function volumesIn(
  { ref, restoredVolumes }: Pick<VolumeService, 'ref' | 'restoredVolumes'>,
  specs: readonly ServiceSpec[],
): Map<string, string[]> {
  const names = new Map(replacedVolumes(restoredVolumes).map(([name, source]) => [source, name]));
  const prefix = firstVolume(ref, '');
  const found = new Map<string, string[]>();
  for (const { type, source, target } of specs.flatMap(({ mounts }) => mounts)) {
    if (type !== 'volume') continue;
    const name =
      names.get(source) ?? (source.startsWith(prefix) ? source.slice(prefix.length) : volumeWithName(source));
    found.set(name, [...new Set([...(found.get(name) ?? []), target])]);
  }
  return found;
}

export const mountsVolume = ({ mounts }: ServiceSpec, volume: string): boolean =>
  mounts.some(({ type, source }) => type === 'volume' && source === volume);
