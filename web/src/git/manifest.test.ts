import { expect, it } from 'vitest';
import { manifestOf, newAppAddress, randomLetters } from './manifest.ts';

it('leads back to this Berth, and asks for no more than is used', () => {
  const manifest = manifestOf('https://berth.example.com', 'x1y2');
  expect(manifest.name).toBe('Berth berth.example.com x1y2');
  // GitHub takes at most 34 letters.
  expect(manifestOf('https://a-very-long-name-of-a-host.example.com', 'x1y2').name.length).toBeLessThan(35);
  expect(manifest.hook_attributes.url).toBe('https://berth.example.com/api/deploy/github');
  expect([manifest.redirect_url, manifest.setup_url]).toEqual(
    Array(2).fill('https://berth.example.com/connect-github'),
  );
  expect(Object.entries(manifest.default_permissions).filter(([, right]) => right === 'write')).toHaveLength(
    3,
  );
});

it('is posted for an account or an organization', () => {
  expect(newAppAddress('', 's&t')).toBe('https://github.com/settings/apps/new?state=s%26t');
  expect(newAppAddress('a/b', 's')).toBe('https://github.com/organizations/a%2Fb/settings/apps/new?state=s');
});

it('makes letters that differ', () => {
  expect(randomLetters(20)).toMatch(/^[a-z0-9]{20}$/);
  expect(randomLetters(20)).not.toBe(randomLetters(20));
});
