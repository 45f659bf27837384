/**
 * GitHub and GitHub Enterprise, REST API 2022-11-28 (docs.github.com/rest); also the paths that Gitea has in
 * common with it.
 */
import type { PullRequestEvent } from '../../domain/git/git-event.ts';
import { z } from 'zod';
import type { GitApi, GitRepository } from '../../ports/git-api.ts';
import { allPages, type Call } from './call.ts';
import { setGithubDeployment } from './github-deployments.ts';
import { pathOf, type Row } from './row.ts';

const repository = z.object({
  full_name: z.string(),
  default_branch: z.string().nullish(),
  private: z.boolean(),
});
export const repositories = z.array(repository);
const installation = z.object({ total_count: z.number(), repositories });
const branches = z.array(z.object({ name: z.string() }));
const permission = z.object({ permission: z.string() });
const pullRequest = z.object({ state: z.string() });
const wholePullRequest = pullRequest.extend({
  title: z.string(),
  base: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }) }),
  head: z.object({
    ref: z.string(),
    sha: z.string(),
    repo: z.object({ full_name: z.string() }).nullish(),
  }),
  labels: z.array(z.object({ name: z.string() })).nullish(),
  user: z.object({ id: z.union([z.string(), z.number()]).transform(String), login: z.string() }),
});
const comment = z.object({ id: z.number() });
const anything = z.unknown();
const comments = z.array(comment.extend({ body: z.string().nullish() }));
/** What a collaborator has who may push; GitHub folds "maintain" into "write". */
const writing: readonly string[] = ['admin', 'owner', 'write', 'maintain'];

export const github: Row = {
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  api: (call) => ({
    ...likeGithub(call, { name: 'per_page', size: 100 }),
    setDeployment: setGithubDeployment(call),
    account: async () =>
      'an installation with ' +
      `${(await call.must(installation, 'GET', '/installation/repositories?per_page=1')).total_count} ` +
      'repositories',
    repositories: async () =>
      (
        await allPages(
          100,
          async (page) =>
            (
              await call.must(installation, 'GET', `/installation/repositories?per_page=100&page=${page}`)
            ).repositories,
        )
      ).map(repositoryOf),
  }),
};

export function repositoryOf(found: z.output<typeof repository>): GitRepository {
  return { fullName: found.full_name, defaultBranch: found.default_branch ?? null, isPrivate: found.private };
}

function eventOf(
  number: number,
  { state, title, base, head, labels, user }: z.output<typeof wholePullRequest>,
): PullRequestEvent {
  return {
    kind: 'pullRequest',
    action: state === 'open' ? 'open' : 'close',
    number,
    title,
    baseBranch: base.ref,
    headBranch: head.ref,
    commit: head.sha,
    // A fork that was deleted is null.
    isFork: head.repo?.full_name !== base.repo.full_name,
    labels: (labels ?? []).map((label) => label.name),
    author: { id: user.id, name: user.login },
    repository: base.repo.full_name,
  };
}

export function likeGithub(
  call: Call,
  { name: limit, size }: { name: string; size: number },
): Omit<GitApi, 'account' | 'repositories' | 'token'> {
  const of = (name: string): string => `/repos/${pathOf(name)}`;
  const paged = (page: number): string => `${limit}=${size}&page=${page}`;
  return {
    branches: async (name) =>
      (await allPages(size, (page) => call.must(branches, 'GET', `${of(name)}/branches?${paged(page)}`))).map(
        (one) => one.name,
      ),
    async canWrite(name, author) {
      const found = await call.ask(
        permission,
        'GET',
        `${of(name)}/collaborators/${encodeURIComponent(author.name)}/permission`,
      );
      return found !== undefined && writing.includes(found.permission);
    },
    async pullRequest(name, number) {
      const found = await call.ask(pullRequest, 'GET', `${of(name)}/pulls/${number}`);
      return found && { isOpen: found.state === 'open' };
    },
    async pullRequestEvent(name, number) {
      const found = await call.ask(wholePullRequest, 'GET', `${of(name)}/pulls/${number}`);
      return found && eventOf(number, found);
    },
    fullCommit: async (_name, commit) => commit,
    async setStatus(name, commit, { state, context, description, targetUrl }) {
      const body = {
        state: state === 'cancelled' ? 'error' : state,
        context,
        description,
        target_url: targetUrl,
      };
      await call.must(anything, 'POST', `${of(name)}/statuses/${encodeURIComponent(commit)}`, { body });
    },
    async findComment(name, number, text) {
      const found = await allPages(
        size,
        async (page) =>
          (await call.ask(comments, 'GET', `${of(name)}/issues/${number}/comments?${paged(page)}`)) ?? [],
      );
      const mine = found.findLast(({ body }) => body?.includes(text));
      return mine && String(mine.id);
    },
    addComment: async (name, number, text) =>
      String(
        (await call.must(comment, 'POST', `${of(name)}/issues/${number}/comments`, { body: { body: text } }))
          .id,
      ),
    editComment: async (name, _number, commentId, text) =>
      (await call.ask(comment, 'PATCH', `${of(name)}/issues/comments/${encodeURIComponent(commentId)}`, {
        body: { body: text },
      })) !== undefined,
  };
}
