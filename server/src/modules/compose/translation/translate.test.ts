import { describe, expect, test } from 'vitest';
import type { PlannedService } from './plan.ts';
import { translate, type Translated } from './translate.ts';

const blocks = { project: 'TEAM=blue', environment: 'REGION=north', service: 'VERSION=2\nEMPTY=' };
function read(text: string, folder?: string): Translated {
  return translate({ text, field: 'composeFile', folder, variables: { VERSION: '2', EMPTY: '' }, blocks });
}
const web = (fields: string, rest = ''): string =>
  `services:\n  web:\n    image: nginx:1\n${fields
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n${rest}`;
const one = (fields: string, rest = ''): PlannedService | undefined =>
  read(web(fields, rest)).plan.services[0];
const plain = {
  name: 'web',
  image: 'nginx:1',
  build: undefined,
  pull: 'always',
  entrypoint: undefined,
  command: undefined,
  envFiles: [],
  environment: [],
  dependsOn: [],
  healthCheck: undefined,
  isOneShot: false,
  replicas: 1,
  limits: {},
  reservations: {},
  ports: [],
  mounts: [],
  files: [],
  labels: {},
  aliases: [],
  container: {},
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
    ['healthcheck: {disable: true}', { healthCheck: 'probe' }],
    ['healthcheck: {test: ["NONE"]}', { healthCheck: 'probe' }],
    [
      'deploy: {replicas: 3, resources: {limits: {cpus: "0.5", memory: 64M, pids: 10}, reservations: {cpus: 0.25, memory: 32m}}}',
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
      'deploy: {update_config: {order: start-first, parallelism: 2, delay: 3s, monitor: 10s}, placement: {constraints: ["node.role==manager"], preferences: [{spread: node.labels.zone}], max_replicas_per_node: 1}, restart_policy: {delay: 5s}, labels: {a: b}}',
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
      'volumes: ["/srv/a/:/a:ro", "./b:/b", {type: tmpfs, target: /c, tmpfs: {size: 1m}}, {type: bind, source: ./d, target: /d, read_only: true}]',
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
            target: '/var/lib/data',
            readOnly: false,
          },
        ],
      },
    ],
    [
      'hostname: box\nuser: "1000:1000"\nworking_dir: /app\ninit: false\nread_only: true\ntty: true\nstdin_open: yes\nstop_signal: SIGINT\ngroup_add: [dialout]',
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
      'cap_add: [net_admin, CAP_SYS_PTRACE]\ncap_drop: [ALL]\nulimits: {nofile: {soft: 1, hard: 2}, nproc: 3}',
      {
        container: {
          capabilitiesAdded: ['CAP_NET_ADMIN', 'CAP_SYS_PTRACE'],
          capabilitiesDropped: ['ALL'],
          ulimits: [
            { name: 'nofile', soft: 1, hard: 2 },
            { name: 'nproc', soft: 3, hard: 3 },
          ],
        },
      },
    ],
    [
      'extra_hosts: ["a.example.com:203.0.113.7", "b=203.0.113.8"]\ndns: 203.0.113.9\ndns_search: [example.com]',
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
    ['restart: always', {}],
    ['restart: "no"', { isOneShot: true }],
    ['restart: no', { isOneShot: true }],
    [
      'restart: "no"\nports: ["8080:80"]',
      { isOneShot: false, ports: [{ published: 8080, target: 80, protocol: 'tcp', mode: 'ingress' }] },
    ],
    ['deploy: {restart_policy: {condition: none}}', { isOneShot: true }],
    ['restart: on-failure:3', {}],
    ['networks: {default: {aliases: [other]}}', { aliases: ['other'] }],
    ['network_mode: bridge\nprivileged: false\ndevices: []', {}],
    ['x-mine: {a: 1}', {}],
  ])('%s', (fields, changed) => expect(one(fields)).toEqual({ ...plain, ...changed }));

  test('what the file defines besides', () => {
    const rest =
      'volumes: {data: , there: {external: true}, named: {name: exact}}\nconfigs: {c: {content: "v${VERSION}"}, f: {file: ./f}}\nsecrets: {s: {environment: TOKEN}}\n';
    expect(
      one(
        'volumes: [data:/a, there:/b, named:/c:ro]\nconfigs: [c, {source: f, target: /etc/f, mode: 0440, uid: 5}]\nsecrets: [s]',
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
        .plan.services[0]?.build,
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
    expect(read('services: {web: {build: .}}', '').plan.services[0]?.build).toMatchObject({
      context: '',
      dockerfile: 'Dockerfile',
    });
  });
});

describe('services among each other', () => {
  const names = (text: string): string[] => read(text).plan.services.map(({ name }) => name);

  test('stand after those they depend on, by each form', () => {
    const text =
      'services:\n  a: {image: x, depends_on: [b]}\n  b: {image: x, depends_on: {c: {condition: service_completed_successfully}, d: {condition: service_healthy}, gone: {condition: service_started, required: false}}}\n  c: {image: x}\n  d: {image: x}\n  e: {image: x, links: [a]}\n';
    expect(names(text)).toEqual(['c', 'd', 'b', 'a', 'e']);
    expect(read(text).plan.services.map(({ isOneShot }) => isOneShot)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(read(text).plan.services[2]?.dependsOn).toEqual([
      { service: 'c', condition: 'completed' },
      { service: 'd', condition: 'healthy' },
    ]);
  });

  test('take over what they extend, anchors and profiles in force', () => {
    const text =
      'x-base: &base {image: "y:1", environment: {A: a}}\nservices:\n  base: {image: "x:1", environment: {A: a, B: b}, command: one, ports: ["1:1"], depends_on: [c]}\n  a: {extends: base, environment: {B: c}, command: two, ports: ["2:2"]}\n  c: {<<: *base, profiles: [debug]}\n';
    expect(() => names(text)).toThrow(/services\.base\.depends_on names c, which is not deployed/);
    const without = text.replace(', depends_on: [c]', '');
    expect(names(without)).toEqual(['base', 'a']);
    expect(read(without).plan.services[1]).toMatchObject({
      image: 'x:1',
      environment: [
        ['A', 'a'],
        ['B', 'c'],
      ],
      command: ['two'],
      ports: [{ published: 1 }, { published: 2 }],
    });
    expect(read(without).plan.notes).toEqual([
      'Left out by their profiles: c. COMPOSE_PROFILES in the variables chooses profiles.',
    ]);
    expect(
      translate({
        text: without,
        field: 'f',
        folder: undefined,
        variables: { COMPOSE_PROFILES: 'debug' },
        blocks,
      }).plan.services.map(({ name }) => name),
    ).toEqual(['base', 'a', 'c']);
  });

  test.each([
    ['services: {a: {image: x, depends_on: [b]}, b: {image: x, depends_on: [a]}}', /circle: a → b → a/],
    ['services: {a: {image: x, depends_on: [b]}}', /names b/],
    ['services: {a: {extends: a, image: x}}', /circle/],
    ['services: {a: {extends: b}}', /services\.b is extended/],
    ['services: {a: {extends: {file: b.yml, service: x}}}', /another file/],
    [
      'services: {a: {image: x, depends_on: {b: {condition: service_healthy}}}, c: {image: x, depends_on: {b: {condition: service_completed_successfully}}}, b: {image: x}}',
      /both stay healthy and run to its end/,
    ],
    ['services: {}', /no service/],
    ['services: {a: {image: x, profiles: [p]}}', /no service/],
  ])('%s is refused', (text, sentence) => expect(() => read(text)).toThrow(sentence));
});

describe('what cannot be done is refused with service and key', () => {
  test.each([
    ['privileged: true', 'privileged is not possible in a swarm'],
    ['devices: ["/dev/a:/dev/a"]', 'devices'],
    ['network_mode: host', 'network_mode would join it to the server itself'],
    ['network_mode: service:db', 'network_mode'],
    ['pid: host', 'pid'],
    ['ipc: host', 'ipc'],
    ['uts: host', 'uts'],
    ['userns_mode: host', 'userns_mode'],
    ['cgroup_parent: /x', 'cgroup_parent'],
    ['security_opt: [seccomp=unconfined]', 'security_opt'],
    ['volumes_from: [db]', 'volumes_from'],
    ['external_links: [x]', 'external_links'],
    ['runtime: x', 'runtime'],
    ['gpus: all', 'gpus'],
    ['mac_address: "02:42:ac:11:00:02"', 'mac_address'],
    ['credential_spec: {file: x}', 'credential_spec'],
    ['provider: {type: x}', 'provider'],
    ['post_start: [{command: x}]', 'post_start'],
    ['unheard_of: 1', 'unheard_of is no key'],
    ['deploy: {mode: global}', 'deploy.mode'],
    ['deploy: {unheard_of: 1}', 'deploy.unheard_of'],
    [
      'deploy: {resources: {reservations: {devices: [{capabilities: [gpu]}]}}}',
      'deploy.resources.reservations.devices',
    ],
    [
      'deploy: {resources: {limits: {memory: 64m}, reservations: {memory: 65m}}}',
      'deploy.resources.reservations',
    ],
    ['ports: ["127.0.0.1:80:80"]', 'ports.0 publishes on the address 127.0.0.1 alone'],
    ['ports: ["80:81:82"]', 'ports.0'],
    ['ports: ["0:80"]', 'ports.0'],
    ['ports: ["70000:80"]', 'ports.0'],
    ['ports: ["80-90:80"]', 'ports.0'],
    ['ports: ["a"]', 'ports.0'],
    ['volumes: [data:/a]', 'volumes.0 names the volume data'],
    ['volumes: ["~/a:/a"]', 'volumes.0'],
    ['volumes: ["./a:a"]', 'volumes.0'],
    ['volumes: ["./a:/proc/x"]', 'volumes.0'],
    [
      'volumes: [{type: bind, source: /a, target: /a, bind: {propagation: shared}}]',
      'volumes.0.bind.propagation',
    ],
    ['networks: [other]', 'networks.other is a network that the file does not define'],
    ['networks: {default: {ipv4_address: 10.0.0.5}}', 'networks.default.ipv4_address'],
    ['links: ["db:other"]', 'links'],
    ['build: .', 'build needs a repository'],
    ['sysctls: {kernel.panic: 1}', 'sysctls.kernel.panic'],
    ['extra_hosts: ["a:host-gateway"]', 'extra_hosts.a'],
    ['restart: sometimes', 'restart'],
    ['healthcheck: {test: [curl]}', 'healthcheck.test'],
    ['healthcheck: {test: x, interval: soon}', 'healthcheck.interval'],
    ['labels: {berth.organization: x}', 'reserved'],
    ['image: "Not An Image"', 'image'],
    ['secrets: [none]', 'secrets.0 names none'],
    ['hostname: "a b"', 'hostname'],
    ['ulimits: {other: 1}', 'ulimits.other'],
    ['depends_on: {a: {condition: done}}', 'depends_on.a.condition'],
  ])('%s', (fields, what) => {
    const text = fields.startsWith('image') ? web('').replace('image: nginx:1', fields) : web(fields);
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining(what) }),
    );
    expect(() => read(text)).toThrow(/services\.web/);
  });

  test.each([
    ['include: [other.yml]', 'include'],
    ['networks: {n: {external: true}}', 'networks.n.external'],
    ['networks: {n: {driver: macvlan}}', 'networks.n.driver'],
    ['volumes: {v: {driver: other}}', 'volumes.v.driver'],
    ['volumes: {v: {driver_opts: {type: nfs}}}', 'volumes.v.driver_opts'],
    ['secrets: {s: {external: true}}', 'secrets.s'],
    ['models: {}', 'models'],
  ])('%s', (rest, what) => expect(() => read(web('', rest))).toThrow(what));

  test('a build that leaves the repository, or comes from elsewhere', () => {
    for (const context of ['../..', '/etc', 'https://example.com/a.git', 'git@example.com:a.git'])
      expect(() => read(`services: {web: {build: "${context}"}}`, 'deploy')).toThrow(
        /services\.web\.build\.context/,
      );
    for (const key of [
      'network: host',
      'secrets: [s]',
      'ssh: [default]',
      'additional_contexts: {a: b}',
      'privileged: true',
    ])
      expect(() => read(`services: {web: {build: {context: ., ${key}}}}`, '')).toThrow(
        /not possible with Berth/,
      );
  });
});

test('what has no effect is told', () => {
  expect(
    read(
      web(
        'container_name: x\nplatform: linux/amd64\ncpu_shares: 5\nrestart: on-failure\nimage2: x'.replace(
          '\nimage2: x',
          '',
        ),
        'networks: {a: , b: }\n',
      ),
    ).plan.notes,
  ).toEqual([
    'networks: all services of the file stand in one network of this compose; the networks that the file tells apart are not made.',
    'services.web.container_name has no effect: containers are named by the engine; the service answers under its own name.',
    'services.web.platform has no effect: the image is taken for this server.',
    'services.web.cpu_shares has no effect: use deploy.resources.',
    'services.web is restarted whenever it ends, on success too.',
  ]);
  expect(read(web('environment: {A: "$MISSING"}')).plan.notes).toEqual([
    'The variable MISSING (in services.web.environment.A) is not set; it stands for an empty text.',
  ]);
});

test('risks are those of the file as its variables make it', () => {
  const text = web('volumes: ["${DIR}:/a"]');
  const risky = (DIR: string): string[] =>
    translate({ text, field: 'composePath', folder: '', variables: { DIR }, blocks }).risks.map(
      ({ where }) => where,
    );
  expect(risky('./inside')).toEqual([]);
  expect(risky('/etc')).toEqual(['services.web.volumes']);
});
