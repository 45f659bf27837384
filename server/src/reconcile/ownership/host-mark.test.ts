import { expect, test } from 'vitest';
import type { ServiceMark } from '../../ports/engine/service-mark.ts';
import { verdictOf, type Claimant, type MarkedHost } from './host-mark.ts';
import type { IncarnationRecord } from '../../modules/installation/installation.ts';

const life = (incarnationId: string, cause: IncarnationRecord['cause']): IncarnationRecord => ({
  incarnationId,
  cause,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
});

function claimant(incarnations: IncarnationRecord[], change: Partial<Claimant> = {}): Claimant {
  const incarnation = incarnations.at(-1) ?? life('i1', 'created');
  return {
    installation: { installationId: 'ours', incarnation },
    incarnations,
    data: '/srv/berth',
    isInUse: () => false,
    ...change,
  };
}

const created = [life('i1', 'created')];
const upgraded = [life('i1', 'upgraded')];
const restored = [life('i1', 'created'), life('i2', 'restored')];

const marked = (labels: Record<string, string>, folders: string[] = []): ServiceMark => ({
  id: 'proxy-1',
  labels: { 'berth.managed': 'true', ...labels },
  folders,
});

const host = (mark: ServiceMark | undefined, change: Partial<MarkedHost> = {}): MarkedHost => ({
  name: 'this server',
  mark,
  proxyFolder: '/srv/berth/proxy',
  isLocal: true,
  recordedId: undefined,
  ...change,
});

const mine = { 'berth.installation': 'ours', 'berth.incarnation': 'i1', 'berth.data-folder': '/srv/berth' };

test('a host without a proxy of Berth is free', () => {
  expect(verdictOf(host(undefined), claimant(created))).toEqual({ kind: 'free' });
  expect(verdictOf(host({ id: 'x', labels: {}, folders: [] }), claimant(created))).toEqual({ kind: 'free' });
});

test('another installation is named with both data folders and the ways out', () => {
  const other = marked({ 'berth.installation': 'theirs', 'berth.data-folder': '/var/lib/berth' });
  const verdict = verdictOf(host(other), claimant(created));
  expect(verdict).toMatchObject({ kind: 'foreign' });
  for (const words of ['theirs', '/var/lib/berth', '/srv/berth', 'BERTH_DATA', 'DATABASE_URL', '--adopt'])
    expect(verdict).toMatchObject({ sentence: expect.stringContaining(words) });
});

test('our own mark is ours, also from a folder that was moved, but no copy that runs', () => {
  expect(verdictOf(host(marked(mine)), claimant(created)).kind).toBe('ours');
  const moved = marked({ ...mine, 'berth.data-folder': '/var/lib/berth' });
  expect(verdictOf(host(moved), claimant(created)).kind).toBe('ours');
  const inUse = claimant(created, { isInUse: (data) => data === '/var/lib/berth' });
  expect(verdictOf(host(moved), inUse)).toMatchObject({
    kind: 'foreign',
    sentence: expect.stringContaining('is a copy'),
  });
});

test('another incarnation is refused until it has ended, except from the folder that this one holds', () => {
  const elsewhere = marked({ ...mine, 'berth.data-folder': '/var/lib/berth' });
  expect(verdictOf(host(elsewhere), claimant(restored))).toMatchObject({
    kind: 'incarnation',
    incarnationId: 'i1',
    sentence: expect.stringContaining('--give-up i1'),
  });
  expect(verdictOf(host(marked(mine)), claimant(restored)).kind).toBe('free');
  expect(verdictOf(host(marked(mine), { isLocal: false }), claimant(restored)).kind).toBe('incarnation');
  const [first, second] = restored;
  const ended = [{ ...(first ?? life('i1', 'created')), endedAt: 'now' }, second ?? life('i2', 'restored')];
  expect(verdictOf(host(elsewhere), claimant(ended)).kind).toBe('free');
});

test('a mark of an incarnation made after the backup is refused as well', () => {
  const later = marked({ ...mine, 'berth.incarnation': 'i9', 'berth.data-folder': '/other' });
  expect(verdictOf(host(later), claimant(restored))).toMatchObject({
    kind: 'incarnation',
    incarnationId: 'i9',
  });
});

test('a proxy from before there were ids is known by its record and its folder', () => {
  const former = marked({}, ['/srv/berth/proxy', '/srv/berth/probe/busybox']);
  const elsewhere = marked({}, ['/var/lib/berth/proxy']);
  expect(verdictOf(host(former), claimant(upgraded)).kind).toBe('ours');
  expect(verdictOf(host(elsewhere, { recordedId: 'proxy-1' }), claimant(upgraded)).kind).toBe('ours');
  expect(verdictOf(host(elsewhere), claimant(upgraded)).kind).toBe('foreign');
  // A new database in a folder that was another's: a mistyped DATABASE_URL.
  expect(verdictOf(host(former), claimant(created))).toMatchObject({
    kind: 'foreign',
    sentence: expect.stringContaining('before installations had ids'),
  });
  const both = [life('i1', 'upgraded'), life('i2', 'restored')];
  const onServer = { isLocal: false, recordedId: 'proxy-1' };
  expect(verdictOf(host(elsewhere, onServer), claimant(both))).toMatchObject({
    kind: 'incarnation',
    incarnationId: 'i1',
  });
});
