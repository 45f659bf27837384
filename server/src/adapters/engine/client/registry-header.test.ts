import { expect, test } from 'vitest';
import { Secret } from '../../../domain/secrets/secret.ts';
import { registryHeader } from './registry-header.ts';

test.each([0, 1, 2, 3, 4, 5])('padded and URL-safe, with a password of %i more characters', (more) => {
  const password = `>>>???ÿ~${'x'.repeat(more)}`;
  const header = registryHeader({
    username: 'u',
    password: new Secret(password),
    serverAddress: 'r.example',
  });
  expect(header).toMatch(/^[A-Za-z0-9_-]+={0,2}$/);
  expect(header.length % 4).toBe(0);
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
    username: 'u',
    password,
    serveraddress: 'r.example',
  });
});
