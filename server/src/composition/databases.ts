/** Databases as they run: what their deployments work with, and what the engine should have of them now. */
import type { DatabasePorts } from '../deploy/database/database-context.ts';
import { withPort } from '../deploy/database/database-spec.ts';
import { readSnapshot } from '../deploy/snapshot.ts';
import type { DatabaseRecord } from '../db/tables.ts';
import type { Databases } from '../modules/database/database.ts';
import type { ServiceSpec } from '../ports/engine.ts';
import { createDeployRecords, type DeployingParts } from './deploying.ts';

export function createDatabasePorts(parts: DeployingParts, databases: Databases): DatabasePorts {
  const { config, networks, stores } = parts;
  const { placement, envBlocks } = createDeployRecords(parts);
  return {
    networks, probePath: config.probePath,
    records: {
      find: databases.find, patch: databases.patch, placement, envBlocks,
      mounts: (databaseId) => stores.mounts.list({ databaseId }, { by: ['mountId'], direction: 'asc' }),
    },
  };
}

/** What the engine should run for a database now: its live release, on the port that the record names; undefined before the first release. */
export function liveDatabaseSpec({ deployments }: Pick<DeployingParts, 'deployments'>): (database: DatabaseRecord) => Promise<ServiceSpec | undefined> {
  return async (database) => {
    const snapshot = readSnapshot(await deployments.live(database));
    return snapshot && withPort(snapshot.spec, database);
  };
}
