import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOlder } from './verdict.ts';

interface Told {
  action: 'open' | 'close';
  updatedAt: string;
}

/** The life of a pull request: opened, pushed to, closed, perhaps opened again, a second or more apart. */
const life = fc
  .array(
    fc.record({
      action: fc.constantFrom('open' as const, 'close' as const),
      gap: fc.integer({ min: 1, max: 900 }),
    }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((steps) => {
    let at = Date.parse('2026-01-02T10:00:00Z');
    return steps.map(({ action, gap }): Told => {
      at += gap * 1000;
      return { action, updatedAt: new Date(at).toISOString() };
    });
  });

/** Any order, and any event more than once, as hosts deliver them. */
const deliveries = life.chain((told) =>
  fc
    .tuple(
      fc.shuffledSubarray(told, { minLength: told.length }),
      fc.array(fc.constantFrom(...told), { maxLength: 6 }),
    )
    .map(([once, again]) => ({ last: told.at(-1), order: [...once, ...again] })),
);

test('events in any order end in the newest state of the pull request', () => {
  fc.assert(
    fc.property(deliveries, ({ last, order }) => {
      let known: Told | undefined;
      for (const event of order) if (known === undefined || !isOlder(event, known)) known = event;
      expect(known).toEqual(last);
    }),
    { numRuns: 10_000 },
  );
});

test('in the second of its end a pull request counts as ended', () => {
  const updatedAt = '2026-01-02T10:00:00.000Z';
  expect(isOlder({ action: 'open', updatedAt }, { action: 'close', updatedAt })).toBe(true);
  expect(isOlder({ action: 'close', updatedAt }, { action: 'open', updatedAt })).toBe(false);
  expect(isOlder({ action: 'open', updatedAt }, { action: 'open', updatedAt })).toBe(false);
});
