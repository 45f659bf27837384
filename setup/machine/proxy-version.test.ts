import { expect, test } from 'vitest';
import { faultOfProxy, readVersion } from './proxy-version.ts';

const buildInfo = (go: string): string => `go\tgo${go}\npath\tcaddy\nmod\tcaddy\t(devel)\n`;

test.each([
  ['2.6.2\n', '1.19.8', false],
  ['v2.7.4 h1:abc=\n', '1.21.1', false],
  ['v2.7.5 h1:abc=\n', '1.20.9', false],
  ['v2.7.5 h1:abc=\n', '1.20.10', true],
  ['v2.10.0 h1:abc=\n', '1.24', true],
  ['2.11.2\n', '1.26.1', true],
])('Caddy %s made with Go %s is safe: %s', (version, go, isSafe) => {
  const read = readVersion(version, buildInfo(go));
  if (!read) throw new Error('It was not read.');
  expect(faultOfProxy(read) === undefined).toBe(isSafe);
});

test('a refusal names both versions, and what is no Caddy is told apart', () => {
  expect(faultOfProxy({ caddy: '2.6.2', go: '1.19.8' })).toContain('Caddy 2.6.2 made with Go 1.19.8');
  expect(readVersion('nginx version: 1.25', '')).toBeUndefined();
});
