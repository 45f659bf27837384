import { expect, it } from 'vitest';
import type { HookEvent } from '../../../domain/git/git-event.ts';
import type { GitProvider } from '../../../domain/git/git-host.ts';
import { providers } from './providers.ts';

const commit = 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7';
const zero = '0'.repeat(40);

/** Payloads as each host documents them, without what is not looked at. */
const rows: [GitProvider, string, unknown, HookEvent[]][] = [
  ['github', 'ping', { zen: 'Keep it logically awesome.', hook_id: 1 }, [{ kind: 'ping' }]],
  [
    'github',
    'push',
    {
      ref: 'refs/heads/main',
      before: zero,
      after: commit,
      created: false,
      deleted: false,
      forced: false,
      repository: { full_name: 'acme/shop' },
      commits: [
        {
          id: commit,
          message: 'Fix the door\n\nIt squeaked.',
          added: ['a.ts'],
          removed: ['old.ts'],
          modified: ['web/b.ts'],
        },
      ],
      head_commit: {
        id: commit,
        message: 'Fix the door\n\nIt squeaked.',
        added: [],
        removed: [],
        modified: [],
      },
    },
    [
      {
        kind: 'push',
        refKind: 'branch',
        ref: 'main',
        commit,
        message: 'Fix the door\n\nIt squeaked.',
        changedPaths: ['a.ts', 'web/b.ts', 'old.ts'],
        repository: 'acme/shop',
      },
    ],
  ],
  [
    'github',
    'push',
    {
      ref: 'refs/tags/v1',
      after: 'f'.repeat(40),
      deleted: false,
      commits: [],
      head_commit: { id: commit, message: 'Release' },
    },
    [{ kind: 'push', refKind: 'tag', ref: 'v1', commit, message: 'Release', changedPaths: undefined }],
  ],
  [
    'github',
    'push',
    { ref: 'refs/heads/old', after: zero, deleted: true, commits: [], head_commit: null },
    [{ kind: 'push', refKind: 'branch', ref: 'old', commit: null, message: '', changedPaths: undefined }],
  ],
  [
    'github',
    'pull_request',
    {
      action: 'synchronize',
      number: 12,
      before: zero,
      after: commit,
      pull_request: {
        title: 'Add a door',
        state: 'open',
        merged: false,
        author_association: 'CONTRIBUTOR',
        user: { login: 'ada', id: 9 },
        labels: [{ id: 1, name: 'preview' }],
        head: { ref: 'door', sha: commit, repo: { full_name: 'ada/shop' } },
        base: { ref: 'main', sha: zero, repo: { full_name: 'acme/shop' } },
      },
    },
    [
      {
        kind: 'pullRequest',
        action: 'open',
        number: 12,
        title: 'Add a door',
        baseBranch: 'main',
        headBranch: 'door',
        commit,
        isFork: true,
        labels: ['preview'],
        author: { id: '9', name: 'ada' },
        repository: 'acme/shop',
      },
    ],
  ],
  [
    'github',
    'pull_request',
    {
      action: 'closed',
      number: 12,
      pull_request: {
        title: 'Add a door',
        merged: true,
        user: { login: 'ada', id: 9 },
        labels: [],
        head: { ref: 'door', sha: commit, repo: null },
        base: { ref: 'main', repo: { full_name: 'acme/shop' } },
      },
    },
    [
      {
        kind: 'pullRequest',
        action: 'close',
        number: 12,
        title: 'Add a door',
        baseBranch: 'main',
        headBranch: 'door',
        commit,
        isFork: true,
        labels: [],
        author: { id: '9', name: 'ada' },
        repository: 'acme/shop',
      },
    ],
  ],
  [
    'github',
    'pull_request',
    {
      action: 'assigned',
      number: 1,
      pull_request: {
        title: 'x',
        user: { login: 'a', id: 1 },
        head: { ref: 'x', sha: commit },
        base: { ref: 'main', repo: { full_name: 'acme/shop' } },
      },
    },
    [{ kind: 'other', name: 'pull_request assigned' }],
  ],
  ['github', 'issues', { action: 'opened' }, [{ kind: 'other', name: 'issues' }]],
  [
    'gitea',
    'push',
    {
      ref: 'refs/heads/main',
      before: zero,
      after: commit,
      total_commits: 1,
      commits: [{ id: commit, message: 'Fix', added: [], removed: [], modified: ['a.ts'] }],
      head_commit: { id: commit, message: 'Fix' },
      repository: { full_name: 'acme/shop' },
    },
    [
      {
        kind: 'push',
        refKind: 'branch',
        ref: 'main',
        commit,
        message: 'Fix',
        changedPaths: ['a.ts'],
        repository: 'acme/shop',
      },
    ],
  ],
  [
    'gitea',
    'push',
    {
      ref: 'refs/heads/main',
      after: commit,
      total_commits: 30,
      commits: [{ id: commit, message: 'Fix', added: [], removed: [], modified: ['a.ts'] }],
      head_commit: { id: commit, message: 'Fix' },
    },
    [{ kind: 'push', refKind: 'branch', ref: 'main', commit, message: 'Fix', changedPaths: undefined }],
  ],
  [
    'gitea',
    'pull_request',
    {
      action: 'synchronized',
      number: 3,
      pull_request: {
        id: 5,
        number: 3,
        title: 'Add',
        state: 'open',
        user: { id: 2, login: 'ada' },
        labels: [],
        head: { label: 'door', ref: 'door', sha: commit, repo: { full_name: 'acme/shop' } },
        base: { label: 'main', ref: 'main', repo: { full_name: 'acme/shop' } },
      },
    },
    [
      {
        kind: 'pullRequest',
        action: 'open',
        number: 3,
        title: 'Add',
        baseBranch: 'main',
        headBranch: 'door',
        commit,
        isFork: false,
        labels: [],
        author: { id: '2', name: 'ada' },
        repository: 'acme/shop',
      },
    ],
  ],
];

it.each(rows)('%s %s', (provider, event, payload, expected) => {
  expect(providers[provider].read(event, payload)).toEqual(expected);
});
