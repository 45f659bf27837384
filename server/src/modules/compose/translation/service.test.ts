import { describe, expect, test } from 'vitest';
import { read, web } from '../../../../../test/compose-file.ts';
import type { PlannedService } from './plan.ts';

const one = (fields: string, rest = ''): PlannedService | undefined => read(web(fields, rest)).services[0];
const plain = {
  name: 'web',
  image: 'nginx:1',
  build: undefined,
  pull: 'missing',
  entrypoint: undefined,
  command: undefined,
  envFiles: [],
  environment: [],
  dependsOn: [],
  healthCheck: undefined,
  isOneShot: false,
  retries: 0,
  mayEnd: true,
  replicas: 1,
  limits: {},
  reservations: {},
  ports: [],
  mounts: [],
  files: [],
  labels: {},
  aliases: [],
  container: { init: false },
  sysctls: {},
  logging: undefined,
  stopGracePeriodMs: undefined,
  updateOrder: undefined,
  updatePace: undefined,
  monitorMs: undefined,
  restartDelayMs: undefined,
  constraints: [],
  spreadOver: [],
  maxReplicasPerNode: undefined,
};

describe('a service becomes', () => {
  test('this, when it has an image and nothing else', () => expect(one('')).toEqual(plain));

  test.each<[string, Partial<Record<keyof PlannedService, unknown>>]>([
    ['command: node "a b" c', { command: ['node', 'a b', 'c'] }],
    ['command: ["node", "a b"]', { command: ['node', 'a b'] }],
    ['entrypoint: /start --now', { entrypoint: ['/start', '--now'] }],
    [
      'environment: {A: 1, B: true, C: , D: "x"}',
      {
        environment: [
          ['A', '1'],
          ['B', 'true'],
          ['C', null],
          ['D', 'x'],
        ],
      },
    ],
    [
      'environment: [A=1, B, "C=a=b"]',
      {
        environment: [
          ['A', '1'],
          ['B', null],
          ['C', 'a=b'],
        ],
      },
    ],
    [
      'environment: {V: "v${VERSION}", T: "${{project.TEAM}}-${{environment.REGION}}"}',
      {
        environment: [
          ['V', 'v2'],
          ['T', 'blue-north'],
        ],
      },
    ],
    ['env_file: .env', { envFiles: [{ path: '.env', required: true }] }],
    ['env_file: [{path: a.env, required: false}]', { envFiles: [{ path: 'a.env', required: false }] }],
    [
      'ports: ["8080:80", "53:53/udp", "0.0.0.0:90:91"]',
      {
        ports: [
          { published: 8080, target: 80, protocol: 'tcp', mode: 'ingress' },
          { published: 53, target: 53, protocol: 'udp', mode: 'ingress' },
          { published: 90, target: 91, protocol: 'tcp', mode: 'ingress' },
        ],
      },
    ],
    [
      'ports: ["9000-9001:80-81"]',
      {
        ports: [
          { published: 9000, target: 80, protocol: 'tcp', mode: 'ingress' },
          { published: 9001, target: 81, protocol: 'tcp', mode: 'ingress' },
        ],
      },
    ],
    [
      'ports: [{target: 80, published: "8080", mode: host}]',
      { ports: [{ published: 8080, target: 80, protocol: 'tcp', mode: 'host' }] },
    ],
    ['ports: [80]', { ports: [] }],
    ['ports: [":8099:80"]', { ports: [{ published: 8099, target: 80, protocol: 'tcp', mode: 'ingress' }] }],
    ['hostname: my_host', { container: { hostname: 'my_host' } }],
    ['hostname: ""', {}],
    [
      'extra_hosts: ["host.docker.internal:host-gateway"]',
      { container: { hosts: [{ name: 'host.docker.internal', address: 'host-gateway' }] } },
    ],
    ['deploy: {restart_policy: {condition: always}}', { mayEnd: false }],
    ['deploy: {restart_policy: {condition: unless-stopped}}', { mayEnd: false }],
    ['expose: ["80"]', {}],
    [
      'healthcheck: {test: ["CMD", "true"], interval: 1m30s, timeout: 500ms, retries: 5, start_period: 2}',
      {
        healthCheck: {
          test: ['CMD', 'true'],
          intervalMs: 90_000,
          timeoutMs: 500,
          retries: 5,
          startPeriodMs: 2000,
        },
      },
    ],
    [
      'healthcheck: {test: curl -f http://localhost}',
      {
        healthCheck: {
          test: ['CMD-SHELL', 'curl -f http://localhost'],
          intervalMs: 30_000,
          timeoutMs: 30_000,
          retries: 3,
          startPeriodMs: 0,
        },
      },
    ],
    [
      'healthcheck: {test: x, interval: 1ms, timeout: 1ms, start_interval: 5ms}',
      {
        healthCheck: {
          test: ['CMD-SHELL', 'x'],
          intervalMs: 1000,
          timeoutMs: 1,
          retries: 3,
          startPeriodMs: 0,
          startIntervalMs: 1000,
        },
      },
    ],
    ['healthcheck: {disable: true}', { healthCheck: 'disabled' }],
    ['healthcheck: {test: ["NONE"]}', { healthCheck: 'disabled' }],
    [
      'deploy: {replicas: 3, resources: {limits: {cpus: "0.5", memory: 64M, pids: 10}, reservations: ' +
        '{cpus: 0.25, memory: 32m}}}',
      {
        replicas: 3,
        limits: { memoryBytes: 67_108_864, nanoCpus: 5e8, pids: 10 },
        reservations: { memoryBytes: 33_554_432, nanoCpus: 2.5e8 },
      },
    ],
    [
      'scale: 2\nmem_limit: 1g\ncpus: 1.5\npids_limit: 5\nmem_reservation: 512m',
      {
        replicas: 2,
        limits: { memoryBytes: 1_073_741_824, nanoCpus: 15e8, pids: 5 },
        reservations: { memoryBytes: 536_870_912 },
      },
    ],
    [
      'deploy: {update_config: {order: start-first, parallelism: 2, delay: 3s, monitor: 10s}, ' +
        'placement: {constraints: ["node.role==manager"], preferences: [{spread: node.labels.zone}], ' +
        'max_replicas_per_node: 1}, restart_policy: {delay: 5s}, labels: {a: b}}',
      {
        updateOrder: 'start-first',
        updatePace: { parallelism: 2, delayMs: 3000 },
        monitorMs: 10_000,
        constraints: ['node.role==manager'],
        spreadOver: ['node.labels.zone'],
        maxReplicasPerNode: 1,
        restartDelayMs: 5000,
        labels: { a: 'b' },
      },
    ],
    ['labels: [a=b, c]', { labels: { a: 'b', c: '' } }],
    ['stop_grace_period: 1m', { stopGracePeriodMs: 60_000 }],
    ['pull_policy: if_not_present', { pull: 'missing' }],
    ['pull_policy: never', { pull: 'never' }],
    [
      'tmpfs: ["/run:size=64m,mode=1770"]',
      { mounts: [{ type: 'tmpfs', target: '/run', readOnly: false, sizeBytes: 67_108_864, mode: 0o1770 }] },
    ],
    [
      'shm_size: 1g',
      {
        mounts: [
          { type: 'tmpfs', target: '/dev/shm', readOnly: false, sizeBytes: 1_073_741_824, mode: 0o1777 },
        ],
      },
    ],
    [
      'volumes: ["/srv/a/:/a:ro", "./b:/b", {type: tmpfs, target: /c, tmpfs: {size: 1m}}, {type: bind, ' +
        'source: ./d, target: /d, read_only: true}]',
      {
        mounts: [
          { type: 'bind', path: '/srv/a', target: '/a', readOnly: true },
          { type: 'own', path: './b', target: '/b', readOnly: false },
          { type: 'tmpfs', target: '/c', readOnly: false, sizeBytes: 1_048_576, mode: undefined },
          { type: 'own', path: './d', target: '/d', readOnly: true },
        ],
      },
    ],
    [
      'volumes: [/var/lib/data]',
      {
        mounts: [
          {
            type: 'volume',
            name: expect.stringMatching(/^path-var-lib-data-[0-9a-f]{8}$/),
            isForeign: false,
            isUnnamed: true,
            target: '/var/lib/data',
            readOnly: false,
          },
        ],
      },
    ],
    [
      'hostname: box\nuser: "1000:1000"\nworking_dir: /app\ninit: false\nread_only: true\ntty: ' +
        'true\nstdin_open: yes\nstop_signal: SIGINT\ngroup_add: [dialout]',
      {
        container: {
          hostname: 'box',
          user: '1000:1000',
          workingDirectory: '/app',
          init: false,
          readOnly: true,
          tty: true,
          stdinOpen: true,
          stopSignal: 'SIGINT',
          groups: ['dialout'],
        },
      },
    ],
    [
      'cap_add: [net_admin, CAP_SYS_PTRACE]\ncap_drop: [ALL]\nulimits: {nofile: {soft: 1, hard: 2}, ' +
        'nproc: 3}',
      {
        container: {
          capabilitiesAdded: ['CAP_NET_ADMIN', 'CAP_SYS_PTRACE'],
          capabilitiesDropped: ['ALL'],
          ulimits: [
            { name: 'nofile', soft: 1, hard: 2 },
            { name: 'nproc', soft: 3, hard: 3 },
          ],
        },
        sysctls: { 'net.ipv4.ip_forward': '1' },
      },
    ],
    [
      'extra_hosts: ["a.example.com:203.0.113.7", "b=203.0.113.8"]\ndns: 203.0.113.9\ndns_search: ' +
        '[example.com]',
      {
        container: {
          hosts: [
            { name: 'a.example.com', address: '203.0.113.7' },
            { name: 'b', address: '203.0.113.8' },
          ],
          dns: { servers: ['203.0.113.9'], search: ['example.com'], options: [] },
        },
      },
    ],
    ['sysctls: {net.core.somaxconn: 1024}', { sysctls: { 'net.core.somaxconn': '1024' } }],
    [
      'logging: {driver: local, options: {max-size: 1m}}',
      { logging: { driver: 'local', options: { 'max-size': '1m', 'max-file': '3' } } },
    ],
    ['restart: always', { mayEnd: false }],
    ['restart: unless-stopped', { mayEnd: false }],
    ['restart: "no"', { monitorMs: 60_000 }],
    ['restart: no', { monitorMs: 60_000 }],
    ['healthcheck: {test: true}', { mayEnd: false, healthCheck: expect.anything() }],
    ['ports: ["127.0.0.1:80:80"]', { mayEnd: false }],
    ['deploy: {restart_policy: {condition: on-failure, max_attempts: 3}}', {}],
    ['deploy: {restart_policy: {condition: any}}\nrestart: "no"', { mayEnd: false }],
    [
      'restart: "no"\nports: ["8080:80"]',
      { mayEnd: false, ports: [{ published: 8080, target: 80, protocol: 'tcp', mode: 'ingress' }] },
    ],
    ['deploy: {restart_policy: {condition: none}}', { monitorMs: 60_000 }],
    ['restart: on-failure:3', {}],
    ['networks: {default: {aliases: [other]}}', { aliases: ['other'] }],
    ['network_mode: bridge\nprivileged: false\ndevices: []', {}],
    ['x-mine: {a: 1}', {}],
  ])('%s', (fields, changed) =>
    expect(one(fields)).toEqual({
      ...plain,
      // A server has ports, or a check.
      mayEnd: changed.ports === undefined && typeof changed.healthCheck !== 'object',
      ...changed,
      container: { ...plain.container, ...Object(changed.container) },
    }),
  );

  test('what the file defines besides', () => {
    const rest =
      'volumes: {data: , there: {external: true}, named: {name: exact}}\nconfigs: {c: {content: ' +
      '"v${VERSION}"}, f: {file: ./f}}\nsecrets: {s: {environment: TOKEN}}\n';
    expect(
      one(
        'volumes: [data:/a, there:/b, named:/c:ro]\nconfigs: [c, {source: f, target: /etc/f, mode: ' +
          '0440, uid: 5}]\nsecrets: [s]',
        rest,
      ),
    ).toMatchObject({
      mounts: [
        { type: 'volume', name: 'data', isForeign: false, target: '/a' },
        { type: 'volume', name: 'there', isForeign: true, target: '/b' },
        { type: 'volume', name: 'exact', isForeign: true, target: '/c', readOnly: true },
      ],
      files: [
        { source: { from: 'content', content: 'v2' }, target: '/c' },
        { source: { from: 'file', path: './f' }, target: '/etc/f', uid: '5' },
        { source: { from: 'variable', name: 'TOKEN' }, target: '/run/secrets/s' },
      ],
    });
  });

  test('a build below the repository', () => {
    expect(
      read('services: {web: {build: {context: ../app, dockerfile: D, target: t, args: [A=1, B]}}}', 'deploy')
        .services[0]?.build,
    ).toEqual({
      context: 'app',
      dockerfile: 'D',
      inline: undefined,
      target: 't',
      arguments: [
        ['A', '1'],
        ['B', null],
      ],
      noCache: false,
    });
    expect(read('services: {web: {build: .}}', '').services[0]?.build).toMatchObject({
      context: '',
      dockerfile: 'Dockerfile',
    });
  });
});
