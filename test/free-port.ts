import { once } from 'node:events';
import { createServer } from 'node:net';

const tries = 5;

/**
 * Starts a program on a port that is free now. Whatever else runs may take the port before the program has
 * it, so a start that ends with `isTaken` is made again, on another port.
 */
export async function onFreePort<T>(
  address: string,
  start: (port: number) => Promise<T>,
  isTaken: (error: unknown) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort(address));
    } catch (error) {
      if (attempt === tries || !isTaken(error)) throw error;
    }
  }
}

/** What programs say of a port that is another's. */
export const saysTaken = (error: unknown): boolean =>
  /EADDRINUSE|address already in use/iu.test(error instanceof Error ? error.message : '');

async function freePort(address: string): Promise<number> {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const bound = server.address();
  server.close();
  await once(server, 'close');
  if (bound === null || typeof bound === 'string') throw new Error(`No port is free at ${address}.`);
  return bound.port;
}
