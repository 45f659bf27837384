import { describe, expect, test } from 'vitest';
import { blocks, read, web } from '../../../../../test/compose-file.ts';
import { translate } from './translate.ts';

describe('services among each other', () => {
  const names = (text: string): string[] => read(text).services.map(({ name }) => name);

  test('stand after those they depend on, by each form', () => {
    const text =
      'services:\n  a: {image: x, depends_on: [b]}\n  b: {image: x, depends_on: {c: {condition: ' +
      'service_completed_successfully}, d: {condition: service_healthy}, gone: {condition: ' +
      'service_started, required: false}}}\n  c: {image: x}\n  d: {image: x}\n  e: {image: x, links: ' +
      '[a]}\n';
    expect(names(text)).toEqual(['c', 'd', 'b', 'a', 'e']);
    expect(read(text).services.map(({ isOneShot }) => isOneShot)).toEqual([true, false, false, false, false]);
    expect(read(text).services[2]?.dependsOn).toEqual([
      { service: 'c', condition: 'completed' },
      { service: 'd', condition: 'healthy' },
    ]);
  });

  test('take over what they extend, anchors and profiles in force', () => {
    const text =
      'x-base: &base {image: "y:1", environment: {A: a}}\nservices:\n  base: {image: "x:1", ' +
      'environment: {A: a, B: b}, command: one, ports: ["1:1"], depends_on: [c]}\n  a: {extends: base, ' +
      'environment: {B: c}, command: two, ports: ["2:2"]}\n  c: {<<: *base, profiles: [debug]}\n';
    expect(() => names(text)).toThrow(/services\.base\.depends_on names c, which is not deployed/);
    const without = text.replace(', depends_on: [c]', '');
    expect(names(without)).toEqual(['base', 'a']);
    expect(read(without).services[1]).toMatchObject({
      image: 'x:1',
      environment: [
        ['A', 'a'],
        ['B', 'c'],
      ],
      command: ['two'],
      ports: [{ published: 1 }, { published: 2 }],
    });
    expect(read(without).notes).toEqual([
      'Left out by their profiles: c. COMPOSE_PROFILES in the variables chooses profiles.',
    ]);
    expect(
      translate({
        text: without,
        field: 'f',
        folder: undefined,
        variables: { COMPOSE_PROFILES: 'debug' },
        blocks,
      }).services.map(({ name }) => name),
    ).toEqual(['base', 'a', 'c']);
  });

  test.each([
    ['services: {a: {image: x, depends_on: [b]}, b: {image: x, depends_on: [a]}}', /circular: a → b → a/],
    ['services: {a: {image: x, depends_on: [b]}}', /names b/],
    ['services: {a: {extends: a, image: x}}', /circular/],
    ['services: {a: {extends: b}}', /services\.b is extended/],
    ['services: {a: {extends: {file: b.yml, service: x}}}', /names the file b\.yml, which is not there/],
    [
      'services: {a: {image: x, depends_on: {b: {condition: service_healthy}}}, c: {image: x, ' +
        'depends_on: {b: {condition: service_completed_successfully}}}, b: {image: x}}',
      /both stay healthy and run to completion/,
    ],
    ['services: {}', /no service/],
    ['services: {a: {image: x, profiles: [p]}}', /no service/],
  ])('%s is refused', (text, sentence) => expect(() => read(text)).toThrow(sentence));
});

test('what has no effect is told', () => {
  expect(
    read(
      web(
        'platform: linux/amd64\ncpu_shares: 5\nrestart: on-failure\nimage2: x'.replace('\nimage2: x', ''),
        'networks: {a: , b: }\n',
      ),
    ).notes,
  ).toEqual([
    'networks: all services of the file share one network of this compose service; the separate networks ' +
      'in the file are not created.',
    'services.web.platform has no effect: the image is taken for this server.',
    'services.web.cpu_shares has no effect: use deploy.resources.',
  ]);
  expect(read(web('environment: {A: "$MISSING"}')).notes).toEqual([
    'The variable MISSING (in services.web.environment.A) is not set; it is replaced by an empty text.',
  ]);
});

test.each([
  [
    'ports: ["127.0.0.1:8000:8000", "[::1]:9000-9001:9000-9001", ' +
      '{target: 5, published: 6, host_ip: 127.0.0.1}]',
    [
      'services.web.ports: 8000 on the loopback address is not published. To reach web from outside, give ' +
        'it a domain with port 8000; the other services reach it anyway.',
      expect.stringContaining('services.web.ports: 9000 on the loopback address'),
      expect.stringContaining('services.web.ports: 9001 on the loopback address'),
      expect.stringContaining('services.web.ports: 6 on the loopback address'),
    ],
  ],
  [
    'labels: ["traefik.enable=true", "traefik.http.routers.s.rule=Host(`a.example`) || Host(`b.example`)", ' +
      'traefik.http.services.s.loadbalancer.server.port=3000]',
    ['a.example', 'b.example'].map((host) => expect.stringContaining(`the domain ${host} with port 3000`)),
  ],
  [
    'labels: {caddy: "a.example, https://b.example", caddy.reverse_proxy: "{{upstreams 8080}}"}',
    ['a.example', 'b.example'].map((host) => expect.stringContaining(`the domain ${host} with port 8080`)),
  ],
  ['labels: {traefik.enable: "false"}', []],
  ['labels: {traefik.docker.network: x}', [expect.stringContaining('give web a domain')]],
])('%s is told with the domain that stands for it', (fields, notes) => {
  const plan = read(web(fields));
  expect(plan.notes).toEqual(notes);
  expect(plan.services[0]?.ports).toEqual([]);
});

test('a network that was made elsewhere is the environment', () => {
  const plan = read(web('networks: [proxy]', 'networks: {proxy: {external: true, name: dokploy-network}}'));
  expect(plan.services).toHaveLength(1);
  expect(plan.notes).toEqual([expect.stringContaining('networks.proxy is made elsewhere')]);
});

test('names by container_name and links are names on the network', () => {
  const { services } = read(
    'services: {db: {image: x:1, container_name: my-shop-db}, app: {image: x:1, links: ["db:database", db]}}',
  );
  expect(services.map(({ name, aliases }) => [name, aliases])).toEqual([
    ['db', ['my-shop-db', 'database']],
    ['app', []],
  ]);
  expect(services[1]?.dependsOn).toEqual([{ service: 'db', condition: 'started' }]);
});

test('a service that the file publishes on the loopback address is a server, also with restart: "no"', () => {
  expect(read(web('ports: ["127.0.0.1:80:80"]\nrestart: "no"')).services[0]?.isOneShot).toBe(false);
});
