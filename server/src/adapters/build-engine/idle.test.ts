import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createIdle } from './idle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const minute = 60_000;

test('what nobody uses is stopped after its time, and not before', async () => {
  const stop = vi.fn(async () => undefined);
  const idle = createIdle(10 * minute, stop);
  idle.take();
  await vi.advanceTimersByTimeAsync(60 * minute);
  expect(stop).not.toHaveBeenCalled();
  idle.giveBack();
  await vi.advanceTimersByTimeAsync(10 * minute - 1);
  expect(stop).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(stop).toHaveBeenCalledTimes(1);
  expect(idle.isAwaited()).toBe(false);
});

test('it is awaited from its first use until it is stopped', async () => {
  const idle = createIdle(minute, async () => undefined);
  expect(idle.isAwaited()).toBe(false);
  idle.take();
  expect(idle.isAwaited()).toBe(true);
  idle.giveBack();
  expect(idle.isAwaited()).toBe(true);
  await vi.advanceTimersByTimeAsync(minute);
  expect(idle.isAwaited()).toBe(false);
});

test('another use begins the time anew, and one of two users keeps it', async () => {
  const stop = vi.fn(async () => undefined);
  const idle = createIdle(10 * minute, stop);
  idle.take();
  idle.giveBack();
  await vi.advanceTimersByTimeAsync(9 * minute);
  idle.take();
  idle.take();
  idle.giveBack();
  await vi.advanceTimersByTimeAsync(30 * minute);
  expect(stop).not.toHaveBeenCalled();
  expect(idle.users()).toBe(1);
  idle.giveBack();
  await vi.advanceTimersByTimeAsync(10 * minute);
  expect(stop).toHaveBeenCalledTimes(1);
});

test('a stop that fails is tried again after the same time', async () => {
  const stop = vi.fn(async () => undefined).mockRejectedValueOnce(new Error('the engine does not answer'));
  const idle = createIdle(10 * minute, stop);
  idle.take();
  idle.giveBack();
  await vi.advanceTimersByTimeAsync(20 * minute);
  expect(stop).toHaveBeenCalledTimes(2);
});
