import { overriding } from '../client/labels.ts';
import { expect, test } from 'vitest';
import type { ServiceSpec } from '../../../ports/engine/engine.ts';
import { usualPids } from '../../../domain/resources/resources.ts';
import { specDefaults } from '../../../ports/engine/spec-defaults.ts';
import { configName, generationOf, specDigest, toDockerSpec } from './service-spec.ts';

const plain: ServiceSpec = {
  name: 'shop',
  image: 'registry.test/shop:1',
  labels: { 'berth.application': 'a1' },
  env: ['KEY=a b"$(x)'],
  networks: ['berth-e1'],
  replicas: 2,
  limits: {},
  reservations: {},
  mounts: [],
  files: [],
  ports: [],
  updateOrder: 'start-first',
  monitorMs: 5_000,
  stopGracePeriodMs: 10_000,
  constraints: [],
};

const owner = { installation: 'one' };

const context = {
  owner,
  image: 'registry.test/shop:1@sha256:abc',
  configIds: new Map<string, string>(),
  restarts: 3,
};

test('a plain specification becomes this', () => {
  expect(toDockerSpec({ ...plain, release: 'd1' }, context)).toEqual({
    Name: 'shop',
    Labels: {
      'berth.application': 'a1',
      'berth.image': 'registry.test/shop:1',
      'berth.release': 'd1',
      'berth.managed': 'true',
      'berth.installation': 'one',
    },
    TaskTemplate: {
      ContainerSpec: {
        Image: 'registry.test/shop:1@sha256:abc',
        Labels: overriding({
          'berth.application': 'a1',
          'berth.image': 'registry.test/shop:1',
          'berth.release': 'd1',
          'berth.managed': 'true',
          'berth.installation': 'one',
          'berth.spec': specDigest({ ...plain, release: 'd1' }),
        }),
        Env: ['KEY=a b"$(x)'],
        Init: true,
        StopGracePeriod: 10_000_000_000,
        Mounts: [],
        Configs: [],
        Sysctls: { 'net.ipv4.ip_forward': '0' },
      },
      Resources: { Limits: {}, Reservations: {} },
      RestartPolicy: { Condition: 'any', Delay: 1_000_000_000, MaxAttempts: 0 },
      Placement: { Constraints: [] },
      Networks: [{ Target: 'berth-e1' }],
      LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '3' } },
      ForceUpdate: 3,
    },
    Mode: { Replicated: { Replicas: 2 } },
    UpdateConfig: {
      Parallelism: 1,
      Delay: 0,
      Order: 'start-first',
      FailureAction: 'rollback',
      Monitor: 5_000_000_000,
      MaxFailureRatio: 0,
    },
    RollbackConfig: {
      Parallelism: 1,
      Delay: 0,
      Order: 'start-first',
      FailureAction: 'pause',
      Monitor: 2_000_000_000,
      MaxFailureRatio: 0,
    },
    EndpointSpec: { Mode: 'dnsrr', Ports: [] },
  });
});

test('every optional part has its place', () => {
  const file = { path: '/etc/app.conf', content: 'x=1\n' };
  const full: ServiceSpec = {
    ...plain,
    command: ['node'],
    args: ['main.js'],
    limits: { memoryBytes: 128, nanoCpus: 500 },
    reservations: { memoryBytes: 64, nanoCpus: 250 },
    mounts: [
      { type: 'volume', source: 'berth-v1', target: '/data', labels: { 'berth.application': 'a1' } },
      { type: 'bind', source: '/usr/bin/busybox', target: '/.berth/busybox', readOnly: true },
    ],
    files: [file],
    ports: [{ published: 5432, target: 5432, protocol: 'tcp', mode: 'host' }],
    healthCheck: {
      test: ['CMD', 'true'],
      intervalMs: 1_000,
      timeoutMs: 2_000,
      retries: 3,
      startPeriodMs: 4_000,
    },
    updateOrder: 'stop-first',
    constraints: ['node.id==n1'],
    sysctls: { 'net.core.somaxconn': '1024' },
  };
  const configIds = new Map([[configName(file.content, owner), 'c1']]);
  const {
    TaskTemplate: template,
    EndpointSpec: endpoint,
    UpdateConfig: update,
  } = toDockerSpec(full, { ...context, configIds });
  expect(template.ContainerSpec).toMatchObject({
    Command: ['node'],
    Args: ['main.js'],
    Healthcheck: {
      Test: ['CMD', 'true'],
      Interval: 1_000_000_000,
      Timeout: 2_000_000_000,
      Retries: 3,
      StartPeriod: 4_000_000_000,
    },
    Mounts: [
      {
        Type: 'volume',
        Source: 'berth-v1',
        Target: '/data',
        ReadOnly: false,
        VolumeOptions: {
          Labels: { 'berth.application': 'a1', 'berth.managed': 'true', 'berth.installation': 'one' },
        },
      },
      { Type: 'bind', Source: '/usr/bin/busybox', Target: '/.berth/busybox', ReadOnly: true },
    ],
    Configs: [
      {
        File: { Name: '/etc/app.conf', UID: '0', GID: '0', Mode: 0o444 },
        ConfigID: 'c1',
        ConfigName: configName(file.content, owner),
      },
    ],
    Sysctls: { 'net.ipv4.ip_forward': '0', 'net.core.somaxconn': '1024' },
  });
  expect(template.Resources).toEqual({
    Limits: { MemoryBytes: 128, NanoCPUs: 500 },
    Reservations: { MemoryBytes: 64, NanoCPUs: 250 },
  });
  expect(template.Placement).toEqual({ Constraints: ['node.id==n1'] });
  expect(endpoint).toEqual({
    Mode: 'dnsrr',
    Ports: [{ Protocol: 'tcp', TargetPort: 5432, PublishedPort: 5432, PublishMode: 'host' }],
  });
  expect(update.Order).toBe('stop-first');
});

test('a port of the routing mesh needs a virtual address', () => {
  const ports: ServiceSpec['ports'] = [{ published: 80, target: 80, protocol: 'tcp', mode: 'ingress' }];
  expect(toDockerSpec({ ...plain, ports }, context).EndpointSpec.Mode).toBe('vip');
});

test('a mount cannot name itself managed away', () => {
  const mounts: ServiceSpec['mounts'] = [
    { type: 'volume', source: 'v', target: '/v', labels: { 'berth.managed': 'false' } },
  ];
  const { Mounts: made } = toDockerSpec({ ...plain, mounts }, context).TaskTemplate.ContainerSpec;
  expect(made).toMatchObject([{ VolumeOptions: { Labels: { 'berth.managed': 'true' } } }]);
});

test('what the engine would read as a template stays text', () => {
  const spec: ServiceSpec = {
    ...plain,
    env: ['A={{.Node.ID}}', 'B={{{ x }}'],
    mounts: [{ type: 'bind', source: '/srv/{{"x"}}', target: '/{{y' }],
  };
  const { Env: env, Mounts: mounts } = toDockerSpec(spec, context).TaskTemplate.ContainerSpec;
  expect(env).toEqual(['A={{"{{"}}.Node.ID}}', 'B={{"{{"}}{ x }}']);
  expect(mounts).toMatchObject([{ Source: '/srv/{{"{{"}}"x"}}', Target: '/{{"{{"}}y' }]);
});

/**
 * Services that run bear these digests. One that changes here restarts all of them at the next upgrade: add a
 * row to `specDefaults` instead, which only later releases are made with.
 */
test('what an earlier version released has the digest it was released with', () => {
  expect(specDigest(plain)).toBe('beeaa5a87dbbe85d');
  const full: ServiceSpec = {
    ...plain,
    release: 'd1',
    mounts: [{ type: 'volume', source: 'berth-v1', target: '/data', labels: { 'berth.application': 'a1' } }],
    files: [{ path: '/etc/app.conf', content: 'x=1\n' }],
    limits: { memoryBytes: 128, nanoCpus: 500 },
  };
  expect(specDigest(full)).toBe('6a3b88c94bad4f43');
  expect(specDefaults.map((_, defaults) => specDigest({ ...full, defaults }))).toEqual([
    '6a3b88c94bad4f43',
    '5bbe1866be25efa0',
  ]);
  expect(toDockerSpec({ ...plain, defaults: 1 }, context).TaskTemplate.Resources.Limits).toEqual({
    Pids: usualPids,
  });
  const named = { ...plain, defaults: 1, limits: { pids: 7 } };
  expect(toDockerSpec(named, context).TaskTemplate.Resources.Limits).toEqual({ Pids: 7 });
});

test('the digest follows what tasks are made of, and nothing else', () => {
  const digest = specDigest(plain);
  const same: Partial<ServiceSpec>[] = [
    { replicas: 5 },
    { monitorMs: 1 },
    { updateOrder: 'stop-first' },
    { ports: [{ published: 1, target: 1, protocol: 'udp', mode: 'host' }] },
  ];
  for (const change of same) expect(specDigest({ ...plain, ...change })).toBe(digest);
  const other: Partial<ServiceSpec>[] = [
    { env: [] },
    { image: 'x' },
    { release: 'd2' },
    { files: [{ path: '/a', content: 'b' }] },
    { networks: [] },
    { labels: {} },
  ];
  for (const change of other) expect(specDigest({ ...plain, ...change })).not.toBe(digest);
  expect(digest).toMatch(/^[0-9a-f]{16}$/);
});

test('a generation is a digest and a count of restarts', () => {
  expect(generationOf({ 'berth.spec': 'abc' }, 2)).toBe('abc.2');
  expect(generationOf({}, 0)).toBe('.0');
});

test('a secret is one of the engine; a specification without any has the digest of before', () => {
  const file = { path: '/run/secrets/pw', content: 's3cret', isSecret: true as const };
  const name = configName(file.content, owner);
  const spec = { ...plain, files: [file] };
  const { TaskTemplate: template } = toDockerSpec(spec, {
    ...context,
    configIds: new Map([[`secrets/${name}`, 's1']]),
  });
  expect(template.ContainerSpec).toMatchObject({
    Configs: [],
    Secrets: [
      {
        File: { Name: '/run/secrets/pw', UID: '0', GID: '0', Mode: 0o444 },
        SecretID: 's1',
        SecretName: name,
      },
    ],
  });
  expect(toDockerSpec(plain, context).TaskTemplate.ContainerSpec).not.toHaveProperty('Secrets');
  const { isSecret: _isSecret, ...open } = file;
  expect(specDigest(spec)).not.toBe(specDigest({ ...spec, files: [open] }));
});
