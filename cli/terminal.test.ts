import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ask, askSecret, type Terminal } from './terminal.ts';

/** Somebody who types ctrl-D at the first question. */
function leaving(): Terminal {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  return {
    environment: {},
    folder: '/',
    stdin,
    isTerminal: true,
    columns: 80,
    out: () => undefined,
    say: () => void stdin.end(),
    signal: new AbortController().signal,
    now: () => 0,
    runProgram: async () => 0,
    write: async () => undefined,
  };
}

test('a question that ends without an answer is refused', async () => {
  await expect(ask(leaving(), 'Project', 'shop')).rejects.toThrow('There was no answer');
  await expect(askSecret(leaving(), 'Password: ')).rejects.toThrow('There was no answer');
});
