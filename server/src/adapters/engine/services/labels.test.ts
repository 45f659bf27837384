import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { identityLabels, overriding, overridingAll, withoutOverrides } from './labels.ts';

it('what an image says of whose it is stands for nothing, and ours stays', () => {
  const ours = { 'berth.managed': 'true', 'berth.application': 'a1', other: '' };
  expect(overriding(ours)).toMatchObject({ ...ours, 'berth.compose': '', 'com.docker.stack.namespace': '' });
  expect(overriding(ours)).not.toHaveProperty('com.docker.swarm.service.name');
  expect(overridingAll(ours)).toMatchObject({ ...ours, 'com.docker.swarm.service.name': '' });
  expect(withoutOverrides(overriding(ours))).toEqual(ours);
  expect(withoutOverrides(overridingAll(ours))).toEqual(ours);
});

it('every label of ours that the program names is overridden', () => {
  const root = join(import.meta.dirname, '../../../');
  const sources = globSync('**/*.ts', { cwd: root })
    .filter((name) => !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(root, name), 'utf8'));
  const named = sources.flatMap((text) => [
    ...[...text.matchAll(/\[?'(berth\.[a-z-]+)'\]?:/g)].map(([, label]) => label),
    ...[...text.matchAll(/[lL]abel\w*\s*(?:=|\[)\s*'(berth\.[a-z-]+)'/g)].map(([, label]) => label),
  ]);
  expect(named.length).toBeGreaterThan(15);
  expect([...new Set(named)].filter((label) => !identityLabels.includes(label ?? ''))).toEqual([]);
});
