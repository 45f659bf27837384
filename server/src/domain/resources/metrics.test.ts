import { expect, it } from 'vitest';
import { createThresholds, isMeasured, merged, pointsOf, type MachineSample } from './metrics.ts';

const sample = (at: number, more: Partial<MachineSample> = {}): MachineSample => ({
  at,
  cpu: 10,
  memoryUsed: 50,
  memoryTotal: 100,
  diskUsed: 1,
  diskTotal: 2,
  networkIn: 5,
  networkOut: 7,
  load: 1,
  ...more,
});

it('samples become one: traffic is summed, the rest averaged, the time is the last', () => {
  expect(merged([sample(1000, { cpu: 0 }), sample(2000, { cpu: 50 })])).toEqual(
    sample(2000, { cpu: 25, networkIn: 10, networkOut: 14 }),
  );
});

it('no more points than asked, in equal lengths of time, and nothing of the traffic is lost', () => {
  const samples = Array.from({ length: 100 }, (_, index) => sample(index * 1000));
  const points = pointsOf(samples, { since: 0, until: 100_000, points: 7 });
  expect(points).toHaveLength(7);
  expect(points.reduce((total, { networkIn }) => total + networkIn, 0)).toBe(500);
  expect(points.at(-1)?.at).toBe(99_000);
  expect(pointsOf(samples, { since: 0, until: 100_000, points: 100 })).toEqual(samples);
});

it.each([
  ['shop-web', [], [], true],
  ['shop-web', ['shop-web'], [], true],
  ['shop-web', ['shop'], [], false],
  ['shop-web', ['shop*'], [], true],
  ['shop-web', ['*'], ['*web'], false],
  ['shop-web', ['s*p-*b'], [], true],
  ['ab', ['ab*b'], [], false],
  ['shop-web', [], ['other*'], true],
])('%s with include %j and exclude %j: %s', (name, include, exclude, measured) => {
  expect(isMeasured(name, { include, exclude })).toBe(measured);
});

it('a threshold is told when it is passed, and again only after the value was below', () => {
  const look = createThresholds({ cpu: 80, memory: 0 });
  const told = [70, 90, 95, 80, 81].map((cpu, at) => look(sample(at, { cpu, memoryUsed: 100 })));
  expect(told).toEqual([
    [],
    [{ at: 1, kind: 'cpu', value: 90, threshold: 80 }],
    [],
    [],
    [{ at: 4, kind: 'cpu', value: 81, threshold: 80 }],
  ]);
});
