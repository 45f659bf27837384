/**
 * Builds and pulls what the services run, and stores what the release will be: from there on it needs neither
 * repository nor file.
 */
import { deploymentLabel, managedLabel, organizationLabel } from '../../domain/names/labels.ts';
import type { PlannedService } from '../../modules/compose/translation/plan.ts';
import { composeInputs } from '../inputs/compose-inputs.ts';
import { AppError } from '../../domain/errors.ts';
import { ownerLabels, composeRef } from '../../domain/names/service-ref.ts';
import { bringImage } from '../images/bring-image.ts';
import type { Stage } from '../context.ts';
import { whileDiskLasts } from '../stages/disk-watch.ts';
import { builtServiceImage } from '../images/image-name.ts';
import { buildLimitMs, checkDisk } from '../stages/build.ts';
import { scratchDirectory, sourceDirectory } from '../work-directory.ts';
import { fieldOf, type ComposeContext } from './compose-context.ts';
import { composeReleases, requireSurroundings } from './compose-releases.ts';
import { writeComposeSnapshot } from './compose-snapshot.ts';

export const prepareImages: Stage<ComposeContext> = {
  name: 'build',
  resume: 'start',
  holdsBuildSlot: true,
  buildsNothing: ({ read }) => read?.plan.services.every(({ build: planned }) => !planned) === true,
  sentence: () => 'Building and pulling the images',
  async run(context) {
    const { blocks, compose, ownVariables: env, read, records } = context;
    if (!read) throw new AppError('INTERNAL_SERVER_ERROR', 'The compose file was not read.');
    await requireSurroundings(context, read.plan);
    const images = new Map<string, string>();
    const pulled = new Set<string>();
    for (const service of read.plan.services) {
      const image = service.build ? await build(context, service) : (service.image ?? '');
      if (!service.build && !pulled.has(image)) await pull(context, service, image);
      pulled.add(image);
      images.set(service.name, image);
    }
    const services = await composeReleases(context, read.plan, images);
    const mounts = await records.mounts(compose.composeId);
    const suffix = compose.randomize ? compose.suffix : '';
    await context.save({
      child: null,
      settings: writeComposeSnapshot({
        ...composeInputs(compose, { env, blocks, text: read.text }, mounts),
        text: compose.sourceType === 'raw' ? read.text : null,
        suffix,
        services,
        ended: [],
        previous: null,
      }),
    });
  },
};

const ways = { always: 'newest', missing: 'present', never: 'local' } as const;

async function pull(
  context: ComposeContext,
  { pull: policy }: PlannedService,
  reference: string,
): Promise<void> {
  const { compose, records } = context;
  const { composeId, organizationId } = compose;
  const auth = await records.registryAuth(reference, organizationId);
  const service = composeRef(composeId);
  await bringImage(context, { reference, organizationId, service, auth, how: ways[policy] });
}

async function build(context: ComposeContext, { name, build: planned }: PlannedService): Promise<string> {
  const { compose, builder, deployment, fileSystem, log, variables } = context;
  if (!planned) throw new AppError('INTERNAL_SERVER_ERROR', 'There is nothing to build.');
  const settings = await context.settings();
  await checkDisk(context, compose.organizationId, settings.minFreeDisk);
  log.line(`Building ${name}`);
  const inlineName = '.berth.Dockerfile';
  if (planned.inline !== undefined)
    await fileSystem.writeInside(
      sourceDirectory(context),
      [planned.context, inlineName].filter(Boolean).join('/'),
      planned.inline,
      { field: fieldOf(compose) },
    );
  const image = builtServiceImage(compose.composeId, name, deployment.deploymentId);
  const inputs = {
    organizationId: compose.organizationId,
    buildType: 'dockerfile',
    sourceDirectory: sourceDirectory(context),
    buildPath: planned.context,
    dockerfile: planned.inline === undefined ? planned.dockerfile : inlineName,
    contextPath: '',
    stage: planned.target,
    publishDirectory: undefined,
    singlePage: false,
    image,
    labels: {
      [managedLabel]: 'true',
      [organizationLabel]: compose.organizationId,
      [ownerLabels.compose]: compose.composeId,
      [deploymentLabel]: deployment.deploymentId,
    },
    buildArguments: Object.fromEntries(
      planned.arguments.flatMap(([key, value]) =>
        (value ?? variables[key]) === undefined ? [] : [[key, value ?? variables[key] ?? '']],
      ),
    ),
    buildSecrets: {},
    env: {},
    noCache: planned.noCache,
    scratchDirectory: scratchDirectory(context),
    limits: { memoryBytes: settings.buildMemoryBytes, nanoCpus: settings.buildNanoCpus },
    limitMs: buildLimitMs,
    onLine: log.line,
    onChild: context.onChild,
  } as const;
  await whileDiskLasts(context, { what: 'the build' }, (signal) => builder.build({ ...inputs, signal }));
  await context.save({ image, child: null });
  return image;
}
