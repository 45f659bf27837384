/** Databases as they run: what their deployments work with, what the engine should have of them now, and what is done to them by hand. */
import { isPortFree } from '../adapters/host/free-port.ts';
import type { DatabasePorts } from '../deploy/database/database-context.ts';
import { withPort } from '../deploy/database/database-spec.ts';
import { composeDatabaseSpec } from '../deploy/database/release-database.ts';
import { releaseNow } from '../deploy/release-now.ts';
import { readSnapshot, writeSnapshot } from '../deploy/snapshot.ts';
import { resolveEnv } from '../domain/env.ts';
import { AppError } from '../domain/errors.ts';
import { databaseRef } from '../domain/service-ref.ts';
import type { DatabaseRecord } from '../db/tables.ts';
import type { Databases } from '../modules/database/database.ts';
import { createAdmission, type Admission } from '../modules/database/passwords.ts';
import {
  createDatabaseRuntime,
  type DatabaseRuntime,
  type DatabaseRuntimeOptions,
} from '../modules/database/runtime.ts';
import { majorOfImage, type MajorOf } from '../modules/database/version.ts';
import type { Turns } from '../modules/service/turns.ts';
import type { ServiceSpec } from '../ports/engine.ts';
import { createDeployRecords, type DeployingParts } from './deploying.ts';

export interface RunningDatabases {
  ports: DatabasePorts;
  liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
  runtime: DatabaseRuntime;
  admission: Admission;
  isPortFree(port: number): Promise<boolean>;
  majorOf: MajorOf;
}

export function createRunningDatabases(
  parts: DeployingParts,
  databases: Databases,
  turns: Turns,
): RunningDatabases {
  const { engine } = parts.adapters;
  const ports = createDatabasePorts(parts, databases);
  const liveSpec = liveDatabaseSpec(parts);
  return {
    ports,
    liveSpec,
    isPortFree,
    admission: createAdmission(engine),
    runtime: createDatabaseRuntime({
      engine,
      databases,
      turns,
      liveSpec,
      currentSpec: currentDatabaseSpec(parts, ports),
      releaseNow: (spec) => releaseNow({ engine, clock: parts.clock }, spec, { whenLate: 'wait' }),
      isWorking: ({ databaseId }) => parts.deployments.isWorking(databaseRef(databaseId)),
    }),
    majorOf: async (kind, image) =>
      majorOfImage(kind, image, (await engine.image(image).catch(unlessAway))?.env),
  };
}

/** Without an engine the name of the image has to do; its deployment looks again. */
function unlessAway(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
  return undefined;
}

function createDatabasePorts(parts: DeployingParts, databases: Databases): DatabasePorts {
  const { config, networks, stores } = parts;
  const { placement, envBlocks } = createDeployRecords(parts);
  return {
    networks,
    probePath: config.probePath,
    records: {
      find: databases.find,
      patch: databases.patch,
      placement,
      envBlocks,
      liveSpec: liveDatabaseSpec(parts),
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
  { adapters, deployments }: DeployingParts,
  ports: DatabasePorts,
): DatabaseRuntimeOptions['currentSpec'] {
  return async (database) => {
    const deployment = await deployments.live(database);
    const former = readSnapshot(deployment);
    if (!deployment?.settings || !former)
      throw new AppError('PRECONDITION_FAILED', `${database.name} has not been deployed yet: deploy first.`);
    const { deploymentId, settings } = deployment;
    const placement = await ports.records.placement(database.environmentId);
    const env = resolveEnv({
      ...(await ports.records.envBlocks(database.environmentId)),
      service: database.env,
    });
    // Image and name change at the next deploy only.
    const composed = await composeDatabaseSpec(
      { ...ports, engine: adapters.engine, database, placement, env },
      former.spec.image,
      former.spec.release ?? deploymentId,
    );
    const spec = { ...composed, name: former.spec.name };
    return {
      spec,
      async keep() {
        await deployments.record(deploymentId, { settings: writeSnapshot({ ...former, spec }) });
        return () => deployments.record(deploymentId, { settings });
      },
    };
  };
}
