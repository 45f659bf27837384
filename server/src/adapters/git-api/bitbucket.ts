/** Bitbucket Cloud, API 2.0 (developer.atlassian.com/cloud/bitbucket/rest). */
import type { PullRequestEvent } from '../../domain/git/git-event.ts';
import { z } from 'zod';
import { allPages, type Call } from './call.ts';
import { pathOf, type Row } from './row.ts';

const listOf = <T extends z.ZodType>(item: T) => z.object({ values: z.array(item) });
const repositories = listOf(
  z.object({
    full_name: z.string(),
    mainbranch: z.object({ name: z.string() }).nullish(),
    is_private: z.boolean(),
  }),
);
const branches = listOf(z.object({ name: z.string() }));
const permissions = listOf(z.object({ permission: z.string() }));
const pullRequest = z.object({ state: z.string() });
const side = z.object({
  branch: z.object({ name: z.string() }),
  commit: z.object({ hash: z.string() }).nullish(),
  repository: z.object({ full_name: z.string() }).nullish(),
});
const wholePullRequest = pullRequest.extend({
  title: z.string(),
  source: side,
  destination: side,
  author: z.object({ uuid: z.string(), display_name: z.string().nullish() }),
});
const commit = z.object({ hash: z.string() });
const comment = z.object({ id: z.number() });
const comments = listOf(
  comment.extend({
    deleted: z.boolean().optional(),
    content: z.object({ raw: z.string().nullish() }).optional(),
  }),
);

const of = (repository: string): string => `/repositories/${pathOf(repository)}`;

export const bitbucket: Row = {
  headers: {},
  api: (call, { workspace }) => ({
    ...reads(call, workspace ?? ''),
    ...commenting(call),
    ...telling(call),
  }),
};

function eventOf(
  repository: string,
  number: number,
  { state, title, source, destination, author }: z.output<typeof wholePullRequest>,
): PullRequestEvent {
  return {
    kind: 'pullRequest',
    action: state === 'OPEN' ? 'open' : 'close',
    number,
    title,
    baseBranch: destination.branch.name,
    headBranch: source.branch.name,
    commit: source.commit?.hash ?? '',
    isFork: source.repository?.full_name !== repository,
    labels: [],
    author: { id: author.uuid, name: author.display_name ?? author.uuid },
    repository,
  };
}

function reads(call: Call, workspace: string) {
  const own = `/repositories/${encodeURIComponent(workspace)}`;
  return {
    async account() {
      await call.must(repositories, 'GET', `${own}?pagelen=1`);
      return workspace;
    },
    async repositories() {
      const found = await allPages(
        100,
        async (page) => (await call.must(repositories, 'GET', `${own}?pagelen=100&page=${page}`)).values,
      );
      return found.map((one) => ({
        fullName: one.full_name,
        defaultBranch: one.mainbranch?.name ?? null,
        isPrivate: one.is_private,
      }));
    },
    async branches(repository) {
      const path = `${of(repository)}/refs/branches?pagelen=100`;
      const found = await allPages(
        100,
        async (page) => (await call.must(branches, 'GET', `${path}&page=${page}`)).values,
      );
      return found.map(({ name }) => name);
    },
    async canWrite(repository, author) {
      const [owner = '', slug = ''] = repository.split('/');
      const path =
        `/workspaces/${encodeURIComponent(owner)}/permissions/repositories/` + encodeURIComponent(slug);
      const query = encodeURIComponent(`user.uuid="${author.id.replace(/[^0-9a-zA-Z{}-]/g, '')}"`);
      const found = await call.ask(permissions, 'GET', `${path}?q=${query}`);
      return (
        found !== undefined &&
        found.values.some(({ permission }) => permission === 'write' || permission === 'admin')
      );
    },
    async pullRequest(repository, number) {
      const found = await call.ask(pullRequest, 'GET', `${of(repository)}/pullrequests/${number}`);
      return found && { isOpen: found.state === 'OPEN' };
    },
    async pullRequestEvent(repository, number) {
      const found = await call.ask(wholePullRequest, 'GET', `${of(repository)}/pullrequests/${number}`);
      return found && eventOf(repository, number, found);
    },
    fullCommit: async (repository, hash) =>
      (await call.must(commit, 'GET', `${of(repository)}/commit/${encodeURIComponent(hash)}`)).hash,
  } satisfies Partial<ReturnType<Row['api']>>;
}

const anything = z.unknown();
const statusNames = {
  pending: 'INPROGRESS',
  success: 'SUCCESSFUL',
  failure: 'FAILED',
  cancelled: 'STOPPED',
} as const;
/** What Bitbucket takes of a key; the name stands beside it whole. */
const keyLimit = 40;

function telling(call: Call) {
  return {
    async setStatus(repository, hash, { state, context, description, targetUrl }) {
      const path = `${of(repository)}/commit/${encodeURIComponent(hash)}/statuses/build`;
      const body = {
        state: statusNames[state],
        key: context.slice(0, keyLimit),
        name: context,
        description,
        url: targetUrl,
      };
      await call.must(anything, 'POST', path, { body });
    },
  } satisfies Partial<ReturnType<Row['api']>>;
}

function commenting(call: Call) {
  const path = (repository: string, number: number): string =>
    `${of(repository)}/pullrequests/${number}/comments`;
  const body = (text: string) => ({ body: { content: { raw: text } } });
  return {
    async findComment(repository, number, text) {
      const found = await allPages(100, async (page) => {
        const answer = await call.ask(
          comments,
          'GET',
          `${path(repository, number)}?pagelen=100&page=${page}`,
        );
        return answer?.values ?? [];
      });
      const mine = found.findLast(({ content, deleted }) => deleted !== true && content?.raw?.includes(text));
      return mine && String(mine.id);
    },
    addComment: async (repository, number, text) =>
      String((await call.must(comment, 'POST', path(repository, number), body(text))).id),
    async editComment(repository, number, commentId, text) {
      const one = `${path(repository, number)}/${encodeURIComponent(commentId)}`;
      return (await call.ask(comment, 'PUT', one, body(text))) !== undefined;
    },
  } satisfies Partial<ReturnType<Row['api']>>;
}
