/**
 * Fetches the repository of a service of any kind into the deployment's work folder, and stores its commit.
 */
import { AppError } from '../../domain/errors.ts';
import {
  gitSourceOf,
  isGitProvider,
  type GitSource,
  type GitSourceFields,
} from '../../domain/git/git-host.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { checkLocalRepository } from '../../modules/application/checks.ts';
import type { DeployPorts, GitLink, StageContext } from '../context.ts';
import { whileDiskLasts } from './disk-watch.ts';
import { sourceDirectory, workDirectory } from '../work-directory.ts';

const checkoutLimitMs = 15 * 60_000;

/** Where a service's source is, and what opens it. */
export interface RepositoryFields extends GitSourceFields {
  organizationId: string;
  enableSubmodules: boolean;
  customGitUsername: string | null;
  customGitPassword: string | null;
  githubId: string | null;
}

export type RepositoryContext = StageContext &
  Pick<DeployPorts, 'git' | 'fileSystem' | 'localRepositoryPaths' | 'workRoot' | 'settings' | 'diskLeft'> & {
    records: Pick<DeployPorts['records'], 'sshPrivateKey' | 'gitLink'>;
    pinnedCommit: string | undefined;
    pullRefs?: string | undefined;
  };

export function fetchSentence(service: RepositoryFields, pinnedCommit: string | undefined): string {
  const source = gitSourceOf(service);
  const isLinked = isGitProvider(service.sourceType) && service.githubId !== null;
  return (
    `Fetching ${isLinked ? `${service.owner}/${service.repository}` : (source?.url ?? '')}, ` +
    `${pinnedCommit ? `commit ${pinnedCommit}` : (source?.branch ?? '')}`
  );
}

export async function fetchRepository(context: RepositoryContext, service: RepositoryFields): Promise<void> {
  const { git, fileSystem } = context;
  const link = await linkOf(service, context.records);
  if (link) context.hide([link.credentials.password.reveal()]);
  const source = requireRepository(service, await context.localRepositoryPaths(service.organizationId), link);
  await fileSystem.fresh(workDirectory(context));
  const access = await repositoryAccess(service, context.records, link);
  const { organizationId } = service;
  const folder = { path: workDirectory(context), mostBytes: await context.diskLeft(organizationId) };
  const { commit, subject, author } = await whileDiskLasts(
    context,
    { what: 'the repository', folder },
    (signal) =>
      git.checkout(
        { ...source, ...access, organizationId, pullRefs: context.pullRefs },
        sourceDirectory(context),
        {
          commit: context.pinnedCommit,
          signal,
          limitMs: checkoutLimitMs,
          onLine: context.log.line,
          onChild: context.onChild,
        },
      ),
  );
  await context.save({ commit, commitInfo: { subject, author, branch: source.branch } });
  context.log.line(`Commit ${commit}: ${subject}`);
}

/** BAD_REQUEST when repository or branch is not set, or is a folder that nobody allowed. */
export function requireRepository(
  service: GitSourceFields,
  localRepositoryPaths: readonly string[],
  link?: GitLink,
): GitSource {
  const source = gitSourceOf(service, link?.baseUrl);
  if (!source) throw new AppError('BAD_REQUEST', 'The repository or its branch is not set.');
  checkLocalRepository(source.url, localRepositoryPaths);
  return source;
}

export async function repositoryAccess(
  service: RepositoryFields,
  { sshPrivateKey }: RepositoryContext['records'],
  link?: GitLink,
) {
  const { customGitSSHKeyId, organizationId, enableSubmodules } = service;
  return {
    submodules: enableSubmodules,
    credentials: link?.credentials ?? credentialsOf(service),
    sshKey: customGitSSHKeyId
      ? new Secret(await sshPrivateKey(customGitSSHKeyId, organizationId))
      : undefined,
  };
}

/**
 * The git provider that a hosted repository is fetched from; its token goes to the provider's own address and
 * nowhere else.
 */
export async function linkOf(
  { sourceType, githubId, organizationId, customGitSSHKeyId }: RepositoryFields,
  { gitLink }: Pick<RepositoryContext['records'], 'gitLink'>,
): Promise<GitLink | undefined> {
  if (!isGitProvider(sourceType) || githubId === null || customGitSSHKeyId !== null) return undefined;
  const link = await gitLink(githubId, organizationId);
  if (link.provider === sourceType) return link;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The git provider of this service is of the kind ${link.provider}, its source is ${sourceType}. ` +
      'Choose another githubId.',
  );
}

/** Of the address they were given with, and of no other one. */
function credentialsOf({
  sourceType,
  customGitUsername,
  customGitPassword,
}: RepositoryFields): { username: string; password: Secret } | undefined {
  return sourceType === 'git' && customGitUsername
    ? { username: customGitUsername, password: new Secret(customGitPassword ?? '') }
    : undefined;
}
