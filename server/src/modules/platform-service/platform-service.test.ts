import { expect, test } from 'vitest';
import { AppError } from '../../domain/errors.ts';
import { createRenewals, type Begun } from './platform-service.ts';

const broken = new AppError('SERVICE_UNAVAILABLE', 'It did not work on far.');

/** Renewals of machines that come out as told; `called` are those whose turn it was said to be. */
function world() {
  let now = 0;
  const renewals = createRenewals({ now: () => now });
  const called: string[] = [];
  const turns = new Map<string, () => void>();
  const onTurn = (machine: string): (() => void) => {
    const present = turns.get(machine) ?? (() => void called.push(machine));
    turns.set(machine, present);
    return present;
  };
  return {
    renewals,
    called,
    wait: (ms: number) => void (now += ms),
    take: (
      machine: string,
      version: string,
      outcome: Begun<string>['outcome'] = Promise.resolve(undefined),
    ) => renewals.take(version, async () => ({ result: machine, outcome }), onTurn(machine)),
  };
}

/** Everything that is settled has been told. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('the next machine is called when the one before it has come out', async () => {
  const { take, called } = world();
  const first = Promise.withResolvers<undefined>();
  expect(await take('near', 'two', first.promise)).toBe('near');
  for (const machine of ['far', 'farther', 'far']) expect(await take(machine, 'two')).toBeUndefined();
  await settled();
  expect(called).toEqual([]);
  first.resolve(undefined);
  await settled();
  expect(called).toEqual(['far']);
  expect(await take('far', 'two')).toBe('far');
  await settled();
  expect(called).toEqual(['far', 'farther']);
  expect(await take('farther', 'two')).toBe('farther');
});

test('a version that did not work goes nowhere else for an hour; another one does', async () => {
  const { take, renewals, wait } = world();
  expect(await take('near', 'two', Promise.resolve(broken))).toBe('near');
  await settled();
  expect(await take('far', 'two')).toBeUndefined();
  expect(renewals.failure('two')).toBe(broken);
  expect(await take('far', 'three')).toBe('far');
  await settled();
  expect(renewals.failure('three')).toBeUndefined();
  wait(3_600_000);
  expect(renewals.failure('two')).toBeUndefined();
  expect(await take('far', 'two')).toBe('far');
});

test('what could not begin, or whose outcome nobody knows, says nothing of the version', async () => {
  const { take, renewals } = world();
  const silent = new AppError('SERVICE_UNAVAILABLE', 'The server cannot be reached.');
  const failing = renewals.take('two', () => Promise.reject(silent));
  await expect(failing).rejects.toBe(silent);
  expect(await take('near', 'two', Promise.reject(silent))).toBe('near');
  await settled();
  expect(await take('far', 'two')).toBe('far');
  expect(renewals.failure('two')).toBeUndefined();
});
