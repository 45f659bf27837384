/**
 * Databases as they run: what their deployments work with, what the engine should have of them now, and what
 * is done to them by hand.
 */
import type { DatabasePorts } from '../../deploy/database/database-context.ts';
import { currentDatabaseSpec, liveDatabaseSpec, majorOnServer } from '../../deploy/database/live-database.ts';
import { releaseNow } from '../../deploy/release-now.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { databaseRef } from '../../domain/names/service-ref.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import { isRecoveryOn } from '../../modules/backup/recovery/recovery.ts';
import type { Databases } from '../../modules/database/database.ts';
import { createAdmission, type Admission } from '../../modules/database/passwords.ts';
import { createDatabaseRuntime, type DatabaseRuntime } from '../../modules/database/runtime.ts';
import type { Turns } from '../../modules/service/turns.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';
import { createDeployRecords, registryAuthBy, type DeployingParts } from './deploying.ts';

export interface RunningDatabases {
  ports: DatabasePorts;
  liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
  runtime: DatabaseRuntime;
  admission: Admission;
  /** On the database's server; of one that is not connected nothing is known. */
  isPortFree(database: DatabaseRecord, port: number): Promise<boolean>;
  majorOf(database: DatabaseRecord, image: string): Promise<number | undefined>;
}

interface DatabasesAround {
  databases: Databases;
  turns: Turns;
  /** The live release of this deployment is another one now. */
  forget(deploymentId: string): void;
}

export function createRunningDatabases(
  parts: DeployingParts,
  { databases, turns, forget }: DatabasesAround,
): RunningDatabases {
  const { hosts, clock } = parts;
  const hostOf = (database: DatabaseRecord): Promise<Host | undefined> => hosts.find(serverKeyOf(database));
  const ports = createDatabasePorts(parts, databases);
  const liveSpec = liveDatabaseSpec(parts.deployments);
  return {
    ports,
    liveSpec,
    isPortFree: async (database, port) => (await hostOf(database))?.isPortFree(port) ?? true,
    admission: createAdmission(hosts),
    runtime: createDatabaseRuntime({
      hosts,
      databases,
      turns,
      liveSpec,
      currentSpec: currentDatabaseSpec(parts.deployments, ports, forget),
      releaseNow: ({ engine }, spec) => releaseNow({ engine, clock }, spec, { whenLate: 'wait' }),
      isWorking: ({ databaseId }) => parts.deployments.isWorking(databaseRef(databaseId)),
    }),
    majorOf: majorOnServer(hostOf),
  };
}

function createDatabasePorts(parts: DeployingParts, databases: Databases): DatabasePorts {
  const { hosts, stores, adapters, images, registries } = parts;
  const { placement, envBlocks } = createDeployRecords(parts);
  return {
    hosts,
    reachRegistry: adapters.outgoing.registry,
    images,
    records: {
      find: databases.find,
      patch: databases.patch,
      placement,
      envBlocks,
      liveSpec: liveDatabaseSpec(parts.deployments),
      registryAuth: registryAuthBy(registries),
      sharesSocket: (databaseId) => isRecoveryOn(stores.backups, databaseId),
      mounts: (databaseId) => stores.mounts.list({ databaseId }, { by: ['mountId'], direction: 'asc' }),
    },
  };
}
