import { describe, expect, test } from 'vitest';
import type { Hosts } from '../../ports/host/host.ts';
import { checkDeployable, checkPatch } from './checks.ts';
import { newApplication } from './defaults.ts';

const stored = {
  ...newApplication({
    applicationId: 'a1',
    organizationId: 'o1',
    environmentId: 'e1',
    name: 'Shop',
    appName: 'shop',
    description: '',
    refreshToken: 't',
    createdAt: '2026-01-01T00:00:00.000Z',
  }),
  sourceType: 'container' as const,
  containerImage: 'registry.example.com/team/shop:1',
  username: 'ci',
  password: 'of registry.example.com',
};

describe('the password of a registry', () => {
  test.each([
    [{ containerImage: 'evil.example.com/team/shop:1' }, 'registry.example.com', 'evil.example.com'],
    [
      { containerImage: 'registry.example.com:8443/team/shop' },
      'registry.example.com',
      'registry.example.com:8443',
    ],
    [{ containerImage: 'shop:1' }, 'registry.example.com', 'docker.io'],
    // The engine sends it to the image's registry, whatever registryUrl says.
    [
      { containerImage: 'evil.example.com/x', registryUrl: 'https://registry.example.com' },
      'registry.example.com',
      'evil.example.com',
    ],
    [{ registryUrl: 'evil.example.com' }, 'registry.example.com', 'evil.example.com'],
  ])('%j asks for it again, naming both hosts', (patch, before, after) => {
    expect(() => checkPatch(patch, stored)).toThrow(
      new RegExp(`^password: is required with another registry: .*${before}.*${after}`),
    );
    for (const password of ['anew', null]) checkPatch({ ...patch, password }, stored);
    checkPatch(patch, { ...stored, password: null });
  });

  test.each([
    { containerImage: 'registry.example.com/team/shop:2' },
    { containerImage: 'Registry.Example.com/team/shop:1' },
    { registryUrl: 'https://registry.example.com/v2/' },
    { username: 'other' },
  ])('%j keeps it', (patch) => {
    checkPatch(patch, stored);
    expect(stored.password).toBe('of registry.example.com');
  });
});

test('an application without a source is told all ways to one, and no git host by name', async () => {
  const application = newApplication({ name: 'web' } as never);
  const refusal = await checkDeployable(application, {} as Hosts).catch((error: Error) => error.message);
  expect(refusal).toMatch(/saveGitProvider.*saveContainerProvider.*dropDeployment/);
  expect(refusal).not.toMatch(/github/i);
});
