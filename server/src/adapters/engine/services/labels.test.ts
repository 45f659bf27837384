import { builderSpecLabel, identityLabels } from '../../../domain/names/labels.ts';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { overriding, overridingAll, withoutOverrides } from './labels.ts';

it('what an image says of whose it is stands for nothing, and ours stays', () => {
  const ours = { 'berth.managed': 'true', 'berth.application': 'a1', other: '' };
  expect(overriding(ours)).toMatchObject({ ...ours, 'berth.compose': '', 'com.docker.stack.namespace': '' });
  expect(overriding(ours)).not.toHaveProperty('com.docker.swarm.service.name');
  expect(overridingAll(ours)).toMatchObject({ ...ours, 'com.docker.swarm.service.name': '' });
  expect(withoutOverrides(overriding(ours))).toEqual(ours);
  expect(withoutOverrides(overridingAll(ours))).toEqual(ours);
});

it('every label of ours is named once, and overridden but for the one that only builders have', () => {
  const root = join(import.meta.dirname, '../../../');
  const named = globSync('**/*.ts', { cwd: root })
    .filter((name) => !name.endsWith('.test.ts'))
    .flatMap((name) =>
      readFileSync(join(root, name), 'utf8')
        .split('\n')
        .filter((line) => /label/i.test(line) || name.endsWith('names/service-ref.ts'))
        .flatMap((line) => [...line.matchAll(/'(berth\.[a-z.-]+)'/g)])
        .map(([, label = '']) => ({ name, label })),
    );
  const homes = new Set(['domain/names/labels.ts', 'domain/names/service-ref.ts']);
  expect(named.filter(({ name }) => !homes.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(15);
  expect(named.map(({ label }) => label).toSorted()).toEqual(
    [...new Set(named.map(({ label }) => label))].toSorted(),
  );
  const overridden = new Set([...identityLabels, builderSpecLabel]);
  expect(named.filter(({ label }) => !overridden.has(label))).toEqual([]);
});
