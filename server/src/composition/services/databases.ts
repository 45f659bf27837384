/**
 * Databases as they run: what their deployments work with, what the engine should have of them now, and what
 * is done to them by hand.
 */
import type { DatabasePorts } from '../../deploy/database/database-context.ts';
import { withPort } from '../../deploy/database/database-spec.ts';
import { composeDatabaseSpec } from '../../deploy/database/release-database.ts';
import { releaseNow } from '../../deploy/release-now.ts';
import { readSnapshot, writeSnapshot } from '../../deploy/snapshot.ts';
import { resolveEnv } from '../../domain/variables/env.ts';
import { AppError } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { databaseRef } from '../../domain/names/service-ref.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import type { Databases } from '../../modules/database/database.ts';
import { databaseInputs } from '../../deploy/inputs/database-inputs.ts';
import { createAdmission, type Admission } from '../../modules/database/passwords.ts';
import {
  createDatabaseRuntime,
  type DatabaseRuntime,
  type DatabaseRuntimeOptions,
} from '../../modules/database/runtime.ts';
import { majorOfImage } from '../../modules/database/version.ts';
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
  const liveSpec = liveDatabaseSpec(parts);
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
      currentSpec: currentDatabaseSpec(parts, ports, forget),
      releaseNow: ({ engine }, spec) => releaseNow({ engine, clock }, spec, { whenLate: 'wait' }),
      isWorking: ({ databaseId }) => parts.deployments.isWorking(databaseRef(databaseId)),
    }),
    async majorOf(database, image) {
      const found = await (await hostOf(database))?.engine.image(image).catch(unlessUnavailable);
      return majorOfImage(database.kind, image, found?.env);
    },
  };
}

/** Without an engine the name of the image has to do; its deployment looks again. */
function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
  return undefined;
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
      liveSpec: liveDatabaseSpec(parts),
      registryAuth: registryAuthBy(registries),
      mounts: (databaseId) => stores.mounts.list({ databaseId }, { by: ['mountId'], direction: 'asc' }),
    },
  };
}

/** Its live release, on the port that the record names; undefined before the first release. */
function liveDatabaseSpec({
  deployments,
}: Pick<DeployingParts, 'deployments'>): RunningDatabases['liveSpec'] {
  return async (database) => {
    const snapshot = readSnapshot(await deployments.live(database));
    return snapshot && withPort(snapshot.spec, database);
  };
}

function currentDatabaseSpec(
  { deployments }: DeployingParts,
  { records }: DatabasePorts,
  forget: (deploymentId: string) => void,
): DatabaseRuntimeOptions['currentSpec'] {
  return async (database, { engine, networks, probePath }) => {
    const deployment = await deployments.live(database);
    const former = readSnapshot(deployment);
    if (!deployment?.settings || !former)
      throw new AppError('PRECONDITION_FAILED', `${database.name} has not been deployed yet: deploy first.`);
    const { deploymentId, settings } = deployment;
    const placement = await records.placement(database.environmentId);
    const env = resolveEnv({
      ...(await records.envBlocks(database, [database.env])),
      service: database.env,
    });
    // Image and name change at the next deploy only.
    const composed = await composeDatabaseSpec(
      { engine, networks, probePath, records, database, placement, env },
      former.spec.image,
      former.spec.release ?? deploymentId,
    );
    const spec = { ...composed, name: former.spec.name };
    const kept = { ...database, appName: former.spec.name, containerImage: former.spec.image };
    const inputs = databaseInputs(kept, env, await records.mounts(database.databaseId));
    return {
      spec,
      async keep() {
        await deployments.record(deploymentId, { settings: writeSnapshot({ ...former, ...inputs, spec }) });
        forget(deploymentId);
        return async () => {
          await deployments.record(deploymentId, { settings });
          forget(deploymentId);
        };
      },
    };
  };
}
