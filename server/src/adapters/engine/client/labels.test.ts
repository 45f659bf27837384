import {
  builderSpecLabel,
  builtLabel,
  containerLabel,
  identityLabels,
} from '../../../domain/names/labels.ts';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { overriding, overridingAll, provenLabels, withoutOverrides } from './labels.ts';

it('what an image says of whose it is stands for nothing, and ours stays', () => {
  const ours = { 'berth.managed': 'true', 'berth.application': 'a1', other: '' };
  expect(overriding(ours)).toMatchObject({ ...ours, 'berth.compose': '', 'com.docker.stack.namespace': '' });
  expect(overriding(ours)).not.toHaveProperty('com.docker.swarm.service.name');
  expect(overridingAll('one', ours)).toMatchObject({ ...ours, 'com.docker.swarm.service.name': '' });
  expect(withoutOverrides(overriding(ours))).toEqual(ours);
  expect(withoutOverrides(overridingAll('one', ours))).toEqual({ ...ours, 'berth.container': 'one' });
});

const ofTask = {
  'berth.managed': 'true',
  'berth.application': 'a1',
  'com.docker.swarm.task.id': 't1',
  'com.docker.swarm.task.name': 'shop.1.t1',
};
const program = overridingAll('program', { 'berth.managed': 'true', 'berth.backup-run': 'r1' });
const { 'berth.container': _, ...olderProgram } = program;
const builder = { 'berth.managed': 'true', 'berth.builder': 'o1', 'berth.builder.spec': 'd1' };

it.each([
  ['of a task', '/shop.1.t1', ofTask],
  ['beside services', '/program', program],
  ['that is about to be replaced', '/program-former', program],
  ['from before containers bore their names', '/older', olderProgram],
  ['of a builder from then', '/berth-builder-o1', builder],
])('labels of a container %s are believed', (_kind, name, labels) => {
  expect(provenLabels([name], { ...labels, team: 'web' })).toEqual({
    ...withoutOverrides(labels),
    team: 'web',
  });
});

it.each([
  ['committed from a task', ofTask],
  ['committed from a task, of which the id is left', { 'com.docker.swarm.task.id': 't1' }],
  ['committed from a program', program],
  ['that Berth built', { 'berth.managed': 'true', 'berth.application': 'a1', 'berth.deployment': 'd1' }],
  ['built elsewhere with labels of Berth', { 'berth.managed': 'true', 'berth.installation': 'ours' }],
])('labels of an image %s make its containers nobody’s', (_kind, labels) => {
  expect(provenLabels(['/by-hand'], { ...labels, team: 'web' })).toEqual({ team: 'web' });
});

it('every label of ours is named once, and overridden but for those that no image makes true', () => {
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
  const overridden = new Set([...identityLabels, builderSpecLabel, containerLabel, builtLabel]);
  expect(named.filter(({ label }) => !overridden.has(label))).toEqual([]);
});
