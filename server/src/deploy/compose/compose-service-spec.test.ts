import { expect, test } from 'vitest';
import { composeRef } from '../../domain/names/service-ref.ts';
import { translate } from '../../modules/compose/translation/translate.ts';
import { dangersOfPlan, dangersOfSpec } from '../../modules/host-reach/dangers.ts';
import { builtServiceImage } from '../images/image-name.ts';
import { composeServiceSpec, type ComposeSpecInputs, type KnownMount } from './compose-service-spec.ts';
import { newestDefaults } from '../../ports/engine/spec-defaults.ts';

const compose = {
  composeId: 'c1',
  organizationId: 'o1',
  appName: 'shop',
  composeType: 'compose' as const,
  randomize: false,
  restoredVolumes: {},
  suffix: '',
};
const placement = {
  organizationId: 'o1',
  projectId: 'p1',
  environmentId: 'e1',
  projectName: 'Shop',
  environmentName: 'production',
};

function specOf(fields: string, change: Partial<ComposeSpecInputs> = {}) {
  const text = `services:\n  web: {image: "nginx:1", ${fields}}\nvolumes: {data: }\n`;
  const [service] = translate({
    text,
    field: 'composeFile',
    folder: undefined,
    variables: {},
    blocks: { project: '', environment: '', service: '' },
  }).services;
  if (!service) throw new Error('no service');
  const mounts = service.mounts.filter(
    (mount): mount is Exclude<typeof mount, { type: 'own' }> => mount.type !== 'own',
  ) satisfies KnownMount[];
  return composeServiceSpec({
    compose,
    placement,
    service,
    deploymentId: 'd1',
    image: 'nginx:1',
    imageHasHealthCheck: false,
    imageVolumes: [],
    formerMounts: [],
    env: { A: 'b' },
    networks: { own: 'app-c1', environment: 'berth-e1' },
    domains: [],
    mounts,
    recordMounts: [],
    files: [],
    ports: service.ports,
    nodeId: 'n1',
    probePath: '/srv/busybox',
    ...change,
  });
}

test('a plain service becomes this', () => {
  expect(specOf('environment: {A: b}')).toEqual({
    notes: [],
    spec: {
      name: 'shop_web',
      image: 'nginx:1',
      release: 'd1',
      defaults: newestDefaults,
      env: ['A=b'],
      command: undefined,
      args: undefined,
      networks: ['app-c1', 'berth-e1'],
      aliases: { 'app-c1': ['web'] },
      container: { init: false },
      restart: 'on-failure',
      replicas: 1,
      limits: {},
      reservations: {},
      labels: {
        'com.docker.compose.project': 'shop',
        'com.docker.compose.service': 'web',
        'berth.managed': 'true',
        'berth.organization': 'o1',
        'berth.project': 'p1',
        'berth.environment': 'e1',
        'berth.compose': 'c1',
        'berth.service': 'web',
      },
      mounts: [{ type: 'bind', source: '/srv/busybox', target: '/.berth/busybox', readOnly: true }],
      files: [],
      ports: [],
      healthCheck: expect.objectContaining({ intervalMs: 5000, startIntervalMs: 5000 }),
      updateOrder: 'start-first',
      updatePace: undefined,
      monitorMs: 1500,
      restartDelayMs: undefined,
      stopGracePeriodMs: 10_000,
      constraints: [],
      maxReplicasPerNode: undefined,
      logging: undefined,
      sysctls: {},
    },
  });
});

test('of a stack it bears the other label', () => {
  const { labels } = specOf('', { compose: { ...compose, composeType: 'stack' } }).spec;
  expect(labels).toMatchObject({ 'com.docker.stack.namespace': 'shop' });
  expect(Object.keys(labels)).not.toContain('com.docker.compose.project');
});

test('a volume is named by the compose, pins the service to its server and replaces it stop-first', () => {
  const { spec, notes } = specOf('volumes: [data:/data], deploy: {update_config: {order: start-first}}');
  expect(spec).toMatchObject({ updateOrder: 'stop-first', constraints: ['node.id==n1'] });
  expect(spec.mounts[0]).toEqual({
    type: 'volume',
    source: 'berth-c1-data',
    target: '/data',
    readOnly: false,
    labels: { 'berth.managed': 'true', 'berth.organization': 'o1', 'berth.compose': 'c1' },
  });
  expect(notes).toEqual([expect.stringContaining('the old version stops before the new one starts')]);
});

test("what comes with the repository pins it, and is each version's own", () => {
  expect(
    specOf('', { mounts: [{ type: 'copy', path: '/kept/x', target: '/x', readOnly: false }] }).spec,
  ).toMatchObject({
    updateOrder: 'start-first',
    constraints: ['node.id==n1'],
    mounts: [{ type: 'bind', source: '/kept/x', target: '/x' }, {}],
  });
});

test('the suffix stands behind the names in the engine; the service answers to both', () => {
  const { spec } = specOf('volumes: [data:/data]', {
    compose: { ...compose, randomize: true, restoredVolumes: {}, suffix: 'b1' },
  });
  expect(spec).toMatchObject({
    name: 'shop_web-b1',
    aliases: { 'app-c1': ['web', 'web-b1'] },
    mounts: [{ source: 'berth-c1-data-b1' }, {}],
  });
});

test('mounts of the record come to every service, but where its file puts something', () => {
  const mount = {
    isSecret: false,
    mountId: 'm',
    organizationId: 'o1',
    type: 'file' as const,
    hostPath: null,
    approval: null,
    volumeName: null,
    filePath: 'a.conf',
    content: 'text',
    mountPath: '/etc/a.conf',
    serviceType: 'compose',
    applicationId: null,
    createdAt: '',
    databaseId: null,
    composeId: 'c1',
  };
  expect(specOf('', { recordMounts: [mount] }).spec.files).toEqual([
    { path: '/etc/a.conf', content: 'text' },
  ]);
  expect(
    specOf('', { recordMounts: [mount], files: [{ path: '/etc/a.conf', content: 'own' }] }).spec.files,
  ).toEqual([{ path: '/etc/a.conf', content: 'own' }]);
});

test.each([
  ['its own check', 'healthcheck: {test: ["CMD", "x"]}', expect.objectContaining({ test: ['CMD', 'x'] })],
  ["the image's", '', undefined],
  ['none, when it runs to its end', 'deploy: {mode: replicated-job}', undefined],
])('a release is judged by %s', (_, fields, check) => {
  expect(specOf(fields, { imageHasHealthCheck: true }).spec.healthCheck).toEqual(check);
});

test.each([
  ['nginx:1', 'image: "nginx:1", volumes: ["/etc:/x:ro", "/opt:/y", "data:/z"], user: root'],
  [`nginx@sha256:${'0'.repeat(64)}`, 'image: "nginx:1", cap_add: [SYS_ADMIN], command: sh -c x'],
  [builtServiceImage('c1', 'web', 'd1'), 'build: ., volumes: ["other:/o:ro", "other:/p"], entrypoint: [a]'],
  ['nginx:1', 'image: "nginx:1", shm_size: 2g, ulimits: {nice: 40}, logging: {options: {max-size: 1g}}'],
])('a release of %s has the dangers that its file has, as it is stored, too', (image, fields) => {
  const plan = translate({
    text: `services:\n  web: {${fields}}\nvolumes: {data: , other: {external: true}}\n`,
    field: 'composeFile',
    folder: '',
    variables: {},
    blocks: { project: '', environment: '', service: '' },
  });
  const dangers = dangersOfPlan(plan);
  expect(dangers.length).toBeGreaterThan(0);
  const own = { probePath: '/srv/busybox', keptFolder: '/srv/composes' };
  for (const service of plan.services) {
    const mounts = service.mounts.filter((mount) => mount.type !== 'own');
    const { spec } = specOf('', { service, image, mounts, ports: service.ports });
    const stored: typeof spec = JSON.parse(JSON.stringify(spec));
    for (const one of [spec, stored]) expect(dangersOfSpec(one, composeRef('c1'), own)).toEqual(dangers);
  }
});

test('only ports that domains lead to have to listen, and the first published one without a domain', () => {
  const published = 'ports: ["3000:3000", "3001-3009:3001-3009", "53:53/udp"]';
  const script = (change: Partial<ComposeSpecInputs> = {}): string =>
    specOf(published, change).spec.healthCheck?.test[4] ?? '';
  expect(script()).toContain('for port in 0BB8; do');
  const domain = (port: number) => ({ port }) as unknown as ComposeSpecInputs['domains'][number];
  expect(script({ domains: [domain(80), domain(3005)] })).toContain('for port in 0050 0BBD; do');
});

test("a check that is turned off stands for five seconds of running, whatever the image's is", () => {
  const { spec } = specOf('ports: ["90:80"], healthcheck: {disable: true}', { imageHasHealthCheck: true });
  const check = spec.healthCheck;
  expect(spec.monitorMs).toBe(1500);
  expect(check).toMatchObject({ intervalMs: 5000 });
  expect(check?.test[4]).not.toContain('listens');
});
