import { describe, expect, test } from 'vitest';
import { parseComposeFile } from './compose-file.ts';
import { risksOf } from './compose-risks.ts';

const web = (fields: string): string =>
  `services:\n  web:\n    image: nginx\n${fields
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n`;
const found = (text: string): string[] =>
  risksOf(parseComposeFile(text)).map(({ where, hasVariable }) => `${where}${hasVariable ? ' $' : ''}`);

describe('what a member may write', () => {
  test.each([
    'ports: ["8080:80"]\nenvironment: {A: "${B}"}\nrestart: always\ndepends_on: [db]\nhealthcheck: {test: ["CMD", "true"]}\ndeploy: {replicas: 2}',
    'volumes: [data:/data, ./conf:/etc/app:ro, .:/src, /anonymous]',
    'volumes:\n  - {type: bind, source: ./a, target: /a}\n  - {type: volume, source: data, target: /b}\n  - {type: tmpfs, target: /c}',
    'env_file: [.env, sub/other.env]',
    'env_file: {path: .env, required: false}',
    'build: .',
    'build: {context: ./app, dockerfile: Dockerfile.prod, args: {A: b}}',
    'build: https://github.com/a/b.git',
    'network_mode: none',
    'network_mode: service:db',
    'privileged: false',
    'security_opt: ["no-new-privileges:true"]',
    'cap_drop: [ALL]',
    'logging: {driver: json-file}',
    'extends: {service: base}',
    'volumes_from: [db:ro]',
    'x-mine: {anything: /etc}',
  ])('%s', (fields) => expect(found(web(fields))).toEqual([]));

  test('volumes, networks, configs and secrets of its own', () => {
    expect(
      found(
        'version: "3"\nname: mine\nservices: {}\nvolumes: {data: , other: {labels: [a=b]}}\nnetworks: {back: {internal: true, driver: overlay}}\nconfigs: {c: {content: "x ${Y}"}, f: {file: ./c}}\nsecrets: {s: {environment: A}}\nx-more: 1',
      ),
    ).toEqual([]);
  });
});

describe('what needs Owner or Admin', () => {
  test.each<[string, string]>([
    // Folders of the server and the engine's socket, in every way of writing them.
    ['volumes: [/etc:/x]', 'volumes'],
    ['volumes: ["/var/run/docker.sock:/var/run/docker.sock"]', 'volumes'],
    ['volumes: [../up:/x]', 'volumes'],
    ['volumes: [./a/../../up:/x]', 'volumes'],
    ['volumes: [~/x:/x]', 'volumes'],
    ['volumes: ["${D}:/x"]', 'volumes $'],
    ['volumes: ["$D:/x"]', 'volumes $'],
    ['volumes: ["./${D}:/x"]', 'volumes $'],
    ['volumes: ["a/../../etc:/x"]', 'volumes'],
    ['volumes: [{type: bind, source: /, target: /x}]', 'volumes'],
    ['volumes: [{type: bind, source: ./a, target: /x, bind: {propagation: shared}}]', 'volumes'],
    ['volumes: [{type: npipe, source: a, target: /x}]', 'volumes'],
    ['volumes: [{type: volume, source: /etc, target: /x}]', 'volumes'],
    ['volumes: [{source: "${D}", target: /x, type: "${T}"}]', 'volumes $'],
    ['volumes: [1]', 'volumes'],
    ['env_file: /etc/passwd', 'env_file'],
    ['env_file: [../other.env]', 'env_file'],
    ['env_file: [{path: /etc/shadow}]', 'env_file'],
    ['label_file: /etc/passwd', 'label_file'],
    ['build: /', 'build'],
    ['build: ..', 'build'],
    ['build: {context: ., dockerfile: ../../etc/passwd}', 'build'],
    ['build: {context: ., additional_contexts: {x: /}}', 'build'],
    ['build: {context: ., privileged: true}', 'build'],
    ['build: {context: ., secrets: [s]}', 'build'],
    ['build: {context: ., ssh: [default]}', 'build'],
    ['build: {context: ., entitlements: [security.insecure]}', 'build'],
    ['build: {context: ., cache_to: ["type=local,dest=/"]}', 'build'],
    ['build: {context: ., tags: ["berth/app:1"]}', 'build'],
    ['build: {context: ., network: host}', 'build'],
    ['build: ssh://host/x', 'build'],
    ['build: file:///etc', 'build'],
    ['build: {context: "docker-image://x"}', 'build'],
    ['build: "${C}"', 'build $'],
    // Rights over the server.
    ['privileged: true', 'privileged'],
    ['privileged: yes', 'privileged'],
    ['privileged: "${P}"', 'privileged $'],
    ['use_api_socket: true', 'use_api_socket'],
    ['cap_add: [SYS_ADMIN]', 'cap_add'],
    ['cap_add: ["${C}"]', 'cap_add $'],
    ['devices: ["/dev/sda:/dev/sda"]', 'devices'],
    ['device_cgroup_rules: ["a *:* rwm"]', 'device_cgroup_rules'],
    ['pid: host', 'pid'],
    ['ipc: host', 'ipc'],
    ['uts: host', 'uts'],
    ['userns_mode: host', 'userns_mode'],
    ['cgroup: host', 'cgroup'],
    ['cgroup_parent: /x', 'cgroup_parent'],
    ['network_mode: host', 'network_mode'],
    ['network_mode: container:other', 'network_mode'],
    ['network_mode: "${N}"', 'network_mode $'],
    ['security_opt: [apparmor:unconfined]', 'security_opt'],
    ['security_opt: [no-new-privileges:true, seccomp=unconfined]', 'security_opt'],
    ['runtime: other', 'runtime'],
    ['sysctls: {kernel.x: 1}', 'sysctls'],
    ['volumes_from: [container:other]', 'volumes_from'],
    ['external_links: [other]', 'external_links'],
    ['credential_spec: {file: x}', 'credential_spec'],
    ['provider: {type: anything}', 'provider'],
    ['post_start: [{command: x, privileged: true}]', 'post_start'],
    ['extends: {file: /x.yml, service: a}', 'extends'],
    ['logging: {driver: syslog}', 'logging'],
    ['unheard_of: 1', 'unheard_of'],
    ['constructor: 1', 'constructor'],
  ])('%s', (fields, where) => expect(found(web(fields))).toEqual([`services.web.${where}`]));

  test.each([
    ['include: [other.yml]', 'include'],
    ['models: {m: {model: x}}', 'models'],
    ['volumes: {v: {external: true}}', 'volumes.v.external'],
    ['volumes: {v: {name: berth-other-data}}', 'volumes.v.name'],
    ['volumes: {v: {driver_opts: {type: none, o: bind, device: /}}}', 'volumes.v.driver_opts'],
    ['volumes: {v: {driver: other}}', 'volumes.v.driver'],
    ['networks: {n: {external: true}}', 'networks.n.external'],
    ['networks: {n: {name: berth-another}}', 'networks.n.name'],
    ['networks: {n: {driver: macvlan}}', 'networks.n.driver'],
    ['networks: {n: {driver: "${D}"}}', 'networks.n.driver $'],
    ['networks: {n: {driver_opts: {parent: eth0}}}', 'networks.n.driver_opts'],
    ['configs: {c: {file: /etc/passwd}}', 'configs.c.file'],
    ['secrets: {s: {file: ../x}}', 'secrets.s.file'],
    ['secrets: {s: {external: true}}', 'secrets.s.external'],
  ])('%s', (top, where) => expect(found(`services: {}\n${top}`)).toEqual([where]));

  test('what comes by a reference or a merge', () => {
    expect(
      found('x-base: &base\n  privileged: true\nservices:\n  web:\n    <<: *base\n    image: nginx\n'),
    ).toEqual(['services.web.privileged']);
    expect(
      found('x-v: &v ["/:/host"]\nservices:\n  a: {image: x, volumes: *v}\n  b: {image: x, volumes: *v}\n'),
    ).toEqual(['services.a.volumes', 'services.b.volumes']);
  });
});
