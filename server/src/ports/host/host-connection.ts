/**
 * What a host is made of: a remote host is a local one behind sockets. Whoever connects a server gives its
 * sockets as paths of this machine, and does the few things that need the server itself.
 */
import type { BuildLimiter } from '../engine/builder.ts';
import type { FolderFiles } from './folder-files.ts';
import type { Host } from './host.ts';
import type { PortWall } from './port-wall.ts';

export interface HostConnection
  extends Pick<
    Host,
    | 'reachable'
    | 'whySilent'
    | 'agent'
    | 'proxyPorts'
    | 'files'
    | 'folders'
    | 'probePath'
    | 'protectedPaths'
    | 'realPath'
    | 'facts'
    | 'routes'
    | 'isPortFree'
    | 'freeBytes'
  > {
  /** Where Berth's own machine is measured: its proc file system, and disks of which the first counts. */
  measured?: { proc: string; disks: readonly string[] };
  /** Unix socket of the engine's API, a path of this machine. */
  engineSocket: string;
  /** The same by a way of its own, for whole images; absent where one way is enough. */
  transferSocket?: string | undefined;
  /** Folder of this machine in which the sockets and files of `folders.proxy` appear. */
  proxyFolder: string;
  /** Where the proxy's files are when only its sockets appear in `proxyFolder`. */
  proxyBeside?: { folder: string; disk: FolderFiles };
  /** The packet filter of the machine; absent where nobody may set it from here. */
  portWall?: PortWall | undefined;
  /** Folder of this machine in which the sockets of `folders.builders` appear. */
  buildersFolder: string;
  /** Makes and removes folders in `folders.builders`; absent where that and `buildersFolder` are one. */
  builderFolders?: BuilderFolders;
  /** Limits the build steps of the engine behind this socket, which is a builder's. */
  buildLimiter(socket: string): BuildLimiter;
}

export interface BuilderFolders {
  /** Makes the folder on the host unless it is there; its sockets appear in that of this machine. */
  make(name: string): Promise<void>;
  remove(name: string): Promise<void>;
}
