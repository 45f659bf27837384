import { describe, expect, it } from 'vitest';
import { createHashQueue } from './hash-queue.ts';

/** Work that lasts until it is told to end. */
function open(atOnce: number) {
  const queue = createHashQueue(atOnce);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    hash: (name: string, caller: string, isKnown = false): Promise<string> =>
      queue.run({ caller, isKnown }, async () => {
        begun.push(name);
        await new Promise<void>((end) => ends.set(name, end));
        return name;
      }),
    end: (name: string): void => ends.get(name)?.(),
  };
}

describe('the queue of password hashes', () => {
  it('does no more at once than may be, and all in the end', async () => {
    const { begun, hash, end } = open(2);
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => hash(name, 'one'));
    expect(begun).toEqual(['a', 'b']);
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      end(name);
      expect(await all[index]).toBe(name);
      expect(begun.length).toBe(Math.min(5, index + 3));
    }
    const after = [hash('f', 'one'), hash('g', 'one'), hash('h', 'one')];
    expect(begun.slice(5)).toEqual(['f', 'g']);
    for (const [index, name] of ['f', 'g', 'h'].entries()) {
      end(name);
      await after[index];
    }
  });

  it('serves known devices first, and everybody of a kind in turn', async () => {
    const { begun, hash, end } = open(1);
    const all = new Map([
      ...['a1', 'a2', 'a3', 'a4'].map((name) => [name, hash(name, 'a')] as const),
      ['b1', hash('b1', 'b')],
      ['c1', hash('c1', 'c')],
      ...['k1', 'k2'].map((name) => [name, hash(name, 'known', true)] as const),
      ['l1', hash('l1', 'laptop', true)],
    ]);
    const expected = ['a1', 'k1', 'l1', 'k2', 'a2', 'b1', 'c1', 'a3', 'a4'];
    for (const name of expected) {
      expect(begun.at(-1)).toBe(name);
      end(name);
      await all.get(name);
    }
    expect(begun).toEqual(expected);
  });

  it('hands its place on when the work fails', async () => {
    const queue = createHashQueue(1);
    const on = { caller: 'a', isKnown: false };
    const failed = queue.run(on, async () => {
      throw new Error('no memory');
    });
    const next = queue.run(on, async () => 'done');
    await expect(failed).rejects.toThrow('no memory');
    expect(await next).toBe('done');
  });
});
