/** Hands the server of a database to the engine. */
import { releaseLabel } from '../../domain/names/labels.ts';
import { isSameService, databaseRef, ownerOfLabels } from '../../domain/names/service-ref.ts';
import { databaseInputs } from '../inputs/database-inputs.ts';
import { majorOfImage } from '../../modules/database/version.ts';
import { type Engine, type ServiceSpec } from '../../ports/engine/engine.ts';
import { applyRelease } from '../release/apply-release.ts';
import type { Stage } from '../context.ts';
import type { DatabaseContext } from './database-context.ts';
import { databaseSpecOf, withPort } from './database-spec.ts';

export const releaseDatabase: Stage<DatabaseContext> = {
  name: 'release',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: ({ database }) => `Starting ${database.containerImage} on the volume ${database.dataVolume}`,
  async run(context) {
    const { database, deployment } = context;
    const composed = await composeDatabaseSpec(
      context,
      deployment.image ?? database.containerImage,
      deployment.deploymentId,
    );
    // The port takes effect at once, so it may have changed since this deployment began.
    const spec = withPort(composed, (await context.records.find(database.databaseId)) ?? database);
    const mounts = await context.records.mounts(database.databaseId);
    const inputs = databaseInputs(database, context.env, mounts);
    await applyRelease(context, {
      spec,
      owner: databaseRef(database.databaseId),
      // Where it comes from it has one, and none that could be gone back to here.
      hasFormer: context.former.liveDeploymentId !== null && deployment.moveTo === null,
      snapshot: { ...inputs, registryId: null },
      before: () => makeRoom(context, spec),
    });
  },
};

type SpecContext = Pick<
  DatabaseContext,
  'database' | 'placement' | 'env' | 'networks' | 'probePath' | 'records'
> & { engine: Engine };

/** The service as the records say it now. */
export async function composeDatabaseSpec(
  context: SpecContext,
  image: string,
  deploymentId: string,
): Promise<ServiceSpec> {
  const { database, engine, networks, records } = context;
  const [info, found, mounts, sharesSocket, network] = await Promise.all([
    engine.info(),
    engine.image(image),
    records.mounts(database.databaseId),
    records.sharesSocket?.(database.databaseId) ?? false,
    networks.ensureEnvironment(database.environmentId),
  ]);
  return databaseSpecOf({
    database,
    placement: context.placement,
    deploymentId,
    image,
    major: majorOfImage(database.kind, image, found?.env),
    env: context.env,
    network,
    mounts,
    sharesSocket,
    nodeId: info.nodeId,
    probePath: context.probePath,
  });
}

/**
 * Two servers must never stand on the same data: one under a former name goes first, and a rebuild begins
 * from nothing.
 */
async function makeRoom(
  { database, deployment, engine, log }: DatabaseContext,
  spec: ServiceSpec,
): Promise<void> {
  const owner = databaseRef(database.databaseId);
  for (const { name, labels } of await engine.services()) {
    const isThis =
      name === spec.name &&
      (deployment.kind === 'deploy' || labels[releaseLabel] === deployment.deploymentId);
    if (isThis || !isSameService(ownerOfLabels(labels), owner)) continue;
    await engine.removeService(name, { limitMs: spec.stopGracePeriodMs + 30_000 });
    log.line(name === spec.name ? 'Removed the former container.' : `Removed the server ${name}.`);
  }
}
