import { expect, it } from 'vitest';
import { lineDifference, mergeLines } from './line-merge.ts';

const base =
  'services:\n  app:\n    image: app:1\n    ports: [80]\n  db:\n    image: db:1\nvolumes:\n  db:\n';

it('puts changes of different lines together', () => {
  const own = base.replace('    ports: [80]\n', '    ports: [80]\n    init: true\n');
  const other = base.replace('db:1', 'db:2').replace('app:1', 'app:2');
  expect(mergeLines(base, own, other)).toEqual({
    text: own.replace('db:1', 'db:2').replace('app:1', 'app:2'),
    conflicts: [],
  });
});

it('keeps a line that was taken out, and takes the same change of both once', () => {
  const own = base.replace('    ports: [80]\n', '').replace('db:1', 'db:2');
  const other = base.replace('db:1', 'db:2').replace('  db:\n    image', '  db:\n    init: true\n    image');
  expect(mergeLines(base, base, other)).toEqual({ text: other, conflicts: [] });
  expect(mergeLines(base, own, base)).toEqual({ text: own, conflicts: [] });
  expect(mergeLines(base, own, own)).toEqual({ text: own, conflicts: [] });
});

it('tells a line that both changed, and keeps the own one', () => {
  const own = base.replace('app:1', 'mine:1');
  const other = base.replace('app:1', 'app:2').replace('db:1', 'db:2');
  expect(mergeLines(base, own, other)).toEqual({
    text: own.replace('db:1', 'db:2'),
    conflicts: [{ own: ['    image: mine:1'], other: ['    image: app:2'] }],
  });
});

it('shows a difference with three lines around it', () => {
  expect(lineDifference(base, base)).toBe('');
  expect(lineDifference(base, base.replace('app:1', 'app:2'))).toBe(
    ' services:\n   app:\n-    image: app:1\n+    image: app:2\n     ports: [80]\n   db:\n     image: db:1',
  );
  const far = `${base}\n\n\n\n\n\n`;
  expect(lineDifference(far, `x\n${far}y`).split('\n')).toContain('…');
});

it('ends with texts that have nothing in common and many lines', () => {
  const lines = (sign: string): string =>
    Array.from({ length: 30_000 }, (_, at) => `${sign}${at}`).join('\n');
  expect(mergeLines(lines('a'), lines('b'), lines('c')).conflicts).toHaveLength(1);
});
