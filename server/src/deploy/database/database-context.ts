/** What the stages of a database have. */
import type { DatabaseRecord } from '../../db/tables.ts';
import type { DatabaseKind } from '../../modules/database/kinds.ts';
import type { ServiceSpec } from '../../ports/engine.ts';
import type { MountRecord } from '../release-inputs.ts';
import type { DeployNetworks, Placement, StageContext } from '../context.ts';

export interface DatabasePorts {
  networks: DeployNetworks;
  /** Path of the static busybox on this server. */
  probePath: string;
  records: DatabaseRecords;
}

/** What a deployment reads and writes of the product's records. */
export interface DatabaseRecords {
  find(databaseId: string): Promise<DatabaseRecord | undefined>;
  patch(databaseId: string, patch: Partial<DatabaseRecord>): Promise<void>;
  placement(environmentId: string): Promise<Placement>;
  /** Variable blocks of project and environment. */
  envBlocks(environmentId: string): Promise<{ project: string; environment: string }>;
  mounts(databaseId: string): Promise<MountRecord[]>;
  /** What the engine runs of it by the records; undefined before its first release. */
  liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
}

export interface DatabaseContext extends StageContext, DatabasePorts {
  database: DatabaseRecord;
  kind: DatabaseKind;
  placement: Placement;
  /** Resolved variables of the service, without those of the kind. */
  env: Record<string, string>;
  /** The record before an upgrade, while `database` is what it will be. */
  former: DatabaseRecord;
}
