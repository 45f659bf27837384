import { expect, it } from 'vitest';
import type { HookEvent } from '../../../domain/git/git-event.ts';
import type { GitProvider } from '../../../domain/git/git-host.ts';
import { providers } from './providers.ts';

const commit = 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7';
const zero = '0'.repeat(40);

/** Payloads as each host documents them, without what is not looked at. */
const rows: [GitProvider, string, unknown, HookEvent[]][] = [
  [
    'gitlab',
    'Push Hook',
    {
      object_kind: 'push',
      ref: 'refs/heads/main',
      before: zero,
      after: commit,
      checkout_sha: commit,
      total_commits_count: 1,
      project: { path_with_namespace: 'acme/web/shop' },
      commits: [{ id: commit, message: 'Fix', added: ['CHANGELOG'], modified: ['app/a.rb'], removed: [] }],
    },
    [
      {
        kind: 'push',
        refKind: 'branch',
        ref: 'main',
        commit,
        message: 'Fix',
        changedPaths: ['CHANGELOG', 'app/a.rb'],
        repository: 'acme/web/shop',
      },
    ],
  ],
  [
    'gitlab',
    'Push Hook',
    {
      ref: 'refs/heads/main',
      after: commit,
      checkout_sha: commit,
      total_commits_count: 40,
      commits: [{ id: commit, message: 'Fix', added: [], modified: ['a'], removed: [] }],
    },
    [{ kind: 'push', refKind: 'branch', ref: 'main', commit, message: 'Fix', changedPaths: undefined }],
  ],
  [
    'gitlab',
    'Tag Push Hook',
    {
      object_kind: 'tag_push',
      ref: 'refs/tags/v1.0.0',
      after: 'f'.repeat(40),
      checkout_sha: commit,
      message: 'First',
      commits: [],
      total_commits_count: 0,
    },
    [{ kind: 'push', refKind: 'tag', ref: 'v1.0.0', commit, message: 'First', changedPaths: undefined }],
  ],
  [
    'gitlab',
    'Push Hook',
    { ref: 'refs/heads/old', after: zero, checkout_sha: null, commits: [], total_commits_count: 0 },
    [{ kind: 'push', refKind: 'branch', ref: 'old', commit: null, message: '', changedPaths: undefined }],
  ],
  [
    'gitlab',
    'Merge Request Hook',
    {
      object_kind: 'merge_request',
      user: { id: 1, username: 'somebody' },
      project: { path_with_namespace: 'acme/web/shop' },
      labels: [{ id: 2, title: 'preview' }],
      object_attributes: {
        id: 99,
        iid: 1,
        title: 'MS-Viewport',
        action: 'open',
        state: 'opened',
        source_branch: 'ms',
        target_branch: 'main',
        source_project_id: 14,
        target_project_id: 14,
        author_id: 51,
        last_commit: { id: commit, message: 'x' },
      },
    },
    [
      {
        kind: 'pullRequest',
        action: 'open',
        number: 1,
        title: 'MS-Viewport',
        baseBranch: 'main',
        headBranch: 'ms',
        commit,
        isFork: false,
        labels: ['preview'],
        author: { id: '51', name: '51' },
        repository: 'acme/web/shop',
      },
    ],
  ],
  [
    'gitlab',
    'Merge Request Hook',
    {
      project: { path_with_namespace: 'acme/shop' },
      object_attributes: {
        iid: 1,
        title: 'x',
        action: 'merge',
        source_branch: 'a',
        target_branch: 'main',
        source_project_id: 1,
        target_project_id: 2,
        author_id: 51,
        last_commit: { id: commit },
      },
    },
    [
      {
        kind: 'pullRequest',
        action: 'close',
        number: 1,
        title: 'x',
        baseBranch: 'main',
        headBranch: 'a',
        commit,
        isFork: true,
        labels: [],
        author: { id: '51', name: '51' },
        repository: 'acme/shop',
      },
    ],
  ],
  ['bitbucket', 'diagnostics:ping', { test: true }, [{ kind: 'ping' }]],
  [
    'bitbucket',
    'repo:push',
    {
      push: {
        changes: [
          {
            new: {
              type: 'branch',
              name: 'main',
              target: { type: 'commit', hash: commit, message: 'new commit message\n' },
            },
            old: { type: 'branch', name: 'main' },
            truncated: false,
          },
          { new: null, old: { type: 'tag', name: 'v1' }, closed: true },
        ],
      },
    },
    [
      {
        kind: 'push',
        refKind: 'branch',
        ref: 'main',
        commit,
        message: 'new commit message\n',
        changedPaths: undefined,
      },
      { kind: 'push', refKind: 'tag', ref: 'v1', commit: null, message: '', changedPaths: undefined },
    ],
  ],
  [
    'bitbucket',
    'pullrequest:fulfilled',
    {
      repository: { full_name: 'acme/shop' },
      pullrequest: {
        id: 1,
        title: 'Title',
        state: 'MERGED',
        author: { uuid: '{9-a}', nickname: 'ada' },
        source: {
          branch: { name: 'branch2' },
          commit: { hash: 'd3022fc0ca3d' },
          repository: { full_name: 'acme/shop' },
        },
        destination: {
          branch: { name: 'main' },
          commit: { hash: 'ce5965ddd289' },
          repository: { full_name: 'acme/shop' },
        },
      },
    },
    [
      {
        kind: 'pullRequest',
        action: 'close',
        number: 1,
        title: 'Title',
        baseBranch: 'main',
        headBranch: 'branch2',
        commit: 'd3022fc0ca3d',
        isFork: false,
        labels: [],
        author: { id: '{9-a}', name: 'ada' },
        repository: 'acme/shop',
      },
    ],
  ],
];

it.each(rows)('%s %s', (provider, event, payload, expected) => {
  expect(providers[provider].read(event, payload)).toEqual(expected);
});
