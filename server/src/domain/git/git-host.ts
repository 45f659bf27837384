/**
 * Where repositories named by owner and name stand: one row per provider (decisions 5, sourceType and
 * save…Provider).
 */
import { badField } from '../errors.ts';
import { parseGitUrl } from './git-source.ts';

/**
 * The public address of each provider; `gitHost` of a service names another one, such as a GitLab of one's
 * own.
 */
export const gitProviders = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  bitbucket: 'https://bitbucket.org',
  gitea: 'https://gitea.com',
} as const;
export type GitProvider = keyof typeof gitProviders;
export const gitProviderNames = ['github', 'gitlab', 'bitbucket', 'gitea'] as const satisfies GitProvider[];

export interface GitSourceFields {
  sourceType: string;
  gitHost: string | null;
  owner: string | null;
  repository: string | null;
  branch: string | null;
  customGitUrl: string | null;
  customGitBranch: string | null;
  customGitSSHKeyId: string | null;
}

export interface GitSource {
  url: string;
  branch: string;
}

/**
 * Repository and branch of a service whose source is git; undefined when one of them is not set, or the
 * source is no repository. `linkAddress` is the host of the git provider that the service names.
 */
export function gitSourceOf(service: GitSourceFields, linkAddress?: string): GitSource | undefined {
  const { sourceType, customGitUrl, customGitBranch, owner, repository, branch } = service;
  if (sourceType === 'git')
    return customGitUrl && customGitBranch ? { url: customGitUrl, branch: customGitBranch } : undefined;
  if (!isGitProvider(sourceType) || !owner || !repository || !branch) return undefined;
  const host = new URL(linkAddress ?? service.gitHost ?? gitProviders[sourceType]);
  const path = `${host.pathname.replace(/\/$/, '')}/${owner}/${repository.replace(/\.git$/, '')}.git`;
  // With a key the repository is fetched over SSH, as deploy keys of all four providers work.
  return {
    url: service.customGitSSHKeyId ? `ssh://git@${host.hostname}${path}` : `https://${host.host}${path}`,
    branch,
  };
}

export function isGitProvider(sourceType: string): sourceType is GitProvider {
  return Object.hasOwn(gitProviders, sourceType);
}

/**
 * Refs of a repository where its host keeps the commits of a pull request, those of forks too; null: nowhere.
 */
export function pullRefsOf(provider: GitProvider, number: number): string | null {
  return {
    github: `refs/pull/${number}/*`,
    gitea: `refs/pull/${number}/*`,
    gitlab: `refs/merge-requests/${number}/*`,
    bitbucket: null,
  }[provider];
}

/**
 * An https address without user, path parameters or repository, such as https://git.example.com or
 * https://example.com/git. Throws BAD_REQUEST naming `field`.
 */
export function parseGitHost(text: string, field = 'gitHost'): string {
  const { url, protocol, credentials } = parseGitUrl(text.endsWith('/') ? `${text}x` : `${text}/x`, field);
  if (protocol !== 'https') throw badField(field, 'must begin with https://');
  if (credentials) throw badField(field, 'must not contain a user or password');
  if (url.includes('?')) throw badField(field, 'must not contain "?"');
  return url.slice(0, -2);
}

/**
 * One part of a repository's path: an owner (groups with "/" between them) or a repository. Throws
 * BAD_REQUEST naming `field`.
 */
export function parseRepositoryPart(text: string, field: string): string {
  const parts = text.split('/');
  if (parts.every((part) => /^[a-zA-Z0-9_.~][a-zA-Z0-9_.~-]*$/.test(part) && part !== '.' && part !== '..'))
    return text;
  throw badField(field, 'must have only letters, digits, "-", "_", "." and "/" between groups');
}
