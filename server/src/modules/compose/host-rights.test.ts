import { describe, expect, it } from 'vitest';
import { readComposeFile } from './compose-file.ts';
import { hostReachOf } from './host-rights.ts';

const pathsOf = async (text: string): Promise<string[]> => hostReachOf(await readComposeFile(text)).map(({ path }) => path);
/** The keys of a service, one line each. */
const service = (lines: string): string => `services:\n  web:\n${lines.split('\n').map((line) => `    ${line}`).join('\n')}\n`;

const everyday = `
name: shop
x-logging: &logging
  logging: {driver: json-file, options: {max-size: 10m}}
services:
  web:
    <<: *logging
    image: nginx:\${TAG:-1.29}
    build: {context: ./web, dockerfile: Dockerfile, args: {A: "\${A}"}, additional_contexts: [base=docker-image://alpine, shared=./shared], cache_from: ["type=registry,ref=x"], network: default}
    command: [sh, -c, "echo $$HOME"]
    ports: ["\${PORT}:80", {target: 443, published: 8443}]
    environment: {URL: "http://\${HOST}", PATH_: /etc/passwd}
    env_file: [.env, {path: ./more.env, required: false}]
    volumes: [data:/var/lib/data, ./conf:/etc/conf:ro, /cache, {type: volume, source: data, target: /x}, {type: tmpfs, target: /t}, {type: bind, source: ./own, target: /own}, "data:/\${VERSION}"]
    labels: {traefik.enable: "true", app: "\${X}"}
    security_opt: [no-new-privileges:true]
    cap_drop: [ALL]
    deploy: {replicas: 2, resources: {limits: {cpus: "1"}, reservations: {memory: 1g}}, labels: [a=b]}
    networks: [front, default]
    depends_on: {base: {condition: service_healthy}}
    healthcheck: {test: [CMD, true]}
    extends: base
    ipc: private
    privileged: false
    pid: service:base
  base:
    build: https://github.com/example/base.git
    network_mode: none
    volumes_from: [web]
    post_start: [{command: [a], user: root}]
    cap_add: []
    volumes:
  none:
volumes: {data: , more: {driver: local, labels: {a: b}}}
networks: {front: {driver: bridge, internal: true}}
configs: {app: {file: ./app.conf}, other: {content: "x=\${X}"}}
secrets: {key: {environment: KEY}}
`;

describe('a compose file that stays with its own containers', () => {
  it('needs no right', async () => {
    expect(await pathsOf(everyday)).toEqual([]);
    for (const text of ['', 'services: {}', service('image: a'), service('build: .'), service('x-mine: {privileged: true}')]) expect(await pathsOf(text)).toEqual([]);
  });
});

describe('a service that reaches further', () => {
  const cases: readonly [string, string][] = [
    ...['/etc:/etc', '/:/host:ro', '/var/run/docker.sock:/var/run/docker.sock', '../up:/x', './a/../../b:/x', './..:/x', '~/x:/x', '~:/x', '$HOME:/x', '${DIR}:/x', '${DIR:-./data}:/x', './${DIR}:/x', 'data${X}:/x', '/data${X}', 'C:/x:/y', 'C:\\x:/y', 'a/b:/x', '.\\..\\x:/y', '.hidden/../../x:/y']
      .map((source): [string, string] => [`volumes: [${JSON.stringify(source)}]`, 'volumes']),
    ...['{type: bind, source: /etc, target: /x}', '{type: bind, source: ../x, target: /x}', '{type: bind, source: "${X}", target: /x}', '{type: bind, target: /x}', '{type: volume, source: /etc, target: /x}', '{type: volume, source: "${X}", target: /x}', '{type: npipe, source: x, target: /x}',
      '{type: cluster, source: x, target: /x}', '{type: "${T}", source: data, target: /x}', '{source: /etc, target: /x}', '[a]'].map((mount): [string, string] => [`volumes: [${mount}]`, 'volumes']),
    ...['privileged: true', 'privileged: yes', 'privileged: "true"', 'privileged: ${P}', 'privileged: 1', 'use_api_socket: true', 'network_mode: host', 'network_mode: bridge', 'network_mode: container:x', 'network_mode: ${N}', 'network_mode: "service:${N}"',
      'pid: host', 'pid: container:x', 'ipc: host', 'ipc: container:x', 'uts: host', 'userns_mode: host', 'cgroup: host', 'cgroup_parent: /x', 'devices: [/dev/sda:/dev/sda]', 'devices: ["${D}"]', 'device_cgroup_rules: ["c 1:3 mr"]', 'gpus: all', 'cap_add: [SYS_ADMIN]',
      'cap_add: ["${C}"]', 'security_opt: [seccomp:unconfined]', 'security_opt: [apparmor=unconfined]', 'security_opt: ["${S}"]', 'security_opt: [no-new-privileges:true, label:disable]', 'runtime: kata', 'annotations: {a: b}', 'credential_spec: {file: x}', 'provider: {type: x}',
      'volumes_from: [container:x]', 'volumes_from: ["${V}"]', 'external_links: [x]', 'oom_kill_disable: true', 'oom_score_adj: -1000', 'oom_score_adj: "${O}"', 'env_file: /etc/shadow', 'env_file: [../x]', 'env_file: [{path: /etc/shadow}]', 'env_file: ["${F}"]', 'label_file: /etc/passwd',
      'logging: {driver: syslog}', 'logging: {driver: "${L}"}', 'extends: {file: ../other.yml, service: x}', 'extends: {file: other.yml, service: x}', 'deploy: {resources: {reservations: {devices: [{driver: nvidia}]}}}', 'deploy: {labels: {berth.application: x}}', 'deploy: {new_key: 1}',
      'labels: {berth.application: x}', 'labels: [com.docker.compose.project=x]', 'labels: ["${L}=x"]', 'post_start: [{command: a, privileged: true}]', 'pre_stop: [{command: a, privileged: "${P}"}]', 'build: /etc', 'build: ..', 'build: ${B}', 'build: {context: /etc}', 'build: {context: "oci-layout:///etc"}',
      'build: {context: ., dockerfile: ../../etc/shadow}', 'build: {context: ., dockerfile: /etc/shadow}', 'build: {context: ., additional_contexts: {a: /etc}}', 'build: {context: ., additional_contexts: [a=/etc]}', 'build: {context: ., additional_contexts: [a=oci-layout:///etc]}',
      'build: {context: ., ssh: [default]}', 'build: {context: ., network: host}', 'build: {context: ., privileged: true}', 'build: {context: ., entitlements: [security.insecure]}', 'build: {context: ., cache_to: ["type=local,dest=/etc"]}', 'build: {context: ., cache_from: ["${C}"]}', 'build: [a]', 'build: {new_key: 1}',
      'new_key: 1', 'toString: 1', 'constructor: 1', '"<<": 3'].map((line): [string, string] => [line, line.split(':')[0]?.replaceAll('"', '') ?? '']),
  ];

  it.each(cases)('%s', async (line, key) => {
    expect(await pathsOf(service(line))).toEqual([`services.web.${key}`]);
  });

  it('is found in whatever way it is written', async () => {
    expect(await pathsOf('services: {"web": {"privileged": true}}')).toEqual(['services.web.privileged']);
    expect(await pathsOf('services:\n  web: {? privileged : true}')).toEqual(['services.web.privileged']);
    expect(await pathsOf('x-a: &a {privileged: true}\nservices: {web: *a}')).toEqual(['services.web.privileged']);
    expect(await pathsOf('x-a: &a {privileged: true}\nservices: {web: {<<: *a}, other: {<<: [{image: x}, *a]}}')).toEqual(['services.web.privileged', 'services.other.privileged']);
    expect(await pathsOf('x-a: &a {privileged: true}\nservices: {web: {<<: *a, privileged: false}}')).toEqual([]);
    expect(await pathsOf('x-v: &v [/etc:/etc]\nservices: {web: {volumes: *v}}')).toEqual(['services.web.volumes']);
    expect(await pathsOf('x-k: &k privileged\nservices: {web: {*k : true}}')).toEqual(['services.web.privileged']);
    expect(await pathsOf('services: {web: {"privile\\u0067ed": true}}')).toEqual(['services.web.privileged']);
    expect(await pathsOf('services: {base: {privileged: true, profiles: [never]}, web: {extends: base}}')).toEqual(['services.base.privileged']);
  });
});

describe('the rest of a file that reaches further', () => {
  it.each([
    ['volumes: {data: {driver_opts: {type: none, o: bind, device: /etc}}}', 'volumes.data.driver_opts'], ['volumes: {data: {driver: nfs}}', 'volumes.data.driver'], ['volumes: {data: {external: true}}', 'volumes.data.external'], ['volumes: {data: {external: {name: x}}}', 'volumes.data.external'],
    ['volumes: {data: {external: "${E}"}}', 'volumes.data.external'], ['volumes: {data: {name: berth-other-data}}', 'volumes.data.name'], ['volumes: {data: {new_key: 1}}', 'volumes.data.new_key'], ['volumes: [data]', 'volumes'], ['volumes: {data: [a]}', 'volumes'],
    ['networks: {front: {external: true}}', 'networks.front.external'], ['networks: {front: {name: other}}', 'networks.front.name'], ['networks: {front: {driver: host}}', 'networks.front.driver'], ['networks: {front: {driver: macvlan}}', 'networks.front.driver'], ['networks: {front: {driver_opts: {parent: eth0}}}', 'networks.front.driver_opts'],
    ['configs: {app: {file: /etc/shadow}}', 'configs.app.file'], ['configs: {app: {external: true}}', 'configs.app.external'], ['secrets: {key: {file: ../key}}', 'secrets.key.file'], ['secrets: {key: {file: "${F}"}}', 'secrets.key.file'], ['secrets: {key: {name: other}}', 'secrets.key.name'],
    ['include: [other.yml]', 'include'], ['models: {a: {model: x}}', 'models'],
  ])('%s', async (text, path) => {
    expect(await pathsOf(`services: {}\n${text}`)).toEqual([path]);
  });
});

it('tells what it is, and whether a variable decides it', async () => {
  const file = await readComposeFile(`${service('volumes: ["${DIR}:/x"]\nprivileged: true')}include: a.yml\n`);
  expect(hostReachOf(file)).toEqual([
    { path: 'include', reason: 'brings in other files, which Berth has not read', hasVariable: false },
    { path: 'services.web.volumes', reason: "mounts ${DIR}, which may be outside the service's own folder", hasVariable: true },
    { path: 'services.web.privileged', reason: 'has the whole machine', hasVariable: false },
  ]);
});
