/** The context of the stages that deploy a database. */
import type { DatabaseRecord } from '../../db/tables.ts';
import type { DatabaseKind } from '../../modules/database/kinds.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import type { MountRecord } from '../release/release-inputs.ts';
import type { DeployPorts, Placement, StageContext, SurroundingBlocksOf } from '../context.ts';
import type { HostAccess, HostParts } from '../host-parts.ts';

export interface DatabasePorts extends Pick<HostAccess, 'hosts'> {
  records: DatabaseRecords;
  reachRegistry: DeployPorts['reachRegistry'];
  images: DeployPorts['images'];
}

/** The records that a deployment of a database reads and writes. */
export interface DatabaseRecords {
  find(databaseId: string): Promise<DatabaseRecord | undefined>;
  patch(databaseId: string, patch: Partial<DatabaseRecord>): Promise<void>;
  placement(environmentId: string): Promise<Placement>;
  envBlocks: SurroundingBlocksOf;
  /** Credentials of the organization's registry that the image comes from, if there is one. */
  registryAuth(image: string, organizationId: string): Promise<RegistryAuth | undefined>;
  mounts(databaseId: string): Promise<MountRecord[]>;
  /** Whether the folder of its socket is shared with the service that receives its log; absent: no. */
  sharesSocket?(databaseId: string): Promise<boolean>;
  /** The specification of its live release; undefined before the first one. */
  liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
}

export interface DatabaseContext
  extends StageContext,
    Pick<HostParts, 'networks' | 'probePath' | 'serverKey' | 'fetchImage'>,
    Pick<DatabasePorts, 'reachRegistry' | 'images'> {
  records: DatabaseRecords;
  database: DatabaseRecord;
  kind: DatabaseKind;
  placement: Placement;
  /** Resolved variables of the service, without those of the kind. */
  env: Record<string, string>;
  /** The record before an upgrade; `database` is the record after it. */
  former: DatabaseRecord;
}
