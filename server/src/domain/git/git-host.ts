/**
 * The git hosts where a repository is named by owner and name, one row each (decisions 5, sourceType and
 * save…Provider), and the addresses of repositories there. A host that is added also needs its API
 * (adapters/git-api) and its webhooks (modules/webhook/providers); the compiler asks for both.
 */
import { badField } from '../errors.ts';
import { parseGitUrl } from './git-source.ts';

/** In the order in which lists and documents show them. */
export const gitProviderNames = ['github', 'gitlab', 'bitbucket', 'gitea'] as const;
export type GitProvider = (typeof gitProviderNames)[number];

export type CredentialField =
  | 'appId'
  | 'installationId'
  | 'privateKey'
  | 'webhookSecret'
  | 'accessToken'
  | 'username';

interface GitHostRow {
  /** As people write it. */
  label: string;
  /** Of the public host. A service may name another one in `gitHost`, such as a self-hosted GitLab. */
  address: string;
  /** Fields that a link to it requires; any other field is refused. */
  needs: readonly CredentialField[];
  /** Address of the API of the host at `baseUrl`, public or self-hosted. */
  apiUrl(baseUrl: string): string;
  /** User name that git signs in with; the token is the password. */
  gitUser: string;
  /** Refs under which it offers the commits of a pull request, also one from a fork; null: it offers none. */
  pullRefs(number: number): string | null;
}

export const gitHosts: Record<GitProvider, GitHostRow> = {
  github: {
    label: 'GitHub',
    address: 'https://github.com',
    needs: ['appId', 'installationId', 'privateKey', 'webhookSecret'],
    apiUrl: (base) => (base === 'https://github.com' ? 'https://api.github.com' : `${base}/api/v3`),
    gitUser: 'x-access-token',
    pullRefs: (number) => `refs/pull/${number}/*`,
  },
  gitlab: {
    label: 'GitLab',
    address: 'https://gitlab.com',
    needs: ['accessToken'],
    apiUrl: (base) => `${base}/api/v4`,
    gitUser: 'oauth2',
    pullRefs: (number) => `refs/merge-requests/${number}/*`,
  },
  bitbucket: {
    label: 'Bitbucket',
    address: 'https://bitbucket.org',
    needs: ['accessToken', 'username'],
    apiUrl: (base) => (base === 'https://bitbucket.org' ? 'https://api.bitbucket.org/2.0' : `${base}/2.0`),
    gitUser: 'x-token-auth',
    pullRefs: () => null,
  },
  gitea: {
    label: 'Gitea',
    address: 'https://gitea.com',
    needs: ['accessToken'],
    apiUrl: (base) => `${base}/api/v1`,
    gitUser: 'oauth2',
    pullRefs: (number) => `refs/pull/${number}/*`,
  },
};

/** One value for each procedure that sets a source: `saveGithubProvider`, … */
export type SaveProcedures<T> = { [K in GitProvider as `save${Capitalize<K>}Provider`]: T };

export const saveProcedureOf = (provider: GitProvider): string =>
  `save${provider.slice(0, 1).toUpperCase()}${provider.slice(1)}Provider`;

/** Makes the value of each of these procedures. */
export function perSaveProcedure<T>(make: (provider: GitProvider) => T): SaveProcedures<T> {
  return asProcedures(gitProviderNames.map((provider) => [saveProcedureOf(provider), make(provider)]));
}

/** The entries have exactly these keys, which the compiler cannot follow through `fromEntries`. */
function asProcedures<T>(entries: [string, T][]): SaveProcedures<T> {
  return Object.fromEntries(entries) as SaveProcedures<T>;
}

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
 * source is not a repository. `linkAddress` is the address of the git provider that the service is linked to.
 */
export function gitSourceOf(service: GitSourceFields, linkAddress?: string): GitSource | undefined {
  const { sourceType, customGitUrl, customGitBranch, owner, repository, branch } = service;
  if (sourceType === 'git')
    return customGitUrl && customGitBranch
      ? { url: customGitUrl, branch: shortBranch(customGitBranch) }
      : undefined;
  if (!isGitProvider(sourceType) || !owner || !repository || !branch) return undefined;
  const host = new URL(linkAddress ?? service.gitHost ?? gitHosts[sourceType].address);
  const path = `${host.pathname.replace(/\/$/, '')}/${owner}/${repository.replace(/\.git$/, '')}.git`;
  // Deploy keys work over SSH alone, at every git host.
  return {
    url: service.customGitSSHKeyId ? `ssh://git@${host.hostname}${path}` : `https://${host.host}${path}`,
    branch: shortBranch(branch),
  };
}

/** `refs/heads/main` is the branch `main`, as webhooks name it too. */
const shortBranch = (branch: string): string => branch.replace(/^refs\/heads\/(?=.)/, '');

export function isGitProvider(sourceType: string): sourceType is GitProvider {
  return Object.hasOwn(gitHosts, sourceType);
}

/**
 * An https address without user, query or repository, such as https://git.example.com or
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
