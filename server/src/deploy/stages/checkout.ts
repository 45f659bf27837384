/** Brings the source to this server: one row per kind of source. */
import { AppError } from '../../domain/errors.ts';
import { gitProviders } from '../../domain/git-host.ts';
import { Secret } from '../../domain/secret.ts';
import { registryOf } from '../../domain/image-reference.ts';
import type { RegistryAuth } from '../../ports/engine.ts';
import type { DeployContext, Stage } from '../context.ts';
import { fetchRepository, fetchSentence } from './fetch-repository.ts';
import { sourceDirectory, workDirectory } from '../work-directory.ts';

type Source = { sentence(context: DeployContext): string; fetch(context: DeployContext): Promise<void> };

const repository: Source = {
  sentence: ({ application, pinnedCommit }) => fetchSentence(application, pinnedCommit),
  fetch: (context) => fetchRepository(context, context.application),
};

const sources: Record<string, Source> = {
  ...Object.fromEntries(['git', ...Object.keys(gitProviders)].map((name) => [name, repository])),
  container: {
    sentence: ({ application }) => `Pulling the image ${application.containerImage ?? ''}`,
    fetch: pullImage,
  },
  drop: { sentence: () => 'Taking the uploaded source', fetch: copyUpload },
};

export const checkout: Stage = {
  name: 'checkout',
  sentence: (context) => rowOf(context).sentence(context),
  run: (context) => rowOf(context).fetch(context),
};

function rowOf({ application }: DeployContext): Source {
  const row = sources[application.sourceType];
  if (!row)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The source ${application.sourceType} is not connected. Set one with application.saveGitProvider or application.saveContainerProvider.`,
    );
  return row;
}

async function copyUpload(context: DeployContext): Promise<void> {
  const { application, fileSystem } = context;
  if (!application.uploadPath)
    throw new AppError('BAD_REQUEST', 'No source was uploaded yet. Use application.dropDeployment.');
  await fileSystem.fresh(workDirectory(context));
  await fileSystem.copy(application.uploadPath, sourceDirectory(context));
}

async function pullImage(context: DeployContext): Promise<void> {
  const reference = context.application.containerImage ?? '';
  await pullOrKeep(context, reference, imageAuth(context));
  await context.save({ image: reference });
}

/** An image that cannot be pulled but is here already is used, and the log says so. */
export async function pullOrKeep(
  { engine, log, signal }: Pick<DeployContext, 'engine' | 'log' | 'signal'>,
  reference: string,
  auth: RegistryAuth | undefined,
): Promise<void> {
  try {
    await engine.pullImage(reference, { auth, signal, onLine: log.line });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) || !(await engine.image(reference))) throw error;
    log.line(
      `The image ${reference} could not be pulled (${error.message}). Using the one that is on this server already.`,
    );
  }
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
