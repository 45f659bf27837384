/** Builds the image from the source, within the limits of the settings. */
import { deploymentLabel, managedLabel, organizationLabel } from '../../domain/names/labels.ts';
import { dirname, join } from 'node:path';
import { writtenBuild, type OwnBuild } from '../../domain/builds/own-build.ts';
import type { SourceApplication } from '../../domain/builds/source-applications.ts';
import { AppError } from '../../domain/errors.ts';
import { formatEnv } from '../../domain/variables/dotenv.ts';
import { parseSourcePath } from '../../domain/git/git-source.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { ownerLabels } from '../../domain/names/service-ref.ts';
import { builtImage } from '../images/image-name.ts';
import type { DeployContext, Stage } from '../context.ts';
import { whileDiskLasts } from './disk-watch.ts';
import { scratchDirectory, sourceDirectory } from '../work-directory.ts';

export const buildLimitMs = 60 * 60_000;
const GiB = 1024 ** 3;

export const build: Stage = {
  name: 'build',
  resume: 'start',
  holdsBuildSlot: true,
  sentence: ({ application }) => `Building with ${application.buildType}`,
  async run(context) {
    const { application, owner, log } = context;
    const settings = await context.settings();
    await checkDisk(context, application.organizationId, settings.minFreeDisk);
    if (application.createEnvFile) await writeEnvFile(context);
    const { builder, elsewhere, deliverTo } = await context.buildPlace();
    if (elsewhere !== undefined) log.line(`The build runs on ${elsewhere} (buildServerId).`);
    const image = builtImage(owner.serviceId, context.deployment.deploymentId);
    const inputs = {
      organizationId: application.organizationId,
      buildType: application.buildType,
      sourceDirectory: sourceDirectory(context),
      buildPath: buildPathOf(context),
      dockerfile: parseSourcePath(application.dockerfile, 'dockerfile') || 'Dockerfile',
      contextPath: parseSourcePath(application.containerContextPath ?? '', 'containerContextPath'),
      stage: application.containerBuildStage ?? undefined,
      publishDirectory: application.publishDirectory
        ? parseSourcePath(application.publishDirectory, 'publishDirectory')
        : undefined,
      singlePage: application.isStaticSpa,
      image,
      deliverTo,
      labels: {
        [managedLabel]: 'true',
        [organizationLabel]: application.organizationId,
        [ownerLabels[owner.kind]]: owner.serviceId,
        [deploymentLabel]: context.deployment.deploymentId,
      },
      buildArguments: context.buildArguments,
      buildSecrets: Object.fromEntries(
        Object.entries(context.buildSecrets).map(([name, value]) => [name, new Secret(value)]),
      ),
      env: context.plainEnv,
      noCache: application.cleanCache || context.deployment.withoutCache,
      scratchDirectory: scratchDirectory(context),
      limits: { memoryBytes: settings.buildMemoryBytes, nanoCpus: settings.buildNanoCpus },
      limitMs: buildLimitMs,
      onLine: log.line,
      onChild: context.onChild,
      onOwnBuild: (own: OwnBuild) => context.save({ ownBuild: writtenBuild(own) }),
      onApplications: (found: readonly SourceApplication[]) =>
        context.save({ sourceApplications: [...found] }),
    } as const;
    await whileDiskLasts(context, { what: 'the build' }, (signal) => builder.build({ ...inputs, signal }));
    await context.save({ image, child: null });
  },
};

function buildPathOf({ application }: DeployContext): string {
  return application.sourceType === 'git'
    ? parseSourcePath(application.customGitBuildPath, 'customGitBuildPath')
    : parseSourcePath(application.buildPath, 'buildPath');
}

/**
 * Throws PRECONDITION_FAILED when the disk is nearly full, CONFLICT when the organization's quota is used up.
 */
export async function checkDisk(
  context: Pick<DeployContext, 'fileSystem' | 'workRoot' | 'requireDisk' | 'serverKey' | 'engine'>,
  organizationId: string,
  needed: number,
): Promise<void> {
  const { fileSystem, workRoot } = context;
  await context.requireDisk(organizationId, context);
  const free = await fileSystem.freeBytes(workRoot);
  if (free >= needed) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `Only ${(free / GiB).toFixed(1)} GiB of disk are free, and a build needs ` +
      `${(needed / GiB).toFixed(1)} GiB (setting minFreeDisk). Free some space, for example with ` +
      'application.clearDeployments, and deploy again.',
  );
}

/**
 * Writes `.env` next to the Dockerfile, but never over a file of the repository (decisions 5, createEnvFile).
 */
async function writeEnvFile(context: DeployContext): Promise<void> {
  const { application, fileSystem, log } = context;
  const dockerfile = parseSourcePath(application.dockerfile, 'dockerfile') || 'Dockerfile';
  const isWritten = await fileSystem.writeInside(
    sourceDirectory(context),
    join(buildPathOf(context), dirname(dockerfile), '.env'),
    formatEnv(context.plainEnv),
    { field: dirname(dockerfile) === '.' ? 'buildPath' : 'dockerfile' },
  );
  log.line(
    isWritten
      ? 'Wrote .env beside the Dockerfile. A COPY of the whole folder puts it, with its secrets, into ' +
          'the image.'
      : 'The repository has a .env of its own; it is kept, and none was written (createEnvFile).',
  );
}
