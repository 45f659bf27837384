import { expect, it } from 'vitest';
import { outputEvents, woven } from './output-events.ts';

const line = (at: string, change: object = {}) => ({
  at,
  stream: 'stdout' as const,
  taskId: 't1',
  nodeId: 'n1',
  text: `line ${at}`,
  ...change,
});

it('a stream goes on after the position it is given, and names task, node and service', async () => {
  const output = {
    read: async () => [line('1'), line('2'), line('3', { taskId: '', nodeId: '', serviceName: 'web' })],
    follow: () => woven<never>([]),
  };
  const context = { lastEventId: '1', follow: false, signal: new AbortController().signal };
  expect(await Array.fromAsync(outputEvents(context, output))).toEqual([
    { id: '2', data: { type: 'line', text: 'line 2', at: '2', stream: 'stdout', task: 't1', node: 'n1' } },
    { id: '3', data: { type: 'line', text: 'line 3', at: '3', stream: 'stdout', service: 'web' } },
  ]);
});

async function* counted(name: string, until: number): AsyncGenerator<string> {
  for (let n = 0; n < until; n += 1) yield `${name}${n}`;
}

it('several sources give all that each gives, each in its own order', async () => {
  const all = await Array.fromAsync(woven([counted('a', 50), counted('b', 3), counted('c', 0)]));
  expect(all).toHaveLength(53);
  for (const name of ['a', 'b']) {
    const own = all.filter((each) => each.startsWith(name));
    expect(own).toEqual(await Array.fromAsync(counted(name, own.length)));
  }
});

it('a silent source holds none back, a faulty one fails all, and all end with the reader', async () => {
  const ended = new Set<string>();
  async function* silent(): AsyncGenerator<string> {
    yield await new Promise<string>(() => undefined);
  }
  async function* endless(name: string): AsyncGenerator<string> {
    try {
      for (;;) yield name;
    } finally {
      ended.add(name);
    }
  }
  let taken = 0;
  for await (const _ of woven([silent(), endless('a'), endless('b')])) if ((taken += 1) === 20) break;
  await expect.poll(() => [...ended].toSorted()).toEqual(['a', 'b']);
  async function* faulty(): AsyncGenerator<string> {
    yield 'one';
    throw new Error('the engine is away');
  }
  await expect(Array.fromAsync(woven([faulty(), silent()]))).rejects.toThrow('the engine is away');
});
