/**
 * Removes what the release replaced: a service under a former name, and images beyond the newest N of this
 * application.
 */
import { isSameService, ownerLabels, ownerOfLabels } from '../../domain/names/service-ref.ts';
import type { DeployContext, Stage } from '../context.ts';
import { sentenceOf } from '../../domain/errors.ts';

export const prune: Stage = {
  name: 'prune',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: () => 'Tidying up',
  async run(context) {
    try {
      await removeFormerName(context);
      await pruneImages(context);
    } catch (error) {
      // The version runs; what could not be tidied now is tidied after the next deployment.
      context.log.line(`Cleaning up failed: ${sentenceOf(error)}`);
    }
  },
};

async function removeFormerName({ application, owner, engine, log }: DeployContext): Promise<void> {
  const former = application.releasedAppName;
  if (!former || former === application.appName) return;
  const service = await engine.service(former);
  if (!service || !isSameService(ownerOfLabels(service.labels), owner)) return;
  await engine.removeService(former, { drains: true });
  log.line(`Removed the service under its former name ${former}.`);
}

/**
 * Only images that bear the label of this application or preview; the one just released and the newest others
 * that were, N together, stay.
 */
async function pruneImages({
  application,
  owner,
  deployment,
  engine,
  records,
  log,
  settings,
}: DeployContext): Promise<void> {
  const { keptImages } = await settings();
  // A rollback has the image of an earlier deployment: different images count, not deployments.
  const released = new Set(
    [deployment, ...(await records.succeeded(application.applicationId))].map(({ image }) => image),
  );
  const kept = new Set([...released].slice(0, keptImages));
  for (const image of await engine.images(`${ownerLabels[owner.kind]}=${owner.serviceId}`)) {
    if (image.tags.some((name) => kept.has(name))) continue;
    for (const tag of image.tags) {
      await engine.removeImage(tag);
      log.line(`Removed the old image ${tag}.`);
    }
  }
}
