/** What has a path and no name: whose volume it is, and that it stays the same one. */
import { expect, test } from 'vitest';
import { translate } from '../../modules/compose/translation/translate.ts';
import { composeServiceSpec, type ComposeSpecInputs, type KnownMount } from './compose-service-spec.ts';

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

const shared = 'berth-c1-path-data-bd47413b';
const own = 'berth-c1-web-path-data-bd47413b';

const volumesOf = ({ spec }: ReturnType<typeof specOf>): unknown[] =>
  spec.mounts
    .filter(({ type }) => type === 'volume')
    .map(({ source, target, perSlot }) => [target, source, ...(perSlot ? ['per slot'] : [])]);

const volume = (source: string) => [{ type: 'volume' as const, source, target: '/data' }];
const redis = { imageVolumes: ['/data/', '/proc/x', '/', 'relative'] };

test.each<[string, string, Partial<ComposeSpecInputs>, unknown[]]>([
  ['an unnamed volume is of its service', 'volumes: ["/data"]', {}, [['/data', `${own}-1`]]],
  ['in the long form, too', 'volumes: [{type: volume, target: /data}]', {}, [['/data', `${own}-1`]]],
  ['each of several tasks has its own', 'volumes: ["/data"], scale: 3', {}, [['/data', own, 'per slot']]],
  [
    'data of before stays where it is',
    'volumes: ["/data"]',
    { formerMounts: volume(shared) },
    [['/data', shared]],
  ],
  [
    'also where a restore replaced it',
    'volumes: ["/data"]',
    {
      compose: { ...compose, restoredVolumes: { 'path-data-bd47413b': `${shared}.restored-r1` } },
      formerMounts: volume(`${shared}.restored-r1`),
    },
    [['/data', `${shared}.restored-r1`]],
  ],
  [
    'a release after that keeps it',
    'volumes: ["/data"]',
    { formerMounts: volume(`${own}-1`) },
    [['/data', `${own}-1`]],
  ],
  [
    'a restore of its own volume is taken',
    'volumes: ["/data"]',
    {
      compose: { ...compose, restoredVolumes: { 'web-path-data-bd47413b-1': `${own}-1.restored-r1` } },
    },
    [['/data', `${own}-1.restored-r1`]],
  ],
  ['what the image alone declares is kept', '', redis, [['/data', `${own}-1`]]],
  ['by each of several tasks', 'scale: 2', redis, [['/data', own, 'per slot']]],
  ['a named volume there comes first', 'volumes: ["data:/data"]', redis, [['/data', 'berth-c1-data']]],
  ['as a tmpfs does', 'tmpfs: /data', redis, []],
  [
    'one below it is another',
    'volumes: ["data:/data/sub"]',
    redis,
    [
      ['/data/sub', 'berth-c1-data'],
      ['/data', `${own}-1`],
    ],
  ],
  [
    'names are told apart by the suffix',
    'volumes: ["/data"]',
    { compose: { ...compose, randomize: true, suffix: 'b1' } },
    [['/data', `${own}-b1-1`]],
  ],
])('%s', (_what, fields, change, volumes) => {
  expect(volumesOf(specOf(fields, change))).toEqual(volumes);
});

test('the log says once what an image declares, and that versions do not overlap', () => {
  const first = specOf('', redis);
  expect(first.notes).toEqual([
    `/data, which its image declares to be a volume, is kept from now on, as ${own}-1.`,
    expect.stringContaining('the old version stops before the new one starts'),
  ]);
  expect(first.spec.updateOrder).toBe('stop-first');
  const next = specOf('', { ...redis, formerMounts: first.spec.mounts });
  expect(next.notes).toEqual([expect.stringContaining('the old version stops')]);
});

test('two services with one path have two volumes', () => {
  const { services } = translate({
    text: 'services: {one: {image: "a:1", volumes: ["/data"]}, two: {image: "a:1", volumes: ["/data"]}}',
    field: 'composeFile',
    folder: undefined,
    variables: {},
    blocks: { project: '', environment: '', service: '' },
  });
  const sources = services.map((service) => volumesOf(specOf('volumes: ["/data"]', { service })));
  expect(sources).toEqual([
    [['/data', 'berth-c1-one-path-data-bd47413b-1']],
    [['/data', 'berth-c1-two-path-data-bd47413b-1']],
  ]);
});
