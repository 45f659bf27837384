/** The engine in memory refuses a thing without the id, and every creation of the product passes it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { containerSpec } from '../../server/src/adapters/build-engine/container-spec.ts';
import { ownedLabels } from '../../server/src/adapters/engine/services/ownership.ts';
import { unlabelled } from './owned-creations.ts';

const post = (path: string, body: Record<string, unknown>) =>
  ({ method: 'POST', path, body, doing: 'making' }) as const;
const ours = { 'berth.managed': 'true', 'berth.installation': 'one' };

test('a creation without the id is refused, wherever it lacks', () => {
  expect(unlabelled(post('/networks/create', { Labels: ours }), 'one')).toEqual([]);
  expect(unlabelled(post('/networks/create', { Labels: ours }), 'two')).toEqual(['Labels']);
  expect(unlabelled(post('/configs/create', {}), 'one')).toEqual(['Labels']);
  const mount = { Type: 'volume', Source: 'v' };
  const service = { Labels: ours, TaskTemplate: { ContainerSpec: { Labels: {}, Mounts: [mount] } } };
  expect(unlabelled(post('/services/create', service), 'one')).toEqual([
    'labels of its containers',
    'labels of the volume v',
  ]);
  expect(unlabelled(post('/containers/create', { HostConfig: { Mounts: [mount] } }), 'one')).toHaveLength(2);
});

test('a builder and its cache bear it', () => {
  const walls = { never: [], open: [], closed: [], host: [], hostPorts: [] };
  const container = { name: 'b', organizationId: 'o1', image: 'berth/builder', hostFolder: '/run', walls };
  const body = containerSpec({ installation: 'one' }, container);
  expect(unlabelled(post('/containers/create', body), 'one')).toEqual([]);
  const { Labels: labels } = body;
  // Builders that stand already have this digest, and an upgrade must not make them anew.
  expect(containerSpec({ installation: 'two' }, container)).toMatchObject({
    Labels: { 'berth.builder.spec': Reflect.get(Object(labels), 'berth.builder.spec') },
  });
});

test('nothing is labelled for an installation that has no id', () => {
  expect(() => ownedLabels({ installation: '' })).toThrow('without the id');
});

/** Files that create something on an engine; a new one belongs here and under the guard above. */
test('these files of the product create things on engines, and no other', () => {
  const root = join(import.meta.dirname, '../../server/src');
  const found = globSync('**/*.ts', { cwd: root })
    .filter((name) => !name.endsWith('.test.ts'))
    .filter((name) =>
      /path: (?:'\/(?:services|networks|volumes|containers|configs|secrets)|`\/\$\{store\})\/create/.test(
        readFileSync(join(root, name), 'utf8'),
      ),
    );
  expect(found.toSorted()).toEqual([
    'adapters/build-engine/builder-container.ts',
    'adapters/engine/exec/program.ts',
    'adapters/engine/exec/run-task.ts',
    'adapters/engine/exec/standing-container.ts',
    'adapters/engine/files.ts',
    'adapters/engine/networks/network-creation.ts',
    'adapters/engine/services/services.ts',
  ]);
});
