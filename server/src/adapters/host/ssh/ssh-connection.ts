/** A server as a host, over one SSH connection: its sockets are forwarded, the rest its own programs do. */
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { AppError } from '../../../domain/errors.ts';
import { routesCommand, routesIn } from '../../../domain/network/routes.ts';
import type { HostConnection } from '../../../ports/host/host-connection.ts';
import type { PortWall } from '../../../ports/host/port-wall.ts';
import type { ServerShell } from '../../../ports/host/server-shell.ts';
import { createServerEngine } from '../../engine/server-engine.ts';
import { followLinks, type LinkTarget } from '../follow-links.ts';
import { createPortWall } from '../local/port-wall.ts';
import { createBuilderSockets } from './builder-sockets.ts';
import { answerThere, bindThere, listenHere } from './forwarded-sockets.ts';
import { createRemoteCommands } from './remote-commands.ts';
import { createRemoteFiles, createRemoteFolderFiles, type RunThere } from './remote-files.ts';
import { connectSsh, forwardTo, type SshClient, type SshTarget } from './ssh-client.ts';
import { noSocket } from './ssh-fault.ts';
import { factsThere, freeBytesThere, isPortFree } from './server-facts.ts';
import { createSshLink, type SshLink } from './ssh-link.ts';
import { prepareServer } from './prepare-server.ts';

export interface SshConnectionOptions {
  /** Folder of this machine for the server's sockets. */
  folder: string;
  /** Read anew for each connection; throws AppError when there is none to be had. */
  target(): Promise<SshTarget>;
  /** Keeps the host key of a first contact; false when another is to be shown by now. */
  pin(target: SshTarget, hostKey: string): Promise<boolean>;
  /** File names, in the proxy's folder there, of the socket that is asked and of those that Berth answers. */
  proxySockets: { asked: string; answered: readonly string[] };
  proxyPorts: { http: number; https: number };
  /** Milliseconds that a deployment waits for a server that cannot be reached. */
  waitMs(): Promise<number>;
  /** The static busybox of this machine, for a server of the same architecture. */
  probePath: string;
}

export interface SshHostConnection extends HostConnection {
  /** What set-up asks of the server before it is a host. */
  shell(): Promise<ServerShell>;
  /** Ends the connection; the next use makes one by the record as it is then. */
  reset(): void;
}

/** Berth's folder on a server. */
const data = '/var/lib/berth';
const engineSocket = '/run/docker.sock';

const there = {
  folders: { data, proxy: `${data}/proxy`, composes: `${data}/composes`, builders: `${data}/builders` },
  probe: `${data}/probe/busybox`,
  metrics: `${data}/agent/run/metrics.sock`,
};

/** Connects nothing yet. */
export async function createSshConnection(options: SshConnectionOptions): Promise<SshHostConnection> {
  const { folder, target, pin, proxySockets, proxyPorts, probePath } = options;
  const runOn = createRemoteCommands();
  const link = createSshLink({
    target,
    waitMs: options.waitMs,
    check: (ssh) => runOn(ssh, ['true']),
    async prepare(ssh) {
      if (ssh.target.hostKey === null && !(await pin(ssh.target, ssh.hostKey)))
        throw new AppError('SERVICE_UNAVAILABLE', 'The record of the server was changed; try again.');
      await prepareServer((argv, more) => runOn(ssh, argv, more), { ...there, ssh, localProbe: probePath });
      await bindAnswered(ssh, (argv) => runOn(ssh, argv), {
        from: there.folders.proxy,
        to: folder,
        names: proxySockets.answered,
      });
    },
  });
  const run: RunThere = async (argv, more) => runOn(await link.client(), argv, more);
  const sockets = createSockets(link, run);
  const transfers = createTransfers(options, link);
  const here = await listenForAll(folder, sockets, proxySockets.asked);
  await listenHere(join(folder, 'transfer.sock'), transfers.open);
  const disk = createRemoteFolderFiles(run);
  return {
    agent: { socket: here.metrics, engineSocket, proc: '/proc' },
    engineSocket: here.engine,
    transferSocket: join(folder, 'transfer.sock'),
    folders: there.folders,
    proxyFolder: folder,
    proxyBeside: { folder: there.folders.proxy, disk },
    proxyPorts,
    probePath: there.probe,
    protectedPaths: [data, '/var/lib/docker', '/var/lib/containerd'],
    files: createRemoteFiles(run, disk),
    ...createBuilderSockets(
      { folder: join(folder, 'builders'), there: there.folders.builders, run, link },
      (path) => sockets.open(path),
    ),
    realPath: (path) => followLinks(path, (part) => linkAt(run, part)),
    facts: () =>
      factsThere(run, { probe: there.probe, address: async () => (await link.client()).target.address }),
    routes: async () => routesIn((await run(routesCommand)).stdout),
    isPortFree: (port) => isPortFree(run, port),
    freeBytes: (folder) => freeBytesThere(run, folder),
    portWall: wallThere(run),
    whySilent: () => (link.fault() ?? sockets.fault())?.message,
    reachable: link.reachable,
    reset() {
      link.reset();
      transfers.reset();
    },
    shell: () => shellOver(link, run, here.engine),
  };
}

/** A piece of an image may be under way for so long, and no answer comes meanwhile. */
const transferKeepAlive = { everyMs: 30_000, unanswered: 4 };

/**
 * The engine by a connection of its own for whole images: on a slow way they would hold up the keep-alives of
 * everything else, and the server would count as gone. It is made when an image travels.
 */
function createTransfers({ target, waitMs }: SshConnectionOptions, main: SshLink) {
  const link = createSshLink({
    target,
    waitMs,
    prepare: async () => undefined,
    connect: (to) => connectSsh(to, transferKeepAlive),
  });
  return {
    reset: link.reset,
    async open(): Promise<Duplex> {
      // The main one pins the key of a first contact, and makes the server ready.
      await main.client();
      return forwardTo(await link.client(), engineSocket);
    },
  };
}

async function shellOver(link: SshLink, run: RunThere, engine: string): Promise<ServerShell> {
  const { serverName, address, username } = (await link.client()).target;
  return {
    name: serverName,
    address,
    username,
    run,
    signInAgain: link.reset,
    engine: createServerEngine(engine, serverName),
  };
}

/** A program of IPv6 is of use where the kernel has it. */
const usableFilter = '[ -x "$1" ] && case $1 in *ip6*) [ -e /proc/net/if_inet6 ];; esac';

function wallThere(run: RunThere): PortWall {
  return createPortWall({
    run: async (argv, input) => {
      const { code, stdout } = await run(argv, input === undefined ? {} : { stdin: input });
      return code === 0 ? stdout : undefined;
    },
    hasProgram: async (path) => (await run(['sh', '-c', usableFilter, 'sh', path])).code === 0,
    hasIpv6: true,
  });
}

/** Sockets of this machine that are joined with those of the server. */
async function listenForAll(
  folder: string,
  { open }: { open(path: string): Promise<Duplex> },
  adminSocket: string,
): Promise<{ engine: string; admin: string; metrics: string }> {
  const here = {
    engine: join(folder, 'engine.sock'),
    admin: join(folder, adminSocket),
    metrics: join(folder, 'metrics.sock'),
  };
  await listenHere(here.engine, () => open(engineSocket));
  await listenHere(here.admin, () => open(join(there.folders.proxy, adminSocket)));
  await listenHere(here.metrics, () => open(there.metrics));
  return here;
}

/** The sockets of the server that are asked, with why one could not be. */
function createSockets(link: SshLink, run: RunThere) {
  const faults = new Map<string, AppError>();
  return {
    fault: () => faults.values().next().value,
    async open(path: string): Promise<Duplex> {
      const ssh = await link.client();
      try {
        const channel = await forwardTo(ssh, path).catch(() => giveAndOpen(ssh, run, path));
        faults.delete(path);
        return channel;
      } catch (cause) {
        const state = await socketState(run, path).catch(() => ({ isThere: false, isListening: false }));
        const fault = noSocket(ssh.target, path, state);
        // Of a proxy that was never started it is no news.
        if (path === engineSocket) faults.set(path, fault);
        throw new AppError(fault.code, fault.message, { cause });
      }
    },
  };
}

/** What the proxy makes is root's; whoever else Berth signs in as is given it. */
async function giveAndOpen(ssh: SshClient, run: RunThere, path: string): Promise<Duplex> {
  const { username } = ssh.target;
  // What stands in a builder's folder may be a link that its steps made.
  if (username !== 'root' && path.startsWith(`${data}/`)) await run(['chown', '-h', '--', username, path]);
  return forwardTo(ssh, path);
}

/** /proc/net/unix: flags 00010000 are those of a socket that listens (__SO_ACCEPTCON). */
async function socketState(run: RunThere, path: string): Promise<{ isThere: boolean; isListening: boolean }> {
  const { stdout } = await run([
    'sh',
    '-c',
    '[ -S "$1" ] && echo there; readlink -f -- "$1"; exec cat /proc/net/unix',
    'sh',
    path,
  ]);
  const lines = stdout.split('\n');
  const paths = new Set([path, path.replace(/^\/run\//, '/var/run/'), ...lines.slice(0, 2)]);
  const isListening = lines.some((line) => {
    const [, , , flags, , , , name] = line.trim().split(/\s+/);
    return flags === '00010000' && name !== undefined && paths.has(name);
  });
  return { isThere: lines[0] === 'there', isListening };
}

/** The sockets there that Berth answers: bound under new names, then put in the places of former ones. */
async function bindAnswered(
  ssh: SshClient,
  run: RunThere,
  { from, to, names }: { from: string; to: string; names: readonly string[] },
): Promise<void> {
  answerThere(ssh, new Map(names.map((name) => [join(from, name), join(to, name)])));
  for (const name of names) {
    // Refused where the engine's socket is refused too, which says so.
    const bound = await bindThere(ssh, join(from, name)).catch(() => undefined);
    if (bound !== undefined) await run(['mv', '-f', '-T', '--', bound, join(from, name)]);
  }
}

async function linkAt(run: RunThere, path: string): Promise<LinkTarget> {
  const { code, stdout } = await run([
    'sh',
    '-c',
    '[ -L "$1" ] && exec readlink -n -- "$1"; [ -e "$1" ] && exit 44; exit 45',
    'sh',
    path,
  ]);
  if (code === 0) return { path: stdout };
  return code === 44 ? undefined : 'nothing';
}
