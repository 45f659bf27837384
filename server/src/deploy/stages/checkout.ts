/** Brings the source to this server: one row per kind of source. */
import { AppError } from '../../domain/errors.ts';
import { gitProviders, gitSourceOf } from '../../domain/git-host.ts';
import { Secret } from '../../domain/secret.ts';
import { registryOf } from '../../domain/image-reference.ts';
import { checkLocalRepository } from '../../modules/application/checks.ts';
import type { RegistryAuth } from '../../ports/engine.ts';
import type { DeployContext, Stage } from '../context.ts';
import { sourceDirectory, workDirectory } from '../work-directory.ts';

const checkoutLimitMs = 15 * 60_000;

type Source = { sentence(context: DeployContext): string; fetch(context: DeployContext): Promise<void> };

const sources: Record<string, Source> = {
  ...Object.fromEntries(['git', ...Object.keys(gitProviders)].map((name) => [name, { sentence: gitSentence, fetch: fetchGit }])),
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

function gitSentence({ application, pinnedCommit }: DeployContext): string {
  const source = gitSourceOf(application);
  return `Fetching ${source?.url ?? ''}, ${pinnedCommit ? `commit ${pinnedCommit}` : source?.branch ?? ''}`;
}

async function fetchGit(context: DeployContext): Promise<void> {
  const { application, git, records, fileSystem } = context;
  const { customGitSSHKeyId } = application;
  const source = gitSourceOf(application);
  if (!source) throw new AppError('BAD_REQUEST', 'The repository or its branch is not set. Use application.saveGitProvider.');
  checkLocalRepository(source.url, (await context.settings()).localRepositoryPaths);
  await fileSystem.fresh(workDirectory(context));
  const { commit, subject } = await git.checkout(
    {
      ...source, submodules: application.enableSubmodules, credentials: credentialsOf(application),
      sshKey: customGitSSHKeyId ? new Secret(await records.sshPrivateKey(customGitSSHKeyId, application.organizationId)) : undefined,
    },
    sourceDirectory(context),
    { commit: context.pinnedCommit, signal: context.signal, limitMs: checkoutLimitMs, onLine: context.log.line, onChild: context.onChild },
  );
  await context.save({ commit });
  context.log.line(`Commit ${commit}: ${subject}`);
}

/** Of the address they were given with, and of no other one. */
function credentialsOf({ sourceType, customGitUsername, customGitPassword }: DeployContext['application']): { username: string; password: Secret } | undefined {
  return sourceType === 'git' && customGitUsername ? { username: customGitUsername, password: new Secret(customGitPassword ?? '') } : undefined;
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
