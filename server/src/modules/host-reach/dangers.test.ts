import { describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import { applicationRef, composeRef, databaseRef } from '../../domain/names/service-ref.ts';
import { translate } from '../compose/translation/translate.ts';
import { builtHere, digestOf, type Danger } from '../../domain/access/danger.ts';
import { dangersOfPlan, dangersOfSpec } from './dangers.ts';

const own = { probePath: '/data/probe/busybox', keptFolder: '/data/composes' };
const plain: ServiceSpec = {
  name: 'web',
  image: 'nginx:1',
  labels: {},
  env: [],
  networks: [],
  replicas: 1,
  limits: {},
  reservations: {},
  mounts: [],
  files: [],
  ports: [],
  updateOrder: 'start-first',
  monitorMs: 0,
  stopGracePeriodMs: 0,
  constraints: [],
};
const shown = ({ service, what, value, access }: Danger): string =>
  [service, what, value, ...(access === 'read-only' ? [access] : [])].join(' ');
const found = (change: Partial<ServiceSpec>, owner = applicationRef('a1')): string[] =>
  dangersOfSpec({ ...plain, ...change }, owner, own).map(shown);
const bind = (source: string) => ({ type: 'bind', source, target: '/x' }) as const;
const volume = (source: string) => ({ type: 'volume', source, target: '/x' }) as const;

describe('what the engine is asked for', () => {
  it('is harmless with what is its own', () => {
    expect(found({})).toEqual([]);
    expect(
      found({
        mounts: [
          bind(own.probePath),
          volume('berth-a1-data'),
          volume('berth-data-a1'),
          { type: 'tmpfs', source: '', target: '/t' },
        ],
        ports: [{ published: 1024, target: 80, protocol: 'tcp', mode: 'host' }],
        logging: { driver: 'local', options: {} },
        container: { capabilitiesDropped: ['ALL'], user: 'root' },
      }),
    ).toEqual([]);
    expect(found({ mounts: [bind('/data/composes/c1/d/x')] }, composeRef('c1'))).toEqual([]);
    expect(found({ mounts: [volume('berth-data-d1-12345678')] }, databaseRef('d1'))).toEqual([]);
    expect(found({ mounts: [volume('d1-run')] }, databaseRef('d1')), 'of a restore').toEqual([]);
    expect(found({ mounts: [volume('d1-run')] }, databaseRef('d2'))).toHaveLength(1);
  });

  it.each<[string, Partial<ServiceSpec>]>([
    ['bind /etc', { mounts: [bind('/etc')] }],
    ['bind /etc read-only', { mounts: [{ ...bind('/etc'), readOnly: true }] }],
    ['bind /data/probe', { mounts: [bind('/data/probe')] }],
    ['bind /data/composes/a1/x', { mounts: [bind('/data/composes/a1/x')] }],
    ['volume berth-other-data', { mounts: [volume('berth-other-data')] }],
    ['volume berth-a12-data', { mounts: [volume('berth-a12-data')] }],
    ['capability CAP_SYS_ADMIN', { container: { capabilitiesAdded: ['CAP_SYS_ADMIN'] } }],
    ['sysctl net.core.somaxconn=1', { sysctls: { 'net.core.somaxconn': '1' } }],
    ['port 53/udp', { ports: [{ published: 53, target: 53, protocol: 'udp', mode: 'ingress' }] }],
    ['logging syslog a=1 b=2', { logging: { driver: 'syslog', options: { b: '2', a: '1' } } }],
    ['network host', { networks: ['host'] }],
    ['security seccomp=unconfined', { container: { seccomp: 'unconfined' } }],
    ['security apparmor=unconfined', { container: { apparmor: 'unconfined' } }],
    [
      'driver device=//files/a o=user=a type=cifs',
      {
        mounts: [
          {
            ...volume('berth-a1-data'),
            driverOptions: { type: 'cifs', device: '//files/a', o: 'user=a' },
          },
        ],
      },
    ],
    [
      'driver o="a b=c" type=nfs',
      { mounts: [{ ...volume('berth-a1-data'), driverOptions: { type: 'nfs', o: 'a b=c' } }] },
    ],
  ])('finds %s', (danger, change) => expect(found(change)).toEqual([`* ${danger}`]));

  it("is a compose's with the name of its service, and never with another compose's folder", () => {
    const labels = { 'berth.service': 'web' };
    expect(found({ labels, mounts: [bind('/data/composes/c2/x')] }, composeRef('c1'))).toEqual([
      'web bind /data/composes/c2/x',
    ]);
  });
});

const planned = (
  fields: string,
  { top = '', variables = {} }: { top?: string; variables?: Record<string, string> } = {},
): string[] =>
  dangersOfPlan(
    translate({
      text: `services:\n  web: {image: "nginx:1", ${fields}}\n${top}`,
      field: 'composeFile',
      folder: '',
      variables,
      blocks: { project: 'DIR=/srv', environment: '', service: '' },
    }),
  ).map(shown);

describe('what a compose file asks for', () => {
  it.each([
    'volumes: ["./conf:/etc/app:ro", "/anonymous", "data:/d"]',
    'ports: ["8080:80", "80"]',
    'cap_drop: [ALL]',
    'logging: {driver: json-file}',
    'tmpfs: /run',
    'shm_size: 1g',
    'pids_limit: 4096',
    'shm_size: 2g, mem_limit: 2g',
    'ulimits: {memlock: -1, nice: 20, rtprio: 0, nofile: -1}, mem_limit: 1g',
    'logging: {driver: local, options: {max-size: 100m, max-file: "10"}}',
    'user: root, ulimits: {nofile: 10}, extra_hosts: ["a:203.0.113.7"]',
  ])('%s is harmless', (fields) => expect(planned(fields, { top: 'volumes: {data: }' })).toEqual([]));

  it.each([
    ['volumes: ["/etc:/x"]', 'bind /etc'],
    ['volumes: ["/etc:/x:ro"]', 'bind /etc read-only'],
    ['volumes: ["foreign:/x:ro"]', 'volume berth-other-data read-only'],
    ['volumes: ["/a/../etc/:/x"]', 'bind /etc'],
    ['volumes: [{type: bind, source: /var/run/docker.sock, target: /s}]', 'bind /var/run/docker.sock'],
    ['volumes: ["${DIR}:/x"]', 'bind /host'],
    ['volumes: ["${{project.DIR}}:/x"]', 'bind /srv'],
    ['volumes: ["foreign:/x"]', 'volume berth-other-data'],
    ['volumes: ["made:/x"]', 'volume made'],
    ['shm_size: 2g', 'memory 2147483648 bytes'],
    ['shm_size: 65m, mem_limit: 64m', 'memory 68157440 bytes'],
    ['ulimits: {memlock: -1}', 'ulimit memlock=-1'],
    ['ulimits: {nice: 40}', 'ulimit nice=40'],
    ['pids_limit: 4097', 'ulimit processes=4097'],
    ['deploy: {resources: {limits: {pids: -1}}}', 'ulimit processes=-1'],
    ['pids_limit: 0', 'ulimit processes=0'],
    ['ulimits: {rtprio: {soft: 0, hard: 99}}, mem_limit: 1g', 'ulimit rtprio=99'],
    ['logging: {options: {max-size: 101m}}', 'logging json-file max-size=101m max-file=3'],
    ['logging: {options: {max-size: "-1"}}', 'logging json-file max-size=-1 max-file=3'],
    ['logging: {options: {max-size: 100m, max-file: 11}}', 'logging json-file max-size=100m max-file=11'],
    ['cap_add: [sys_admin]', 'capability CAP_SYS_ADMIN'],
    ['sysctls: {net.core.somaxconn: 1}', 'sysctl net.core.somaxconn=1'],
    ['ports: ["53:53/udp"]', 'port 53/udp'],
    [
      'logging: {driver: syslog, options: {syslog-address: "udp://10.0.0.1:1"}}',
      'logging syslog syslog-address=udp://10.0.0.1:1',
    ],
  ])('%s', (fields, danger) =>
    expect(
      planned(fields, {
        top: 'volumes: {foreign: {name: berth-other-data}, made: {external: true}}',
        variables: { DIR: '/host' },
      }),
    ).toEqual([`web ${danger}`]),
  );

  it('comes by a reference, a merge and a service that another extends', () => {
    const text = `
x-base: &base { cap_add: [NET_ADMIN] }
services:
  base: { image: "nginx:1", volumes: ["/etc:/e"], profiles: [never] }
  web: { extends: base, image: "nginx:1" }
  side: { <<: *base, image: "nginx:1" }
`;
    const dangers = dangersOfPlan(
      translate({
        text,
        field: 'composePath',
        folder: '',
        variables: {},
        blocks: { project: '', environment: '', service: '' },
      }),
    );
    expect(dangers).toMatchObject([
      { service: 'side', what: 'capability', value: 'CAP_NET_ADMIN' },
      { service: 'web', what: 'bind', value: '/etc' },
    ]);
  });
});

it('shows no password that a file server is mounted with, and knows another one', () => {
  const valueOf = (password: string): string[] =>
    found({
      mounts: [
        {
          ...volume('berth-a1-data'),
          driverOptions: { type: 'cifs', device: '//files/a', o: `user=u,password=${password},vers=3.0` },
        },
      ],
    });
  const [shownValue] = valueOf('hunter2');
  expect(shownValue).toMatch(/ o=user=u,password=sha256:[0-9a-f]{16},vers=3\.0 type=cifs$/);
  expect(valueOf('hunter3')).not.toEqual([shownValue]);
});

it('knows a seccomp profile by its content, whatever its name is', () => {
  const valueOf = (path: string, text: string): string[] =>
    dangersOfPlan(
      translate({
        text: `services:\n  web: {image: "nginx:1", security_opt: ["seccomp=${path}"]}\n`,
        field: 'composePath',
        folder: '',
        files: new Map([[path, text]]),
        variables: {},
        blocks: { project: '', environment: '', service: '' },
      }),
    ).map(({ value }) => value);
  const [open] = valueOf('open.json', '{"defaultAction": "SCMP_ACT_ALLOW"}');
  expect(open).toMatch(/^seccomp=sha256:[0-9a-f]{64}$/);
  expect(valueOf('other.json', '{ "defaultAction":"SCMP_ACT_ALLOW" }')).toEqual([open]);
  expect(valueOf('open.json', '{"defaultAction": "SCMP_ACT_ERRNO"}')).not.toEqual([open]);
});

describe('what a dangerous service runs', () => {
  const ofFile = (fields: string): Danger[] =>
    dangersOfPlan(
      translate({
        text: `services:\n  web: {volumes: ["/etc:/x"], ${fields}}\n`,
        field: 'composeFile',
        folder: '',
        variables: {},
        blocks: { project: '', environment: '', service: '' },
      }),
    );

  it.each([
    ['image: "nginx:1"', 'nginx'],
    ['image: "nginx"', 'nginx'],
    [`image: "nginx:1@sha256:${'0'.repeat(64)}"`, 'nginx'],
    ['image: "registry.example.com:5000/team/app:v1"', 'registry.example.com:5000/team/app'],
    ['image: "registry.example.com:5000/team/app"', 'registry.example.com:5000/team/app'],
    ['build: .', builtHere],
    ['build: ., image: "team/app:1"', builtHere],
  ])('%s is %s', (fields, image) => expect(ofFile(fields)).toMatchObject([{ image }]));

  it('has another digest with another image, user, entrypoint or command', () => {
    const digests = [
      'image: "nginx:1"',
      'image: "evil.example.com/nginx:1"',
      'image: "nginx:1", user: root',
      'image: "nginx:1", group_add: ["0"]',
      'image: "nginx:1", command: [sh]',
      'image: "nginx:1", entrypoint: [sh]',
      'build: .',
    ].map((fields) => digestOf('s', ofFile(fields)));
    expect(new Set(digests).size).toBe(digests.length);
    expect(digestOf('s', ofFile('image: "nginx:2", environment: {A: b}'))).toBe(digests[0]);
  });
});
