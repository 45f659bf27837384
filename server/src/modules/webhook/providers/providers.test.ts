import { describe, expect, it } from 'vitest';
import type { GitProvider } from '../../../domain/git/git-host.ts';
import { providerOfDelivery, providers } from './providers.ts';
import { refuseUnsupported } from './unsupported.ts';

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

it.each(['github', 'gitea'] as const)('%s: the number of a pull request is a whole one', (provider) => {
  const side = {
    ref: 'main',
    sha: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7',
    repo: { full_name: 'acme/shop' },
  };
  const read = (number: unknown) =>
    providers[provider].read('pull_request', {
      action: 'opened',
      number,
      pull_request: { title: 'Change', base: side, head: side },
    });
  expect(read(7)).toMatchObject([{ kind: 'pullRequest', number: 7 }]);
  for (const number of [0, -1, 1.5, 1e300, '7']) expect(() => read(number)).toThrow('number');
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

it('a secret of GitLab in UTF-8 fits its header, whose bytes Node reads as Latin-1', () => {
  const secret = 'schlüssel-🔑';
  const header = Buffer.from(secret, 'utf8').toString('latin1');
  const body = Buffer.alloc(0);
  const isSigned = (value: string): boolean =>
    providers.gitlab.isSigned({ headers: { 'x-gitlab-token': value }, body, ip: '' }, secret);
  expect(isSigned(header)).toBe(true);
  expect(isSigned('schlüssel')).toBe(false);
});

describe('the state of a pull request decides, whatever its event is called', () => {
  const side = { ref: 'main', sha: 'a'.repeat(40), repo: { full_name: 'acme/shop' } };
  const github = (action: string, state: string) => ({
    action,
    number: 6,
    pull_request: {
      title: 't',
      state,
      updated_at: '2026-01-02T10:00:00Z',
      base: side,
      head: side,
      user: null,
    },
  });
  const gitlab = (action: string, state: string) => ({
    project: { path_with_namespace: 'acme/shop' },
    object_attributes: {
      iid: 6,
      title: 't',
      action,
      state,
      updated_at: '2026-01-02 10:00:00 UTC',
      source_branch: 'x',
      target_branch: 'main',
      source_project_id: 1,
      target_project_id: 1,
      author_id: 9,
      last_commit: { id: 'a'.repeat(40) },
    },
  });
  const bitbucketSide = {
    branch: { name: 'main' },
    commit: { hash: 'aaaa' },
    repository: { full_name: 'acme/shop' },
  };
  const bitbucket = (state: string) => ({
    repository: { full_name: 'acme/shop' },
    pullrequest: {
      id: 6,
      title: 't',
      state,
      updated_on: '2026-01-02T10:00:00.000000+00:00',
      author: {},
      source: bitbucketSide,
      destination: bitbucketSide,
    },
  });
  it.each([
    ['github', 'pull_request', github('labeled', 'closed'), 'close'],
    ['github', 'pull_request', github('edited', 'closed'), 'close'],
    ['github', 'pull_request', github('synchronize', 'open'), 'open'],
    ['github', 'pull_request', github('closed', 'closed'), 'close'],
    ['gitea', 'pull_request', github('label_updated', 'closed'), 'close'],
    ['gitlab', 'Merge Request Hook', gitlab('update', 'merged'), 'close'],
    ['gitlab', 'Merge Request Hook', gitlab('update', 'closed'), 'close'],
    ['gitlab', 'Merge Request Hook', gitlab('update', 'opened'), 'open'],
    ['bitbucket', 'pullrequest:updated', bitbucket('MERGED'), 'close'],
    ['bitbucket', 'pullrequest:updated', bitbucket('OPEN'), 'open'],
  ] as const)('%s %s %#', (provider, event, payload, action) => {
    expect(providers[provider].read(event, payload)).toMatchObject([
      { action, updatedAt: '2026-01-02T10:00:00.000Z' },
    ]);
  });
});

it.each([
  ['Gogs', { 'x-gogs-event': 'push' }],
  ['Gitee', { 'x-gitee-event': 'Push Hook' }],
  ['Bitbucket Data Center', { 'x-event-key': 'repo:refs_changed' }],
  ['Bitbucket Data Center', { 'x-event-key': 'pr:opened' }],
])('%s is refused by its name', (name, headers) => {
  const delivery = { headers, body: Buffer.alloc(0), ip: '' };
  expect(() => refuseUnsupported(delivery)).toThrow(`Berth does not read the webhooks of ${name}`);
  expect(() =>
    refuseUnsupported({ ...delivery, headers: { ...headers, 'x-gitea-event': 'push' } }),
  ).not.toThrow();
});
