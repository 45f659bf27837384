/**
 * GitHub and GitHub Enterprise, REST API 2022-11-28 (docs.github.com/rest); also the paths that Gitea has in
 * common with it.
 */
import { z } from 'zod';
import type { GitApi, GitRepository } from '../../ports/git-api.ts';
import { allPages, type Call } from './call.ts';
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
const comment = z.object({ id: z.number() });
const comments = z.array(comment.extend({ body: z.string().nullish() }));
/** What a collaborator has who may push; GitHub folds "maintain" into "write". */
const writing: readonly string[] = ['admin', 'owner', 'write', 'maintain'];

export const github: Row = {
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  api: (call) => ({
    ...likeGithub(call, { name: 'per_page', size: 100 }),
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
    fullCommit: async (_name, commit) => commit,
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
