/** Volumes with the data of databases before a restore or upgrade: how old they are, and when they go. */
import { sentenceOf } from '../../domain/errors.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import type { Clock } from '../../ports/clock.ts';

export interface FormerVolumeView {
  databaseId: string;
  databaseType: string;
  name: string;
  volumeName: string;
  bytes: number | null;
  since: string;
  ageDays: number;
  removedAt: string | null;
}

export interface FormerVolumePorts {
  /** Databases of one organization, or of all, that have former volumes. */
  databases(organizationId?: string): Promise<DatabaseRecord[]>;
  /** Sizes by name of the volumes of a host; empty where it cannot be asked. */
  sizes(database: DatabaseRecord): Promise<ReadonlyMap<string, number | null>>;
  /** After how many days they go; null: never. */
  days(): Promise<number | null>;
  /** Removes the volume and takes it out of the record. */
  remove(database: DatabaseRecord, volumeName: string): Promise<void>;
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
      const found: FormerVolumeView[] = [];
      for (const database of await ports.databases(organizationId)) {
        const sizes = await ports.sizes(database);
        for (const { volumeName, since } of database.formerVolumes)
          found.push({
            databaseId: database.databaseId,
            databaseType: database.kind,
            name: database.name,
            volumeName,
            bytes: sizes.get(volumeName) ?? null,
            since,
            ageDays: ageOf(since),
            removedAt: days === null ? null : new Date(Date.parse(since) + days * dayMs).toISOString(),
          });
      }
      return found.sort((a, b) => (a.since < b.since ? -1 : 1));
    },
    async turn() {
      const days = await ports.days();
      for (const database of await ports.databases())
        for (const { volumeName, since } of database.formerVolumes) {
          const age = ageOf(since);
          if (days !== null && age >= days) await attempt(ports, database, volumeName);
          else if (age >= warnAfterDays)
            ports.warn(
              `The volume ${volumeName} has had the former data of the database ${database.name} ` +
                `for ${age} days. Remove it (removeFormerVolume), or set formerVolumeDays.`,
            );
        }
    },
  };
}

async function attempt(
  ports: FormerVolumePorts,
  database: DatabaseRecord,
  volumeName: string,
): Promise<void> {
  const what = `The former volume ${volumeName} of the database ${database.name}`;
  try {
    await ports.remove(database, volumeName);
    ports.warn(`${what} was removed (formerVolumeDays).`);
  } catch (error) {
    ports.warn(`${what} could not be removed: ${sentenceOf(error)}`);
  }
}
