import { describe, expect, it } from 'vitest';
import type { GitProvider } from '../../../domain/git/git-host.ts';
import { providerOfDelivery, providers } from './providers.ts';

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
