import { describe, expect, it } from 'vitest';
import type { GitProvider } from '../../domain/git-host.ts';
import type { HookEvent } from '../../domain/git-event.ts';
import { providerOfDelivery, providers } from './providers.ts';

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
    [{ kind: 'push', refKind: 'branch', ref: 'main', commit, message: 'Fix', changedPaths: ['a.ts'] }],
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

describe('what payloads tell', () => {
  it.each(rows)('%s %s', (provider, event, payload, expected) => {
    expect(providers[provider].read(event, payload)).toEqual(expected);
  });

  it.each([
    ['github', 'push'],
    ['github', 'pull_request'],
    ['gitea', 'push'],
    ['gitlab', 'Push Hook'],
    ['gitlab', 'Merge Request Hook'],
    ['bitbucket', 'repo:push'],
    ['bitbucket', 'pullrequest:created'],
  ] as const)('%s %s of another form is refused', (provider, event) => {
    for (const payload of [null, [], 'text', { ref: 7 }, { push: {} }])
      expect(() => providers[provider].read(event, payload)).toThrow('is not as this git host documents it');
  });
});

it('a delivery is recognised by its event header, Gitea before GitHub, whose header it sends too', () => {
  const body = Buffer.alloc(0);
  const of = (headers: Record<string, string>) => providerOfDelivery({ headers, body, ip: '' });
  expect(of({ 'x-github-event': 'push', 'x-gitea-event': 'push' })).toBe('gitea');
  expect(of({ 'x-github-event': 'push' })).toBe('github');
  expect(of({ 'x-gitlab-event': 'Push Hook' })).toBe('gitlab');
  expect(of({ 'x-event-key': 'repo:push' })).toBe('bitbucket');
  expect(of({})).toBeUndefined();
});

describe('signatures', () => {
  const body = Buffer.from('Hello, World!');
  // docs.github.com, Validating webhook deliveries: the documented values.
  const secret = "It's a Secret to Everybody";
  const hex = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  const isSigned = (provider: GitProvider, headers: Record<string, string>, with_ = secret): boolean =>
    providers[provider].isSigned({ headers, body, ip: '' }, with_);
  it.each([
    ['github', 'x-hub-signature-256', `sha256=${hex}`],
    ['gitea', 'x-gitea-signature', hex],
    ['gitea', 'x-hub-signature-256', `sha256=${hex}`],
    ['bitbucket', 'x-hub-signature', `sha256=${hex}`],
    ['gitlab', 'x-gitlab-token', secret],
  ] as const)('%s in %s', (provider, header, value) => {
    expect(isSigned(provider, { [header]: value })).toBe(true);
    expect(isSigned(provider, { [header]: `${value.slice(0, -1)}0` })).toBe(false);
    expect(isSigned(provider, { [header]: '' })).toBe(false);
    expect(isSigned(provider, {})).toBe(false);
    expect(isSigned(provider, { [header]: value }, 'another')).toBe(false);
  });
});
