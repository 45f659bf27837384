/** Brings the source to this server: one row per kind of source. */
import { AppError } from '../../domain/errors.ts';
import { Secret } from '../../domain/secret.ts';
import { registryOf } from '../../domain/image-reference.ts';
import { checkLocalRepository } from '../../modules/application/checks.ts';
import type { RegistryAuth } from '../../ports/engine.ts';
import type { DeployContext, Stage } from '../context.ts';
import { sourceDirectory, workDirectory } from '../work-directory.ts';

const checkoutLimitMs = 15 * 60_000;

type Source = { sentence(context: DeployContext): string; fetch(context: DeployContext): Promise<void> };

const sources: Record<string, Source> = {
  git: {
    sentence: ({ application, pinnedCommit }) => `Fetching ${application.customGitUrl ?? ''}, ${pinnedCommit ? `commit ${pinnedCommit}` : application.customGitBranch ?? ''}`,
    fetch: fetchGit,
  },
  container: { sentence: ({ application }) => `Pulling the image ${application.containerImage ?? ''}`, fetch: pullImage },
  drop: { sentence: () => 'Taking the uploaded source', fetch: copyUpload },
};

export const checkout: Stage = {
  name: 'checkout',
  sentence: (context) => rowOf(context).sentence(context),
  run: (context) => rowOf(context).fetch(context),
};

function rowOf({ application }: DeployContext): Source {
  const row = sources[application.sourceType];
  if (!row) throw new AppError('PRECONDITION_FAILED', `The source ${application.sourceType} is not connected. Set one with application.saveGitProvider or application.saveContainerProvider.`);
  return row;
}

async function fetchGit(context: DeployContext): Promise<void> {
  const { application, git, records, fileSystem } = context;
  const { customGitUrl, customGitBranch, customGitUsername, customGitPassword, customGitSSHKeyId } = application;
  if (!customGitUrl || !customGitBranch) throw new AppError('BAD_REQUEST', 'The repository or its branch is not set. Use application.saveGitProvider.');
  checkLocalRepository(customGitUrl, (await context.settings()).localRepositoryPaths);
  await fileSystem.fresh(workDirectory(context));
  const { commit, subject } = await git.checkout(
    {
      url: customGitUrl, branch: customGitBranch, submodules: application.enableSubmodules,
      credentials: customGitUsername ? { username: customGitUsername, password: new Secret(customGitPassword ?? '') } : undefined,
      sshKey: customGitSSHKeyId ? new Secret(await records.sshPrivateKey(customGitSSHKeyId, application.organizationId)) : undefined,
    },
    sourceDirectory(context),
    { commit: context.pinnedCommit, signal: context.signal, limitMs: checkoutLimitMs, onLine: context.log.line, onChild: context.onChild },
  );
  await context.save({ commit });
  context.log.line(`Commit ${commit}: ${subject}`);
}

async function copyUpload(context: DeployContext): Promise<void> {
  const { application, fileSystem } = context;
  if (!application.uploadPath) throw new AppError('BAD_REQUEST', 'No source was uploaded yet. Use application.dropDeployment.');
  await fileSystem.fresh(workDirectory(context));
  await fileSystem.copy(application.uploadPath, sourceDirectory(context));
}

/** An image that cannot be pulled but is here already is used, and the log says so. */
async function pullImage(context: DeployContext): Promise<void> {
  const { application, engine, log } = context;
  const reference = application.containerImage ?? '';
  try {
    await engine.pullImage(reference, { auth: imageAuth(context), signal: context.signal, onLine: log.line });
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof AppError) || !(await engine.image(reference))) throw error;
    log.line(`The image could not be pulled (${error.message}). Using the one that is on this server already.`);
  }
  await context.save({ image: reference });
}

export function imageAuth({ application }: Pick<DeployContext, 'application'>): RegistryAuth | undefined {
  if (application.sourceType !== 'container' || !application.username || !application.password) return undefined;
  return { username: application.username, password: new Secret(application.password), serverAddress: application.registryUrl || registryOf(application.containerImage ?? '') };
}
