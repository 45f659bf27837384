/** Unix sockets of a server as ones of this machine, and the other way. */
import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { AppError } from '../../../domain/errors.ts';
import { randomId } from '../../../ports/clock.ts';
import type { SshClient } from './ssh-client.ts';

/** Of sun_path, with its end (unix(7)). */
const longestPath = 107;

/**
 * Listens here and joins each connection with what `open` gives; when that fails, the connection is closed.
 */
export async function listenHere(path: string, open: () => Promise<Duplex>): Promise<Server> {
  if (Buffer.byteLength(path) > longestPath)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The path ${path} is longer than the ${longestPath} bytes that the path of a socket may have. ` +
        'Choose a shorter BERTH_DATA.',
    );
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (here) => {
    here.on('error', () => undefined);
    open().then(
      (there) => join(here, there),
      () => here.destroy(),
    );
  });
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve);
  });
  return server;
}

/** Either end that closes closes the other; one that only says its last word passes that on. */
function join(here: Socket, there: Duplex): void {
  there.on('error', () => undefined);
  there.once('close', () => here.destroy());
  here.once('close', () => there.destroy());
  if (here.destroyed) there.destroy();
  here.pipe(there);
  there.pipe(here);
}

/** Paths of sockets there, each with the path of the one here that gets its connections. */
export type SocketsThere = ReadonlyMap<string, string>;

/** Takes every connection that the server's sockets get. */
export function answerThere({ client }: SshClient, sockets: SocketsThere): void {
  client.on('unix connection', ({ socketPath }, accept, reject) => {
    // They are bound under names of their own (bindThere).
    const target = sockets.get(socketPath.replace(/\.[a-z0-9]+$/, ''));
    if (target === undefined) return reject();
    const there: Duplex = accept();
    const here = connect({ path: target, allowHalfOpen: true });
    here.on('error', () => undefined);
    join(here, there);
  });
}

/**
 * Binds a socket there under a name of its own, so that neither one that a former connection left nor the end
 * of that connection is in the way; gives the name. The caller renames it.
 */
export function bindThere({ client }: SshClient, path: string): Promise<string> {
  const name = `${path}.${randomId(8)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, 'x')}`;
  return new Promise((resolve, reject) => {
    client.openssh_forwardInStreamLocal(name, (error) => {
      if (error) reject(error);
      else resolve(name);
    });
  });
}
