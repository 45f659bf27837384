import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { onFreePort, saysTaken } from './free-port.ts';

test('a port that somebody takes before the program is given up for another one', async () => {
  const holder = createServer();
  const tried: number[] = [];
  const start = async (port: number): Promise<number> => {
    tried.push(port);
    if (tried.length === 1) await once(holder.listen(port, '127.0.0.1'), 'listening');
    const program = createServer().listen(port, '127.0.0.1');
    await once(program, 'listening').finally(() => program.close());
    return port;
  };
  try {
    const port = await onFreePort('127.0.0.1', start, saysTaken);
    expect(tried).toHaveLength(2);
    expect(port).toBe(tried[1]);
  } finally {
    holder.close();
  }
});

test('another failure is told at once', async () => {
  let tries = 0;
  const start = async (): Promise<never> => {
    tries += 1;
    throw new Error('no such program');
  };
  await expect(onFreePort('127.0.0.1', start, saysTaken)).rejects.toThrow('no such program');
  expect(tries).toBe(1);
});
