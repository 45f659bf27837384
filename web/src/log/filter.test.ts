import { expect, it } from 'vitest';
import { everyLine, isoTime, localTime, timesOf } from './filter.ts';
import {
  colourCount,
  colourOf,
  createLogStore,
  matching,
  mergedByTime,
  searchOf,
  type Line,
} from './lines.ts';

const now = Date.parse('2026-11-24T12:00:00.000Z');

it('a range reaches back from when it was chosen, or has two ends, of which each may lack', () => {
  expect(timesOf(everyLine, now)).toEqual({});
  expect(timesOf({ ...everyLine, range: '5m' }, now)).toEqual({ from: '2026-11-24T11:55:00.000Z' });
  const to = '2026-11-24T11:00:00.000Z';
  expect(timesOf({ ...everyLine, range: 'between', to }, now)).toEqual({ to });
});

it('a time goes into the field of the browser and comes back', () => {
  const iso = '2026-11-24T11:22:33.000Z';
  expect(isoTime(localTime(iso))).toBe(iso);
  expect([localTime(''), isoTime('')]).toEqual(['', '']);
});

const lines: Line[] = [
  { text: 'begun', at: '2026-11-24T11:00:00.000000001Z', service: 'web', task: 'a' },
  { text: 'error: full', at: '2026-11-24T11:30:00.5Z', service: 'data', task: 'b' },
  { text: 'warning', at: '2026-11-24T11:59:00.123456789Z', service: 'web', task: 'c' },
  { text: 'without a time', service: 'web' },
];

it('lines are left by time, service, task, level and text, each alone and together', () => {
  expect(matching(lines, {})).toBeUndefined();
  expect(matching(lines, { from: '2026-11-24T11:30:00.000Z' })).toEqual([1, 2]);
  expect(matching(lines, { from: '2026-11-24T11:00:00.000Z', to: '2026-11-24T11:30:00.400Z' })).toEqual([0]);
  expect(matching(lines, { service: 'web' })).toEqual([0, 2, 3]);
  expect(matching(lines, { task: 'b' })).toEqual([1]);
  expect(matching(lines, { level: 'warn' })).toEqual([1, 2]);
  expect(matching(lines, { service: 'web', level: 'warn', search: /warn/ })).toEqual([2]);
});

it('error output is left alone, and a wrong expression says what is wrong', () => {
  const both: Line[] = [
    { text: 'ready', stream: 'stdout' },
    { text: 'connect ECONNREFUSED', stream: 'stderr' },
  ];
  expect(matching(both, { level: 'stderr' })).toEqual([1]);
  expect(searchOf('/(/').fault).toBe('Not a regular expression: unterminated group.');
  expect([searchOf('/(/').expression, searchOf('').expression]).toEqual([undefined, undefined]);
  expect(searchOf('/a+b/').expression?.test('xAAB')).toBe(true);
  expect(searchOf('a+b').expression?.test('a+b')).toBe(true);
});

it('what comes late stands where its time belongs; what is alike stays in its order', () => {
  const line = (at: string, text: string): Line => ({ at, text });
  const merged = mergedByTime(
    [line('2026-11-24T11:00:00.5Z', 'a'), { text: 'no time' }, line('2026-11-24T11:00:02Z', 'd')],
    [
      line('2026-11-24T11:00:01Z', 'c'),
      line('2026-11-24T11:00:00.51Z', 'b'),
      line('2026-11-24T11:00:03Z', 'e'),
    ],
  );
  expect(merged.map(({ text }) => text)).toEqual(['a', 'no time', 'b', 'c', 'd', 'e']);
});

it('a store of several writers is in order once it tells', async () => {
  const store = createLogStore({ isByTime: true });
  const told = new Promise<void>((resolve) => void store.subscribe(resolve));
  store.add({ text: 'new task', at: '2026-11-24T11:00:05Z' });
  store.add({ text: 'old task', at: '2026-11-24T11:00:01Z' });
  await told;
  expect(store.lines.map(({ text }) => text)).toEqual(['old task', 'new task']);
});

it('services have colours of their own as long as there are some, and the same again next time', () => {
  const names = Array.from({ length: colourCount + 1 }, (_, at) => `service ${at}`);
  const colours = new Set<number>();
  for (const name of names.slice(0, colourCount)) colours.add(colourOf(name, colours));
  expect(colours.size).toBe(colourCount);
  expect(colourOf(names.at(-1) ?? '', colours)).toBeLessThan(colourCount);
  expect(colourOf('web', new Set())).toBe(colourOf('web', new Set()));
});
