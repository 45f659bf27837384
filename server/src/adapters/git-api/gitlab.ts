/** GitLab, REST API v4 (docs.gitlab.com/api). */
import type { PullRequestEvent } from '../../domain/git/git-event.ts';
import { z } from 'zod';
import { allPages, type Call } from './call.ts';
import type { Row } from './row.ts';

const user = z.object({ username: z.string() });
const projects = z.array(
  z.object({
    path_with_namespace: z.string(),
    default_branch: z.string().nullish(),
    visibility: z.string().optional(),
  }),
);
const branches = z.array(z.object({ name: z.string() }));
const member = z.object({ access_level: z.number(), state: z.string().optional() });
const mergeRequest = z.object({ state: z.string() });
const wholeMergeRequest = mergeRequest.extend({
  title: z.string(),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.number(),
  target_project_id: z.number(),
  sha: z.string(),
  labels: z.array(z.string()).nullish(),
  author: z.object({ id: z.number().transform(String) }),
});
const note = z.object({ id: z.number() });
const notes = z.array(note.extend({ body: z.string().nullish() }));
/** Developer: the least role that may push. */
const developer = 30;

const isOpen = ({ state }: z.output<typeof mergeRequest>): boolean => ['opened', 'locked'].includes(state);

const anything = z.unknown();
const statusNames = {
  pending: 'running',
  success: 'success',
  failure: 'failed',
  cancelled: 'canceled',
} as const;

/** The whole path as one part of the address. */
const of = (repository: string): string => `/projects/${encodeURIComponent(repository)}`;

function eventOf(
  repository: string,
  number: number,
  found: z.output<typeof wholeMergeRequest>,
): PullRequestEvent {
  return {
    kind: 'pullRequest',
    action: isOpen(found) ? 'open' : 'close',
    number,
    title: found.title,
    baseBranch: found.target_branch,
    headBranch: found.source_branch,
    commit: found.sha,
    isFork: found.source_project_id !== found.target_project_id,
    labels: found.labels ?? [],
    author: { id: found.author.id, name: found.author.id },
    repository,
  };
}

function telling(call: Call) {
  return {
    async setStatus(repository, commit, { state, context, description, targetUrl }) {
      const path = `${of(repository)}/statuses/${encodeURIComponent(commit)}`;
      const body = { state: statusNames[state], name: context, description, target_url: targetUrl };
      await call.must(anything, 'POST', path, { body });
    },
  } satisfies Partial<ReturnType<Row['api']>>;
}

function mergeRequests(call: Call) {
  return {
    async pullRequest(repository, number) {
      const found = await call.ask(mergeRequest, 'GET', `${of(repository)}/merge_requests/${number}`);
      return found && { isOpen: isOpen(found) };
    },
    async pullRequestEvent(repository, number) {
      const found = await call.ask(wholeMergeRequest, 'GET', `${of(repository)}/merge_requests/${number}`);
      return found && eventOf(repository, number, found);
    },
  } satisfies Partial<ReturnType<Row['api']>>;
}

export const gitlab: Row = {
  headers: {},
  api: (call) => ({
    ...telling(call),
    account: async () => (await call.must(user, 'GET', '/user')).username,
    repositories: async () =>
      (
        await allPages(100, (page) =>
          call.must(projects, 'GET', `/projects?membership=true&simple=true&per_page=100&page=${page}`),
        )
      ).map((one) => ({
        fullName: one.path_with_namespace,
        defaultBranch: one.default_branch ?? null,
        isPrivate: one.visibility !== 'public',
      })),
    branches: async (repository) =>
      (
        await allPages(100, (page) =>
          call.must(branches, 'GET', `${of(repository)}/repository/branches?per_page=100&page=${page}`),
        )
      ).map(({ name }) => name),
    async canWrite(repository, author) {
      const found = await call.ask(
        member,
        'GET',
        `${of(repository)}/members/all/${encodeURIComponent(author.id)}`,
      );
      return found !== undefined && found.access_level >= developer && found.state !== 'blocked';
    },
    ...mergeRequests(call),
    fullCommit: async (_repository, commit) => commit,
    async findComment(repository, number, text) {
      const found = await allPages(
        100,
        async (page) =>
          (await call.ask(
            notes,
            'GET',
            `${of(repository)}/merge_requests/${number}/notes?per_page=100&page=${page}&sort=asc`,
          )) ?? [],
      );
      const mine = found.findLast(({ body }) => body?.includes(text));
      return mine && String(mine.id);
    },
    addComment: async (repository, number, text) =>
      String(
        (
          await call.must(note, 'POST', `${of(repository)}/merge_requests/${number}/notes`, {
            body: { body: text },
          })
        ).id,
      ),
    editComment: async (repository, number, commentId, text) =>
      (await call.ask(
        note,
        'PUT',
        `${of(repository)}/merge_requests/${number}/notes/${encodeURIComponent(commentId)}`,
        { body: { body: text } },
      )) !== undefined,
  }),
};
