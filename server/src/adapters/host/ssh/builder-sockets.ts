/** Builders of a server: their sockets as ones of this machine, their limits by programs there. */
import { mkdir, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { AppError } from '../../../domain/errors.ts';
import type { HostConnection } from '../../../ports/host/host-connection.ts';
import { builderSockets } from '../../build-engine/builder-folders.ts';
import { listenHere } from './forwarded-sockets.ts';
import { createRemoteBuildLimiter } from './remote-build-limits.ts';
import type { RunThere } from './remote-files.ts';
import type { SshLink } from './ssh-link.ts';

export interface BuilderSocketsOptions {
  /** Of this machine, and of the server. */
  folder: string;
  there: string;
  run: RunThere;
  link: Pick<SshLink, 'client'>;
}

export function createBuilderSockets(
  { folder, there, run, link }: BuilderSocketsOptions,
  open: (path: string) => Promise<Duplex>,
): Pick<HostConnection, 'buildersFolder' | 'builderFolders' | 'buildLimiter'> {
  /** By the name of the builder's folder. */
  const listening = new Map<string, Promise<Server[]>>();
  async function listen(name: string): Promise<Server[]> {
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    return Promise.all(
      builderSockets.map((socket) =>
        listenHere(join(folder, name, socket), () => open(join(there, name, socket))),
      ),
    );
  }
  return {
    buildersFolder: folder,
    builderFolders: {
      async make(name) {
        const { target } = await link.client();
        const made = await run([
          'sh',
          '-c',
          'umask 077 && mkdir -p -- "$1" && exec chown -- "$2" "$1"',
          'sh',
          join(there, name),
          target.username,
        ]);
        if (made.code !== 0)
          throw new AppError(
            'SERVICE_UNAVAILABLE',
            `The folder ${join(there, name)} for a builder cannot be made on ${target.serverName}: ` +
              `${made.stderr.trim().slice(0, 300)}.`,
          );
        const present = listening.get(name) ?? listen(name);
        listening.set(name, present);
        await present.catch((error: unknown) => {
          listening.delete(name);
          throw error;
        });
      },
      async remove(name) {
        for (const server of (await listening.get(name)) ?? []) server.close();
        listening.delete(name);
        await rm(join(folder, name), { recursive: true, force: true });
        await run(['rm', '-rf', '--', join(there, name)]);
      },
    },
    buildLimiter: (socket) => createRemoteBuildLimiter(run, join(there, socket.slice(folder.length + 1))),
  };
}
