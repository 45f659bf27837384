import { once } from 'node:events';
import { createServer } from 'node:net';
import ssh2 from 'ssh2';
import { expect, test } from 'vitest';
import { Secret } from '../../../domain/secrets/secret.ts';
import { connectSsh, type SshTarget } from './ssh-client.ts';
import { unreachable } from './ssh-fault.ts';

const target = (port: number): SshTarget => ({
  serverName: 'the server far',
  ipAddress: '127.0.0.1',
  address: '127.0.0.1',
  port,
  username: 'root',
  privateKey: new Secret(ssh2.utils.generateKeyPairSync('ed25519').private),
  hostKey: null,
});

test('a port on which nothing listens is told in whole sentences, with what to see to', async () => {
  const port = await closedPort();
  await expect(connectSsh(target(port))).rejects.toThrow(
    `The server far cannot be reached over SSH at 127.0.0.1, port ${port}: it refused the connection; ` +
      'see that its sshd runs and listens on this port. What runs there keeps running; Berth will try again.',
  );
});

test.each(['it is busy.', 'is it busy?', 'it is busy!'])('"%s" ends with one mark', (words) => {
  const { message } = unreachable(target(22), new Error(words));
  expect(message).toContain('busy. What runs there');
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  server.close();
  await once(server, 'close');
  if (bound === null || typeof bound === 'string') throw new Error('No port is free.');
  return bound.port;
}
