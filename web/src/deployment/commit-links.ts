/** Where a git host shows a commit, and what lies between two. */

interface Source {
  sourceType: string;
  owner: string | null;
  repository: string | null;
  gitHost: string | null;
  customGitUrl: string | null;
}

export interface CommitLinks {
  commit(id: string): string;
  between(earlier: string, later: string): string;
}

type Paths = (address: string) => CommitLinks;

const likeGitHub: Paths = (address) => ({
  commit: (id) => `${address}/commit/${id}`,
  between: (earlier, later) => `${address}/compare/${earlier}...${later}`,
});
const hosts: readonly [RegExp, Paths][] = [
  [
    /(^|\.)gitlab\./,
    (address) => ({
      commit: (id) => `${address}/-/commit/${id}`,
      between: (earlier, later) => `${address}/-/compare/${earlier}...${later}`,
    }),
  ],
  [
    /(^|\.)bitbucket\.org$/,
    (address) => ({
      commit: (id) => `${address}/commits/${id}`,
      between: (earlier, later) => `${address}/branches/compare/${later}%0D${earlier}`,
    }),
  ],
  [/(^|\.)(github\.com|codeberg\.org)$|^(gitea|forgejo)\./, likeGitHub],
];

const providers: Readonly<Record<string, string>> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  bitbucket: 'https://bitbucket.org',
};

/** Undefined for a repository whose host is not known to show commits. */
export function commitLinks(source: Source): CommitLinks | undefined {
  const address = source.sourceType === 'git' ? webAddress(source.customGitUrl ?? '') : ofProvider(source);
  if (!address || !URL.canParse(address)) return undefined;
  const { hostname } = new URL(address);
  return hosts.find(([pattern]) => pattern.test(hostname))?.[1](address);
}

function ofProvider({ sourceType, owner, repository, gitHost }: Source): string | undefined {
  const host = gitHost ?? providers[sourceType];
  return host && owner && repository ? `${host.replace(/\/$/, '')}/${owner}/${repository}` : undefined;
}

/** Of `https://host/path.git` and `git@host:path.git`, without any name or password in it. */
function webAddress(url: string): string | undefined {
  const [, host, path] =
    /^https?:\/\/(?:[^@/]*@)?([^/]+)\/(.+?)(?:\.git)?\/?$/.exec(url) ??
    /^(?:ssh:\/\/)?[^@/]+@([^:/]+)[:/](.+?)(?:\.git)?\/?$/.exec(url) ??
    [];
  return host && path ? `https://${host}/${path}` : undefined;
}
