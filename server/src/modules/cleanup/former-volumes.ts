/** Volumes with the state before a restore or upgrade: how old they are, and when they go. */
import { sentenceOf } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** A former volume of a database, an application or a compose service. */
export interface FormerVolume {
  databaseId: string | null;
  databaseType: string | null;
  applicationId: string | null;
  composeId: string | null;
  /** As sentences name its service: "the database shop". */
  what: string;
  name: string;
  serverKey: string;
  volumeName: string;
  since: string;
}

export interface FormerVolumeView extends Omit<FormerVolume, 'what' | 'serverKey'> {
  bytes: number | null;
  ageDays: number;
  removedAt: string | null;
}

export interface FormerVolumePorts {
  /** Of one organization, or of all. */
  found(organizationId?: string): Promise<FormerVolume[]>;
  /** Sizes by name of the volumes of a host; empty where it cannot be asked. */
  sizes(serverKey: string): Promise<ReadonlyMap<string, number | null>>;
  /** After how many days they go; null: never. */
  days(): Promise<number | null>;
  /** Removes the volume and takes it out of the record. */
  remove(volume: FormerVolume): Promise<void>;
  warn(sentence: string): void;
  clock: Clock;
}

export interface FormerVolumes {
  /** The oldest first. */
  all(organizationId: string): Promise<FormerVolumeView[]>;
  /** Once a day: removes those whose time has come, and warns of those that nobody removes. */
  turn(): Promise<void>;
}

const dayMs = 24 * 3_600_000;
const warnAfterDays = 30;

export function createFormerVolumes(ports: FormerVolumePorts): FormerVolumes {
  const { clock } = ports;
  const ageOf = (since: string): number => Math.floor((clock.now() - Date.parse(since)) / dayMs);
  return {
    async all(organizationId) {
      const days = await ports.days();
      const sizes = new Map<string, ReadonlyMap<string, number | null>>();
      const views: FormerVolumeView[] = [];
      for (const { what: _what, serverKey, ...volume } of await ports.found(organizationId)) {
        const known = sizes.get(serverKey) ?? (await ports.sizes(serverKey));
        sizes.set(serverKey, known);
        const { since } = volume;
        views.push({
          ...volume,
          bytes: known.get(volume.volumeName) ?? null,
          ageDays: ageOf(since),
          removedAt: days === null ? null : new Date(Date.parse(since) + days * dayMs).toISOString(),
        });
      }
      return views.sort((a, b) => (a.since < b.since ? -1 : 1));
    },
    async turn() {
      const days = await ports.days();
      for (const volume of await ports.found()) {
        const age = ageOf(volume.since);
        if (days !== null && age >= days) await attempt(ports, volume);
        else if (age >= warnAfterDays)
          ports.warn(
            `The volume ${volume.volumeName} has had the former data of ${volume.what} for ${age} days. ` +
              'Remove it (removeFormerVolume), or set formerVolumeDays.',
          );
      }
    },
  };
}

async function attempt(ports: FormerVolumePorts, volume: FormerVolume): Promise<void> {
  const what = `The former volume ${volume.volumeName} of ${volume.what}`;
  try {
    await ports.remove(volume);
    ports.warn(`${what} was removed (formerVolumeDays).`);
  } catch (error) {
    ports.warn(`${what} could not be removed: ${sentenceOf(error)}`);
  }
}
