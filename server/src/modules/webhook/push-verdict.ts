/**
 * Whether a push is for a service (decisions 11): the branch, the kind of ref, `[skip ci]`, the paths. Pure.
 */
import type { PushEvent } from '../../domain/git/git-event.ts';
import { oneLine } from '../../domain/text/words.ts';
import { touches } from '../../domain/git/watch-paths.ts';

export interface Watched {
  /** Whether a repository of this full name is the service's. */
  isRepository(fullName: string): boolean;
  /** Branch that is deployed; undefined where the source is no repository. */
  branch: string | undefined;
  triggerType: string;
  watchPaths: readonly string[];
}

const skipWords = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/i;

/** Why nothing is deployed; undefined when it is. */
export function skipReason(
  push: PushEvent,
  { isRepository, branch, triggerType, watchPaths }: Watched,
): string | undefined {
  if (branch !== undefined && push.repository !== undefined && !isRepository(push.repository))
    return `the push is to ${push.repository.slice(0, 200)}, which is not the repository of this service`;
  if (push.commit === null) return `the ${push.refKind} ${push.ref} was deleted`;
  if (triggerType === 'tag' && push.refKind !== 'tag') return 'only tags are deployed (triggerType)';
  if (triggerType !== 'tag' && push.refKind === 'tag') return 'tags are not deployed (triggerType)';
  if (push.refKind === 'branch' && branch !== undefined && push.ref !== branch)
    return `the branch ${push.ref} is not ${branch}`;
  if (skipWords.test(push.message)) return 'the commit says [skip ci]';
  if (watchPaths.length > 0 && push.changedPaths !== undefined && !touches(watchPaths, push.changedPaths))
    return 'no changed file is among watchPaths';
  return undefined;
}

/** What people read of the deployment: the commit's first line, and what was pushed. */
export function describePush({ ref, refKind, commit, message }: PushEvent): {
  title: string;
  description: string;
} {
  const [line = ''] = message.split(/\r?\n/, 1);
  return {
    title: oneLine(line, 200) || `Push to ${oneLine(ref, 150)}`,
    description: `Commit ${commit ?? ''} on the ${refKind} ${oneLine(ref, 500)}`,
  };
}
