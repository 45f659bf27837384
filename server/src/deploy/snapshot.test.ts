import { expect, it } from 'vitest';
import { readComposeSnapshot, writeComposeSnapshot } from './compose/compose-snapshot.ts';
import { readSnapshot, writeSnapshot } from './snapshot.ts';
import type { ServiceSpec } from '../ports/engine/engine.ts';

const spec: ServiceSpec = {
  name: 'shop',
  image: 'shop:1',
  labels: { 'berth.application': 'a1' },
  release: 'd1',
  env: ['PORT=3000', 'GREETING=a=b'],
  networks: ['berth-e1'],
  aliases: { 'berth-e1': ['web'] },
  container: { user: '1000', ulimits: [{ name: 'nofile', soft: 1, hard: 2 }] },
  replicas: 2,
  limits: { memoryBytes: 1 },
  reservations: {},
  mounts: [{ type: 'tmpfs', source: '', target: '/tmp', sizeBytes: 5, mode: 0o700 }],
  files: [{ path: '/a', content: 'b', uid: '1' }],
  ports: [{ published: 80, target: 3000, protocol: 'tcp', mode: 'ingress' }],
  updateOrder: 'start-first',
  monitorMs: 5,
  stopGracePeriodMs: 10,
  constraints: ['node.id==n'],
  spreadOver: ['node.labels.zone'],
  logging: { driver: 'local', options: { 'max-size': '1m' } },
  sysctls: { 'net.core.somaxconn': '1' },
};
const settings = { env: 'GREETING=a=b' };

it('a release is read as it was written', () => {
  const snapshot = { spec, registryId: 'r1', settings, variables: { env: { GREETING: 'a=b' } }, parts: {} };
  expect(readSnapshot({ settings: writeSnapshot(snapshot) })).toEqual(snapshot);
  expect(readSnapshot({ settings: null })).toBeUndefined();
  const compose = {
    text: null,
    suffix: 'b1',
    services: [
      {
        service: 'web',
        spec,
        imageId: 'sha256:1',
        dependsOn: [{ service: 'db', condition: 'healthy' as const }],
        isOneShot: false,
      },
    ],
    ended: ['setup'],
    previous: { former_web: 4 },
  };
  expect(readComposeSnapshot({ settings: writeComposeSnapshot(compose) })).toEqual(compose);
});

it('the form before forms had numbers gets what it lacks', () => {
  const { mounts: _mounts, files: _files, constraints: _constraints, ...former } = spec;
  expect(readSnapshot({ settings: JSON.stringify({ spec: former, settings }) })).toEqual({
    spec: { ...spec, mounts: [], files: [], constraints: [] },
    registryId: null,
    settings,
    // Its variables stood in the specification alone; PORT is Berth's own there.
    variables: { env: { GREETING: 'a=b' } },
  });
  const services = [{ service: 'web', spec: former, imageId: 'sha256:1', dependsOn: [], isOneShot: false }];
  expect(readComposeSnapshot({ settings: JSON.stringify({ services }) })).toMatchObject({
    text: null,
    ended: [],
    previous: null,
    services: [{ spec: { files: [] } }],
  });
});

it.each([
  [{ form: 3, spec }, 'PRECONDITION_FAILED', /written by a newer Berth \(form 3; this one reads up to 2\)/],
  [{ form: 2, spec: { ...spec, replicas: '2' } }, 'INTERNAL_SERVER_ERROR', /\(spec\.replicas: /],
  [[spec], 'INTERNAL_SERVER_ERROR', /not an object/],
])('what is no release of ours is refused', (stored, code, sentence) => {
  const read = (): unknown => readSnapshot({ settings: JSON.stringify(stored) });
  expect(read).toThrow(expect.objectContaining({ code }));
  expect(read).toThrow(sentence);
});
