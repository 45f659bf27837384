import { expect, test } from 'vitest';
import { applicationRef, composeRef } from './service-ref.ts';
import { firstVolume, onPresentVolumes, presentVolume, restoredVolume } from './restored-volumes.ts';

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
