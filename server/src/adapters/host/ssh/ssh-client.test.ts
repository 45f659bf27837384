/** Against an SSH server of the test's own: ssh2's. */
import { once } from 'node:events';
import { Socket } from 'node:net';
import ssh2, { type Connection } from 'ssh2';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sshKeyPairs } from '../../ssh/key-pairs.ts';
import { connectSsh, type SshTarget } from './ssh-client.ts';

/** As Berth makes them: ssh2 alone writes one in 256 so that nobody can read it. */
const newKey = () => sshKeyPairs.generate('ed25519', 'test');
const userKey = await newKey();
const quick = { everyMs: 50, unanswered: 2 };

test('the host key is told, and a connection that is cut ends with the reason', async () => {
  const { target, accepted } = await sshServer();
  const connected = await connectSsh(target, quick);
  expect(connected.hostKey).toMatch(/^SHA256:/);
  for (const connection of accepted) connection.end();
  expect((await connected.ended).message).toContain('What runs there keeps running; Berth will try again.');
});

test('what is sent goes out at once, whether the last packet was acknowledged or not', async () => {
  const { target } = await sshServer();
  const setNoDelay = vi.spyOn(Socket.prototype, 'setNoDelay');
  onTestFinished(() => setNoDelay.mockRestore());
  const connected = await connectSsh(target, quick);
  expect(setNoDelay.mock.calls).toEqual([[true]]);
  connected.end();
});

test('another host key is refused with both fingerprints before anybody signs in', async () => {
  const { target, attempts } = await sshServer();
  const first = await connectSsh(target, quick);
  first.end();
  await first.ended;
  const signedIn = attempts();
  const pinned = 'SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const refused = await connectSsh({ ...target, hostKey: pinned }, quick).catch(String);
  expect(refused).toContain(`presents the host key ${first.hostKey}, but ${pinned} is pinned`);
  expect([signedIn > 0, attempts() - signedIn]).toEqual([true, 0]);
  const again = await connectSsh({ ...target, hostKey: first.hostKey }, quick);
  again.end();
});

test('a key that the server does not know is told with the way out', async () => {
  const { target } = await sshServer();
  const { privateKey } = await newKey();
  await expect(connectSsh({ ...target, privateKey }, quick)).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringContaining('authorized_keys of root'),
  });
});

/** Lets `root` in with `userKey`. */
async function sshServer() {
  const accepted: Connection[] = [];
  let attempts = 0;
  const hostKeys = [(await newKey()).privateKey.reveal()];
  const server = new ssh2.Server({ hostKeys }, (connection) => {
    accepted.push(connection);
    // How a connection ends is what the client is asked.
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => {
      attempts += 1;
      const known = ssh2.utils.parseKey(userKey.publicKey);
      if (known instanceof Error) throw known;
      const isKnown = context.method === 'publickey' && context.key.data.equals(known.getPublicSSH());
      if (isKnown) context.accept();
      else context.reject(['publickey']);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const connection of accepted) connection.end();
    server.close();
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The SSH server has no port.');
  const target: SshTarget = {
    serverName: 'the server far',
    ipAddress: '127.0.0.1',
    address: '127.0.0.1',
    port: bound.port,
    username: 'root',
    privateKey: userKey.privateKey,
    hostKey: null,
  };
  return { target, accepted, attempts: () => attempts };
}
