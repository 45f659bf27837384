import { expect, test, vi } from 'vitest';
import { createInFlight } from './in-flight.ts';

const patient = { timeout: 60_000 };
const never = new AbortController().signal;

test('as much as may be runs at once, the rest in the order in which it came', async () => {
  const inFlight = createInFlight(2);
  const begun: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<string>>();
  const start = (name: string): Promise<string> => {
    const gate = Promise.withResolvers<string>();
    gates.set(name, gate);
    return inFlight.run(never, () => {
      begun.push(name);
      return gate.promise;
    });
  };
  const [first, second, third, fourth] = ['a', 'b', 'c', 'd'].map(start);
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b']);
  gates.get('b')?.reject(new Error('no'));
  await expect(second).rejects.toThrow('no');
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b', 'c']), patient);
  gates.get('a')?.resolve('done');
  expect(await first).toBe('done');
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b', 'c', 'd']), patient);
  gates.get('c')?.resolve('c');
  gates.get('d')?.resolve('d');
  expect(await Promise.all([third, fourth])).toEqual(['c', 'd']);
});

test('whoever waits too long leaves the line, and takes no place', async () => {
  const inFlight = createInFlight(1);
  const held = Promise.withResolvers<void>();
  const holder = inFlight.run(never, () => held.promise);
  const limit = new AbortController();
  const late = inFlight.run(limit.signal, async () => 'late');
  limit.abort(new Error('too late'));
  await expect(late).rejects.toThrow('too late');
  const next = inFlight.run(never, async () => 'next');
  held.resolve();
  await holder;
  expect(await next).toBe('next');
  await expect(inFlight.run(limit.signal, async () => 'never')).rejects.toThrow('too late');
});
