import { describe, expect, test } from 'vitest';
import { read, web } from '../../../../../test/compose-file.ts';

describe('what cannot be done is refused with service and key', () => {
  test.each([
    ['privileged: true', 'privileged is not possible in a swarm'],
    ['devices: ["/dev/a:/dev/a"]', 'devices'],
    ['network_mode: container:other', 'network_mode would join it to another container'],
    ['network_mode: service:db', 'network_mode'],
    ['pid: host', 'pid'],
    ['ipc: host', 'ipc'],
    ['uts: host', 'uts'],
    ['userns_mode: host', 'userns_mode'],
    ['cgroup_parent: /x', 'cgroup_parent'],
    ['security_opt: [systempaths=unconfined]', 'security_opt'],
    ['volumes_from: [db]', 'volumes_from'],
    ['external_links: [x]', 'external_links'],
    ['runtime: x', 'runtime'],
    ['gpus: all', 'gpus'],
    ['mac_address: "02:42:ac:11:00:02"', 'mac_address'],
    ['credential_spec: {file: x}', 'credential_spec'],
    ['provider: {type: x}', 'provider'],
    ['post_start: [{command: x}]', 'post_start'],
    ['unheard_of: 1', 'unheard_of is not a key'],
    ['deploy: {unheard_of: 1}', 'deploy.unheard_of'],
    [
      'deploy: {resources: {reservations: {devices: [{capabilities: [gpu]}]}}}',
      'deploy.resources.reservations.devices',
    ],
    [
      'deploy: {resources: {limits: {memory: 64m}, reservations: {memory: 65m}}}',
      'deploy.resources.reservations',
    ],
    ['ports: ["192.0.2.7:80:80"]', 'ports.0 publishes on the address 192.0.2.7 only'],
    ['ports: ["80:81:82"]', 'ports.0'],
    [
      'ports: [{target: 80, published: 81, mode: host}, {target: 80, published: 82, mode: host}]',
      'ports publishes 80/tcp twice in host mode, as 81 and 82',
    ],
    ['ports: ["0:80"]', 'ports.0'],
    ['ports: ["70000:80"]', 'ports.0'],
    ['ports: ["80-90:80"]', 'ports.0'],
    ['ports: ["a"]', 'ports.0'],
    ['volumes: [data:/a]', 'volumes.0 names the volume data'],
    ['volumes: ["~bob/a:/a"]', 'volumes.0 begins with the home folder of somebody'],
    ['volumes: ["./a:a"]', 'volumes.0'],
    ['volumes: ["./a:/proc/x"]', 'volumes.0'],
    [
      'volumes: [{type: bind, source: /a, target: /a, bind: {propagation: shared}}]',
      'volumes.0.bind.propagation',
    ],
    ['networks: [other]', 'networks.other is a network that the file does not define'],
    ['links: ["db:a b"]', 'links'],
    ['container_name: "a b"', 'container_name'],
    ['build: .', 'build needs a repository'],
    ['sysctls: {kernel.panic: 1}', 'sysctls.kernel.panic'],
    ['extra_hosts: ["a:host-gatewa"]', 'extra_hosts'],
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
    ['networks: {n: {driver: macvlan}}', 'networks.n.driver'],
    ['volumes: {v: {driver: other}}', 'volumes.v.driver'],
    ['volumes: {v: {driver_opts: {sort: nfs}}}', 'volumes.v.driver_opts'],
    ['secrets: {s: {external: true}}', 'secrets.s'],
    ['models: {}', 'models'],
  ])('%s', (rest, what) => expect(() => read(web('', rest))).toThrow(what));

  test('what has variables without a value says which', () =>
    expect(() => read(web('').replace('nginx:1', '${REPOSITORY}/web:${TAG}'))).toThrow(
      /services\.web\.image: is not an image name; .+\. The variables REPOSITORY, TAG in it are not set$/,
    ));

  test('a file whose services all wait for a profile says which there are', () =>
    expect(() =>
      read('services: {web: {image: a, profiles: [all, one]}, db: {image: b, profiles: [one]}}'),
    ).toThrow(/none is chosen\. Set COMPOSE_PROFILES in the variables to one or more of all, one$/));

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
