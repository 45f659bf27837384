import { expect, it } from 'vitest';
import { createEndMark } from '../exec/end-mark.ts';
import { readEagerly } from './read-eagerly.ts';

const size = 64 * 1024;

function source(count: number) {
  const given = { count: 0 };
  async function* chunks(): AsyncGenerator<Buffer> {
    for (; given.count < count; given.count += 1) yield Buffer.alloc(size, given.count);
  }
  return { given, chunks: chunks() };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('takes little more than what is read, until the writer has ended', async () => {
  const { given, chunks } = source(100);
  const ended = Promise.withResolvers<void>();
  const reading = readEagerly(chunks, ended.promise);
  await reading.next();
  await settled();
  expect(given.count).toBeLessThan(8);
  ended.resolve();
  await settled();
  expect(given.count).toBe(100);
  let bytes = size;
  for await (const chunk of reading) bytes += chunk.length;
  expect(bytes).toBe(100 * size);
});

it('gives the chunks in their order, and the fault behind them', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from('a');
    yield Buffer.from('b');
    throw new Error('broke off');
  }
  const seen: string[] = [];
  const reading = (async () => {
    for await (const chunk of readEagerly(broken(), Promise.reject(new Error('no answer'))))
      seen.push(chunk.toString());
  })();
  await expect(reading).rejects.toThrow('broke off');
  expect(seen).toEqual(['a', 'b']);
});

it('ends its source when nobody reads on', async () => {
  const { given, chunks } = source(1000);
  for await (const chunk of readEagerly(chunks, new Promise(() => undefined))) {
    expect(chunk).toHaveLength(size);
    break;
  }
  await settled();
  expect(given.count).toBeLessThan(1000);
});

it('tells the end of an output from a cut by its mark, however the bytes come', async () => {
  for (const cut of [0, 1, 5]) {
    for (const pieces of [1, 7, 1000]) {
      const mark = createEndMark();
      const { env } = mark.command(['true']);
      const whole = Buffer.from(`some output\n${env.slice(env.indexOf('=') + 1)}`);
      const sent = whole.subarray(0, whole.length - cut);
      const chunks = async function* (): AsyncGenerator<Buffer> {
        for (let at = 0; at < sent.length; at += pieces) yield sent.subarray(at, at + pieces);
      };
      let text = '';
      for await (const chunk of mark.strip(chunks())) text += Buffer.from(chunk).toString();
      expect([mark.isWhole(), text === 'some output']).toEqual([cut === 0, cut === 0]);
    }
  }
});
