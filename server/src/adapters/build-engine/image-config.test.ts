import { describe, expect, test } from 'vitest';
import { readImageConfig } from './image-config.ts';

const layer = `sha256:${'a'.repeat(64)}`;
const theirs = `sha256:${'b'.repeat(64)}`;
const rootfs = { type: 'layers', diff_ids: [layer] };
const ours = { 'berth.organization': 'mine' };

const read = (text: string) => readImageConfig(Buffer.from(text));
const written = (config: unknown): unknown =>
  JSON.parse(read(JSON.stringify(config)).labelled(ours).toString('utf8'));

test('keeps what an image says of itself, and puts labels over it', () => {
  const config = {
    architecture: 'amd64',
    config: { Env: ['A=1'], Healthcheck: { Test: ['CMD', 'true'], Interval: 1e9 }, Labels: { team: 'web' } },
    rootfs,
    history: [{ created_by: 'RUN <true>' }],
  };
  expect(read(JSON.stringify(config)).diffIds).toEqual([layer]);
  expect(written(config)).toEqual({
    ...config,
    config: { ...config.config, Labels: { team: 'web', ...ours } },
  });
});

test.each([[{ rootfs }], [{ rootfs, config: null }], [{ rootfs, config: { Labels: null } }]])(
  'labels %j, too',
  (config) => expect(written(config)).toMatchObject({ config: { Labels: ours } }),
);

test('takes away what bears the name of a label of Berth, whatever it says', () => {
  const labels = { 'berth.organization': 'theirs', 'berth.preview': 'theirs', berthed: 'yes' };
  expect(written({ rootfs, config: { Labels: labels } })).toMatchObject({
    config: { Labels: { ...ours, berthed: 'yes' } },
  });
});

test.each(['com.docker.swarm.task.id', 'com.docker.swarm.service.name', 'com.docker.compose.project'])(
  'takes away %s of an image that was committed from a container',
  (name) => {
    const config = { Labels: { [name]: 'theirs', 'com.docker.extension.icon': 'x' } };
    expect(written({ rootfs, config })).toMatchObject({
      config: { Labels: { ...ours, 'com.docker.extension.icon': 'x' } },
    });
    expect(JSON.stringify(written({ rootfs, config }))).not.toContain('theirs');
  },
);

test('says when it was built, to the second', () => {
  expect(written({ rootfs, created: '2026-01-02T03:04:05.678901234Z' })).toMatchObject({
    config: { Labels: { ...ours, 'berth.built': '2026-01-02T03:04:05.000Z' } },
  });
  expect(JSON.stringify(written({ rootfs, created: null }))).not.toContain('berth.built');
});

test('of a name that stands there twice, one is left', () => {
  const text = `{"rootfs":{"diff_ids":["${theirs}"]},"config":{"Labels":{"berth.organization":"theirs"}},
    "rootfs":{"diff_ids":["${layer}"]},"config":{"Labels":{"team":"web"}}}`;
  const bytes = read(text).labelled(ours).toString('utf8');
  expect(bytes).not.toContain('theirs');
  expect(bytes.match(/rootfs/g)).toHaveLength(1);
});

describe('refuses what engines read otherwise', () => {
  test.each([
    ['RootFS', { rootfs, RootFS: { diff_ids: [theirs] } }],
    ['root\u017fs', { rootfs: { ...rootfs }, ['rootf\u017f']: { diff_ids: [theirs] } }],
    ['Config', { rootfs, Config: { Labels: { 'berth.organization': 'theirs' } } }],
    ['labels', { rootfs, config: { labels: { 'berth.organization': 'theirs' } } }],
    ['label\u017f', { rootfs, config: { Labels: {}, ['Label\u017f']: { 'berth.organization': 'theirs' } } }],
    ['Diff_IDs', { rootfs: { ...rootfs, Diff_IDs: [theirs] } }],
  ])('%s', (_, config) => {
    expect(() => read(JSON.stringify(config))).toThrow(/which engines take for "/);
  });
});

test.each([
  ['no JSON', '{'],
  ['nothing', 'null'],
  ['no layers', '{"rootfs":{}}'],
  ['a layer that is no digest', '{"rootfs":{"diff_ids":["../../etc"]}}'],
  ['labels that are no texts', `{"rootfs":{"diff_ids":["${layer}"]},"config":{"Labels":{"a":1}}}`],
  ['more layers than an engine takes', JSON.stringify({ rootfs: { diff_ids: Array(501).fill(layer) } })],
])('refuses %s in a sentence', (_, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'PRECONDITION_FAILED' }));
});
