/**
 * The webhooks of git hosts: one row per provider. What is read of a payload is what each documents; the rest
 * is not looked at.
 */
import { z } from 'zod';
import { badField } from '../../../domain/errors.ts';
import { gitProviderNames, type GitProvider } from '../../../domain/git/git-host.ts';
import type { HookEvent, PullRequestEvent, PushEvent } from '../../../domain/git/git-event.ts';
import type { Delivery } from '../delivery.ts';
import { carriesSecret, signedByHmac } from './signature.ts';

export interface ProviderRow {
  /** Header with the event's name; by it a delivery is recognised at the neutral address. */
  eventHeader: string;
  /** Headers with the id of a delivery, which a repeated one keeps; the first that is there counts. */
  deliveryHeaders: readonly string[];
  isSigned(delivery: Delivery, secret: string): boolean;
  /**
   * What the payload tells; several pushes in one where the host does that. BAD_REQUEST when it is not of the
   * documented form.
   */
  read(event: string, payload: unknown): HookEvent[];
}

// Gitea sends GitHub's headers besides its own, so it is looked for first.
export const providers: Record<GitProvider, ProviderRow> = {
  gitea: {
    eventHeader: 'x-gitea-event',
    deliveryHeaders: ['x-gitea-delivery'],
    isSigned: signedByHmac(['x-gitea-signature', 'x-hub-signature-256']),
    read: (event, payload) =>
      readLikeGithub(
        {
          push: 'push',
          pullRequest: 'pull_request',
          actions: [
            'opened',
            'reopened',
            'synchronized',
            'label_updated',
            'label_cleared',
            'edited',
            'closed',
          ],
        },
        event,
        payload,
      ),
  },
  github: {
    eventHeader: 'x-github-event',
    deliveryHeaders: ['x-github-delivery'],
    isSigned: signedByHmac(['x-hub-signature-256']),
    read: (event, payload) =>
      readLikeGithub(
        {
          push: 'push',
          pullRequest: 'pull_request',
          actions: ['opened', 'reopened', 'synchronize', 'labeled', 'unlabeled', 'edited', 'closed'],
        },
        event,
        payload,
      ),
  },
  gitlab: {
    eventHeader: 'x-gitlab-event',
    deliveryHeaders: ['idempotency-key', 'x-gitlab-event-uuid'],
    isSigned: carriesSecret('x-gitlab-token'),
    read: readGitlab,
  },
  bitbucket: {
    eventHeader: 'x-event-key',
    deliveryHeaders: ['x-request-uuid'],
    isSigned: signedByHmac(['x-hub-signature']),
    read: readBitbucket,
  },
};

/** The provider whose event header the delivery carries. */
export function providerOfDelivery({ headers }: Delivery): GitProvider | undefined {
  // Gitea sends GitHub's header besides its own, and comes last in the list.
  return gitProviderNames.findLast((name) => headers[providers[name].eventHeader] !== undefined);
}

const text = z.string();
const optional = z.string().nullish();
/** Ids come as numbers from some. */
const idText = z.union([z.string(), z.number()]).transform(String);

/** It becomes part of addresses, references and host names. */
const pullRequestNumber = z.int().positive();

/** Names of files. A push has up to hundreds of thousands; a schema for each takes four times as long. */
const paths = z.custom<string[]>(
  (value) => Array.isArray(value) && value.every((path) => typeof path === 'string'),
  'must be a list of texts',
);

/** docs.github.com, Webhook events and payloads: push, pull_request; docs.gitea.com, Webhooks. */
const githubCommit = z.object({
  id: optional,
  message: optional,
  added: paths.nullish(),
  modified: paths.nullish(),
  removed: paths.nullish(),
});
const githubPush = z.object({
  ref: text,
  after: text,
  deleted: z.boolean().optional(),
  head_commit: githubCommit.nullish(),
  commits: z.array(githubCommit).nullish(),
  total_commits: z.number().optional(),
  repository: z.object({ full_name: optional }).nullish(),
});
const githubPullRequest = z.object({
  action: text,
  number: pullRequestNumber,
  pull_request: z.object({
    title: text,
    state: optional,
    updated_at: optional,
    base: z.object({ ref: text, repo: z.object({ full_name: text }) }),
    head: z.object({ ref: text, sha: text, repo: z.object({ full_name: text }).nullish() }),
    labels: z.array(z.object({ name: text })).nullish(),
    // An account that was deleted is null.
    user: z.object({ id: idText, login: text }).nullish(),
  }),
});

interface GithubEvents {
  push: string;
  pullRequest: string;
  /** Of a pull request, those that say something of a preview. */
  actions: readonly string[];
}

function readLikeGithub(
  { push, pullRequest, actions }: GithubEvents,
  event: string,
  payload: unknown,
): HookEvent[] {
  if (event === 'ping') return [{ kind: 'ping' }];
  if (event === push) return [pushOfGithub(parsed(githubPush, payload))];
  if (event !== pullRequest) return [{ kind: 'other', name: event }];
  const {
    action,
    number,
    pull_request: { title, state, updated_at: updatedAt, base, head, labels, user },
  } = parsed(githubPullRequest, payload);
  if (!actions.includes(action)) return [{ kind: 'other', name: `${event} ${action}` }];
  return [
    {
      kind: 'pullRequest',
      // A pull request that was merged is labelled, edited and pushed to as well.
      action: action === 'closed' || state === 'closed' ? 'close' : 'open',
      number,
      title,
      baseBranch: base.ref,
      headBranch: head.ref,
      commit: head.sha,
      // A fork that was deleted is null.
      isFork: head.repo?.full_name !== base.repo.full_name,
      labels: (labels ?? []).map(({ name }) => name),
      author: { id: user?.id ?? '', name: user?.login ?? '' },
      repository: base.repo.full_name,
      updatedAt: timeOf(updatedAt),
    },
  ];
}

function pushOfGithub({
  ref,
  after,
  deleted,
  head_commit: head,
  commits,
  total_commits: total,
  repository,
}: z.output<typeof githubPush>): HookEvent {
  const isGone = deleted === true || isZero(after);
  const all = commits ?? [];
  const tellsAll = all.length > 0 && (total === undefined || total <= all.length);
  return pushEvent(ref, {
    commit: isGone ? null : (head?.id ?? after),
    message: head?.message ?? all.at(-1)?.message ?? '',
    changedPaths: tellsAll ? pathsOf(all) : undefined,
    repository: repository?.full_name ?? undefined,
  });
}

/** docs.gitlab.com, Webhook events: push, tag, merge request. */
const gitlabCommit = githubCommit;
const gitlabPush = z.object({
  ref: text,
  after: text,
  checkout_sha: optional,
  message: optional,
  commits: z.array(gitlabCommit).nullish(),
  total_commits_count: z.number().optional(),
  project: z.object({ path_with_namespace: optional }).nullish(),
});
const gitlabMergeRequest = z.object({
  project: z.object({ path_with_namespace: text }),
  labels: z.array(z.object({ title: text })).nullish(),
  object_attributes: z.object({
    iid: pullRequestNumber,
    title: text,
    action: optional,
    state: optional,
    updated_at: optional,
    source_branch: text,
    target_branch: text,
    source_project_id: z.number(),
    target_project_id: z.number(),
    author_id: idText,
    last_commit: z.object({ id: text }),
  }),
});

function readGitlab(event: string, payload: unknown): HookEvent[] {
  if (event === 'Push Hook' || event === 'Tag Push Hook') {
    const {
      ref,
      after,
      checkout_sha: checkout,
      message,
      commits,
      total_commits_count: total,
      project,
    } = parsed(gitlabPush, payload);
    const all = commits ?? [];
    const head = all.find(({ id }) => id === checkout) ?? all.at(-1);
    const tellsAll = all.length > 0 && (total ?? 0) <= all.length;
    return [
      pushEvent(ref, {
        commit: isZero(after) ? null : (checkout ?? after),
        message: head?.message ?? message ?? '',
        changedPaths: tellsAll ? pathsOf(all) : undefined,
        repository: project?.path_with_namespace ?? undefined,
      }),
    ];
  }
  if (event !== 'Merge Request Hook') return [{ kind: 'other', name: event }];
  const { project, labels, object_attributes: request } = parsed(gitlabMergeRequest, payload);
  const action = gitlabActions[request.action ?? ''];
  if (action === undefined) return [{ kind: 'other', name: `${event} ${request.action ?? ''}`.trim() }];
  return [
    {
      kind: 'pullRequest',
      action: request.state === 'merged' || request.state === 'closed' ? 'close' : action,
      number: request.iid,
      title: request.title,
      baseBranch: request.target_branch,
      headBranch: request.source_branch,
      commit: request.last_commit.id,
      isFork: request.source_project_id !== request.target_project_id,
      labels: (labels ?? []).map(({ title }) => title),
      author: { id: request.author_id, name: request.author_id },
      repository: project.path_with_namespace,
      updatedAt: timeOf(request.updated_at),
    },
  ];
}

const gitlabActions: Readonly<Record<string, PullRequestEvent['action']>> = {
  open: 'open',
  reopen: 'open',
  update: 'open',
  close: 'close',
  merge: 'close',
};

/** support.atlassian.com, Event payloads: repo:push, pullrequest:…. */
const bitbucketPush = z.object({
  repository: z.object({ full_name: optional }).nullish(),
  push: z.object({
    changes: z.array(
      z.object({
        new: z
          .object({ type: text, name: text, target: z.object({ hash: text, message: optional }) })
          .nullable(),
        old: z.object({ type: text, name: text }).nullish(),
      }),
    ),
  }),
});
const bitbucketSide = z.object({
  branch: z.object({ name: text }),
  commit: z.object({ hash: text }).nullish(),
  repository: z.object({ full_name: text }).nullish(),
});
const bitbucketPullRequest = z.object({
  repository: z.object({ full_name: text }),
  pullrequest: z.object({
    id: pullRequestNumber,
    title: text,
    state: optional,
    updated_on: optional,
    author: z.object({ uuid: optional, nickname: optional }),
    source: bitbucketSide,
    destination: bitbucketSide,
  }),
});
const bitbucketActions: Readonly<Record<string, PullRequestEvent['action']>> = {
  'pullrequest:created': 'open',
  'pullrequest:updated': 'open',
  'pullrequest:fulfilled': 'close',
  'pullrequest:rejected': 'close',
};

function readBitbucket(event: string, payload: unknown): HookEvent[] {
  if (event === 'diagnostics:ping') return [{ kind: 'ping' }];
  if (event === 'repo:push') {
    const { push, repository } = parsed(bitbucketPush, payload);
    return push.changes.map((change): HookEvent => {
      const side = change.new ?? change.old;
      const isTag = side?.type === 'tag' || side?.type === 'annotated_tag';
      // It tells no paths.
      return pushEvent(`refs/${isTag ? 'tags' : 'heads'}/${side?.name ?? ''}`, {
        commit: change.new?.target.hash ?? null,
        message: change.new?.target.message ?? '',
        changedPaths: undefined,
        repository: repository?.full_name ?? undefined,
      });
    });
  }
  const action = bitbucketActions[event];
  if (action === undefined) return [{ kind: 'other', name: event }];
  const {
    repository,
    pullrequest: { id, title, state, updated_on: updatedOn, author, source, destination },
  } = parsed(bitbucketPullRequest, payload);
  return [
    {
      kind: 'pullRequest',
      action: state === undefined || state === null || state === 'OPEN' ? action : 'close',
      number: id,
      title,
      baseBranch: destination.branch.name,
      headBranch: source.branch.name,
      commit: source.commit?.hash ?? '',
      isFork: source.repository?.full_name !== repository.full_name,
      labels: [],
      author: { id: author.uuid ?? '', name: author.nickname ?? '' },
      repository: repository.full_name,
      updatedAt: timeOf(updatedOn),
    },
  ];
}

/** GitLab also writes `2026-01-02 10:00:00 UTC`. */
function timeOf(given: string | null | undefined): string | undefined {
  const at = Date.parse(given ?? '');
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

function pushEvent(
  ref: string,
  rest: Pick<PushEvent, 'commit' | 'message' | 'changedPaths' | 'repository'>,
): HookEvent {
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? [];
  if (kind === undefined) return { kind: 'other', name: `push of ${ref.slice(0, 100)}` };
  return { kind: 'push', refKind: kind === 'tags' ? 'tag' : 'branch', ref: name, ...rest };
}

function pathsOf(commits: readonly z.output<typeof githubCommit>[]): string[] {
  return [
    ...new Set(
      commits.flatMap(({ added, modified, removed }) => [
        ...(added ?? []),
        ...(modified ?? []),
        ...(removed ?? []),
      ]),
    ),
  ];
}

const isZero = (commit: string): boolean => /^0+$/.test(commit);

function parsed<T>(shape: z.ZodType<T>, payload: unknown): T {
  const result = shape.safeParse(payload);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw badField(issue?.path.join('.') ?? 'payload', 'is not as this git host documents it');
}
