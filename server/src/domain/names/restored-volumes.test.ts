import { describe, expect, it, test } from 'vitest';
import { applicationRef, composeRef } from './service-ref.ts';
import {
  firstVolume,
  givenVolumes,
  onPresentVolumes,
  presentVolume,
  replacedVolumes,
  restoredVolume,
  volumeWithName,
  withVolume,
  type RestoredVolumes,
} from './restored-volumes.ts';

const shop = applicationRef('shop');
const first = firstVolume(shop, 'data');
const [then, now] = [restoredVolume(shop, 'data', 'one'), restoredVolume(shop, 'data', 'two')];
const restored = { data: now };

test('a volume is known by what it was at first, and by every restore of it', () => {
  expect(first).toBe('berth-shop-data');
  expect(now).toBe('berth-shop-data.restored-two');
  for (const source of [first, then, now]) expect(presentVolume(source, shop, restored)).toBe(now);
});

test('other volumes, and those of other services, stay', () => {
  for (const source of ['berth-shop-data-2', 'berth-shop-dat', 'berth-other-data', 'pg-data'])
    expect(presentVolume(source, shop, restored)).toBe(source);
  expect(presentVolume(first, composeRef('other'), restored)).toBe(first);
  expect(presentVolume(first, shop, {})).toBe(first);
});

test('of the mounts of a release only volumes change', () => {
  const mounts = [
    { type: 'volume', source: then, target: '/data' },
    { type: 'bind', source: first, target: '/folder' },
  ];
  expect(onPresentVolumes(mounts, shop, restored)).toEqual([
    { type: 'volume', source: now, target: '/data' },
    { type: 'bind', source: first, target: '/folder' },
  ]);
});

describe('a volume of a deleted service', () => {
  const service = applicationRef('a1');
  const given = 'berth-gone-data';
  const at = (source: string, restored: RestoredVolumes): string => presentVolume(source, service, restored);

  it('stands for the first one, and releases of then follow what replaces it', () => {
    const had = withVolume({}, service, 'data', given);
    expect(at('berth-a1-data', had)).toBe(given);
    expect(at('berth-a1-cache', had)).toBe('berth-a1-cache');
    const restored = withVolume(had, service, 'data', 'berth-a1-data.restored-r');
    for (const source of [given, 'berth-a1-data', 'berth-a1-data.restored-q'])
      expect(at(source, restored)).toBe('berth-a1-data.restored-r');
    const back = withVolume(restored, service, 'data', null);
    expect(at(given, back)).toBe('berth-a1-data');
    expect(at('berth-a1-data.restored-r', back)).toBe('berth-a1-data');
    expect(replacedVolumes(back)).toEqual([['data', 'berth-a1-data']]);
    const again = withVolume(back, service, 'data', given);
    for (const source of [given, 'berth-a1-data']) expect(at(source, again)).toBe(given);
    expect(replacedVolumes(again)).toEqual([['data', given]]);
  });

  it('is told from that of another name', () => {
    const two = withVolume(withVolume({}, service, 'data', given), service, 'cache', 'berth-gone-cache');
    const back = withVolume(two, service, 'cache', null);
    expect(at(given, back)).toBe(given);
    expect(at('berth-gone-cache', back)).toBe('berth-a1-cache');
  });
});

describe('a volume that a compose file names', () => {
  const service = composeRef('c1');
  const name = volumeWithName('shop-data');
  const at = (source: string, restored: RestoredVolumes): string => presentVolume(source, service, restored);

  it('has its own name, and what a restore makes belongs to the service', () => {
    expect(firstVolume(service, name)).toBe('shop-data');
    const made = restoredVolume(service, name, 'r');
    expect(made).toBe('berth-c1-_shop-data.restored-r');
    const restored = withVolume({}, service, name, made);
    for (const source of ['shop-data', 'berth-c1-_shop-data.restored-q'])
      expect(at(source, restored)).toBe(made);
    // The service's own volume of that name is another one.
    expect(at('berth-c1-shop-data', restored)).toBe('berth-c1-shop-data');
    expect(replacedVolumes(restored)).toEqual([[name, made]]);
    expect(givenVolumes(restored)).toEqual([made]);
  });

  it('is back after a restore was undone, and needs its approval as before', () => {
    const restored = withVolume({}, service, name, restoredVolume(service, name, 'r'));
    const back = withVolume(restored, service, name, null);
    for (const source of ['shop-data', 'berth-c1-_shop-data.restored-r'])
      expect(at(source, back)).toBe('shop-data');
    expect(givenVolumes(back)).toEqual([]);
  });
});
