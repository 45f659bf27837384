/** The live release of a database, and that release with the present settings. */
import type { DatabaseRecord } from '../../db/tables.ts';
import { AppError } from '../../domain/errors.ts';
import { resolveEnv } from '../../domain/variables/env.ts';
import { majorOfImage } from '../../modules/database/version.ts';
import type { Deployments } from '../../modules/deployment/deployment.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';
import { databaseInputs } from '../inputs/database-inputs.ts';
import { readSnapshot, writeSnapshot } from '../snapshot.ts';
import type { DatabasePorts } from './database-context.ts';
import { withPort } from './database-spec.ts';
import { composeDatabaseSpec } from './release-database.ts';
import { notDeployedYet } from '../../domain/not-deployed.ts';

/** Its live release, on the port that the record names; undefined before the first release. */
export function liveDatabaseSpec(
  deployments: Pick<Deployments, 'live'>,
): (database: DatabaseRecord) => Promise<ServiceSpec | undefined> {
  return async (database) => {
    const snapshot = readSnapshot(await deployments.live(database));
    return snapshot && withPort(snapshot.spec, database);
  };
}

export interface CurrentSpec {
  spec: ServiceSpec;
  /** Stores it as the specification of the live release; resolves with a function that undoes that. */
  keep(): Promise<() => Promise<void>>;
}

/** The live release with the present settings. */
export function currentDatabaseSpec(
  deployments: Deployments,
  { records }: DatabasePorts,
  forget: (deploymentId: string) => void,
): (database: DatabaseRecord, host: Host) => Promise<CurrentSpec> {
  return async (database, { engine, networks, probePath }) => {
    const deployment = await deployments.live(database);
    const former = readSnapshot(deployment);
    if (!deployment?.settings || !former) throw notDeployedYet(database.name);
    const { deploymentId, settings } = deployment;
    const placement = await records.placement(database.environmentId);
    const env = resolveEnv({
      ...(await records.envBlocks(database, [database.env])),
      service: database.env,
    });
    // Image and name change only at the next deployment.
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

/** The major version of an image, as the engine of its server knows it; undefined when it does not. */
export function majorOnServer(
  hostOf: (database: DatabaseRecord) => Promise<Host | undefined>,
): (database: DatabaseRecord, image: string) => Promise<number | undefined> {
  return async (database, image) => {
    const found = await (await hostOf(database))?.engine.image(image).catch(unlessUnavailable);
    return majorOfImage(database.kind, image, found?.env);
  };
}

/** Without an engine the version is read from the name of the image; the deployment looks again. */
function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
  return undefined;
}
