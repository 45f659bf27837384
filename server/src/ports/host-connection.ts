/**
 * What a host is made of: a remote host is a local one behind sockets. Whoever connects a server gives its
 * sockets as paths of this machine, and does the few things that need the server itself.
 */
import type { BuildLimiter } from './builder.ts';
import type { Host } from './host.ts';
import type { PortWall } from './port-wall.ts';

export interface HostConnection
  extends Pick<
    Host,
    'proxyPorts' | 'files' | 'folders' | 'probePath' | 'protectedPaths' | 'realPath' | 'facts' | 'isPortFree'
  > {
  /** Unix socket of the engine's API, a path of this machine. */
  engineSocket: string;
  /** Folder of this machine in which the sockets and files of `folders.proxy` appear. */
  proxyFolder: string;
  /** The packet filter of the machine; absent where nobody may set it from here. */
  portWall?: PortWall | undefined;
  /** Folder of this machine in which the sockets of `folders.builders` appear. */
  buildersFolder: string;
  /** Limits the build steps of the engine behind this socket, which is a builder's. */
  buildLimiter(socket: string): BuildLimiter;
}
