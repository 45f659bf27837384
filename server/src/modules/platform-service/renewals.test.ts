import { expect, test } from 'vitest';
import { AppError } from '../../domain/errors.ts';
import { createRenewals, type Begun } from './renewals.ts';

const broken = new AppError('SERVICE_UNAVAILABLE', 'It did not work on far.');

/** Renewals of machines that come out as told. */
function world() {
  let now = 0;
  const renewals = createRenewals({ now: () => now });
  const begun: string[] = [];
  return {
    renewals,
    begun,
    wait: (ms: number) => void (now += ms),
    take: (
      machine: string,
      version: string,
      outcome: Begun<string>['outcome'] = Promise.resolve(undefined),
    ) =>
      renewals.take(version, async () => {
        begun.push(machine);
        return { result: machine, outcome };
      }),
  };
}

test('the next machine has its turn when the one before it has come out', async () => {
  const { take, begun } = world();
  const first = Promise.withResolvers<undefined>();
  const both = [take('near', 'two', first.promise), take('far', 'two')];
  expect(await both[0]).toBe('near');
  expect(begun).toEqual(['near']);
  first.resolve(undefined);
  expect(await both[1]).toBe('far');
});

test('a version that did not work goes nowhere else for an hour; another one does', async () => {
  const { take, begun, renewals, wait } = world();
  const all = [
    take('near', 'two', Promise.resolve(broken)),
    take('far', 'two'),
    take('far', 'three'),
    take('farther', 'two'),
  ];
  expect(await Promise.all(all)).toEqual(['near', undefined, 'far', undefined]);
  expect(renewals.failure('two')).toBe(broken);
  expect(renewals.failure('three')).toBeUndefined();
  wait(3_600_000);
  expect(renewals.failure('two')).toBeUndefined();
  expect(await take('far', 'two')).toBe('far');
  expect(begun).toEqual(['near', 'far', 'far']);
});

test('what could not begin, or whose outcome nobody knows, says nothing of the version', async () => {
  const { take, renewals } = world();
  const silent = new AppError('SERVICE_UNAVAILABLE', 'The server cannot be reached.');
  await expect(renewals.take('two', () => Promise.reject(silent))).rejects.toBe(silent);
  expect(await take('near', 'two', Promise.reject(silent))).toBe('near');
  expect(await take('far', 'two')).toBe('far');
  expect(renewals.failure('two')).toBeUndefined();
});
