import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { isPortFree } from './free-port.ts';

test('a port is free until somebody listens on it, on whatever address', async () => {
  for (const host of ['0.0.0.0', '127.0.0.1']) {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, host, () => resolve(portOf(server.address()))),
    );
    expect(await isPortFree(port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isPortFree(port)).toBe(true);
  }
});

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('The server has no address.');
  return address.port;
}
