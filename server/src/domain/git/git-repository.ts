/** Whether an event of a repository is about what a service is built from. Pure. */
import type { GitSourceFields } from './git-host.ts';

/**
 * `fullName` is the repository's, such as `acme/shop`; the names of hosts have no case. An address of any
 * other host is compared by the end of its path.
 */
export function isOf(
  { sourceType, owner, repository, customGitUrl }: GitSourceFields,
  fullName: string,
): boolean {
  const wanted = `/${fullName.toLowerCase()}`;
  if (fullName === '') return false;
  if (sourceType !== 'git')
    return `/${owner ?? ''}/${withoutSuffix(repository ?? '')}`.toLowerCase() === wanted;
  // git@host:acme/shop is a path too.
  return withoutSuffix((customGitUrl ?? '').replace(/\/$/, ''))
    .toLowerCase()
    .replace(/^([^/]*@[^/:]*):/, '$1/')
    .endsWith(wanted);
}

const withoutSuffix = (text: string): string => text.replace(/\.git$/, '');
