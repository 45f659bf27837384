/** Fetches the source to this server; each type of source has a row. */
import { AppError } from '../../domain/errors.ts';
import { gitProviderNames } from '../../domain/git/git-host.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { registryOf } from '../../domain/names/image-reference.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import type { DeployContext, Stage } from '../context.ts';
import { bringImage } from '../images/bring-image.ts';
import { fetchRepository, fetchSentence } from './fetch-repository.ts';
import { rootOfUpload } from './root-of-upload.ts';
import { sourceDirectory, workDirectory } from '../work-directory.ts';

type Source = { sentence(context: DeployContext): string; fetch(context: DeployContext): Promise<void> };

const repository: Source = {
  sentence: ({ application, pinnedCommit }) => fetchSentence(application, pinnedCommit),
  fetch: (context) => fetchRepository(context, context.application),
};

const sources: Record<string, Source> = {
  ...Object.fromEntries(['git', ...gitProviderNames].map((name) => [name, repository])),
  container: {
    sentence: ({ application }) => `Pulling the image ${application.containerImage ?? ''}`,
    fetch: pullImage,
  },
  drop: { sentence: () => 'Using the uploaded source', fetch: copyUpload },
};

export const checkout: Stage = {
  name: 'checkout',
  resume: 'start',
  holdsBuildSlot: true,
  buildsNothing,
  sentence: (context) => rowOf(context).sentence(context),
  async run(context) {
    const row = rowOf(context);
    void readyBuilder(context).catch(() => undefined);
    await row.fetch(context);
  },
};

function buildsNothing({ application }: DeployContext): boolean {
  return application.sourceType === 'container';
}

/** One that has stopped takes a second to start, about as long as a source takes to be fetched. */
async function readyBuilder(context: DeployContext): Promise<void> {
  const { application, builder, settings, signal } = context;
  const { buildServerId, organizationId } = application;
  if (buildsNothing(context) || buildServerId !== null) return;
  const { buildMemoryBytes: memoryBytes, buildNanoCpus: nanoCpus } = await settings();
  await builder.getReady(organizationId, { limits: { memoryBytes, nanoCpus }, signal });
}

function rowOf({ application }: DeployContext): Source {
  const row = sources[application.sourceType];
  if (!row)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The source ${application.sourceType} is not connected. Set one with application.saveGitProvider ` +
        'or application.saveContainerProvider.',
    );
  return row;
}

/**
 * Copies the newest upload. An older one is removed as soon as a newer one is accepted, even while it is
 * being copied; then the newer one is copied instead.
 */
async function copyUpload(context: DeployContext): Promise<void> {
  const { applicationId } = context.application;
  const newest = (): Promise<string | null> => context.records.uploadPath(applicationId);
  let path = await newest();
  for (;;) {
    if (path === null)
      throw new AppError('BAD_REQUEST', 'No source was uploaded yet. Use application.dropDeployment.');
    context.signal.throwIfAborted();
    const failure = await copySource(context, path);
    const present = await newest();
    if (present === path) {
      if (failure) throw failure;
      return;
    }
    context.log.line('A newer source has been uploaded in the meantime; using that one.');
    path = present;
  }
}

/** Resolves with what went wrong; undefined when it was copied. */
async function copySource(context: DeployContext, path: string): Promise<Error | undefined> {
  try {
    await context.fileSystem.fresh(workDirectory(context));
    await context.fileSystem.copy(await rootOfUpload(context, path), sourceDirectory(context));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function pullImage(context: DeployContext): Promise<void> {
  const reference = context.application.containerImage ?? '';
  const { organizationId } = context.application;
  const auth = imageAuth(context);
  await bringImage(context, { reference, organizationId, service: context.owner, auth, how: 'newest' });
  await context.save({ image: reference });
}

export function imageAuth({ application }: Pick<DeployContext, 'application'>): RegistryAuth | undefined {
  if (application.sourceType !== 'container' || !application.username || !application.password)
    return undefined;
  return {
    username: application.username,
    password: new Secret(application.password),
    serverAddress: application.registryUrl || registryOf(application.containerImage ?? ''),
  };
}
