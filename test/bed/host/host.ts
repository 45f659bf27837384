import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Argv, CommandOptions, CommandResult } from '../../../images/command.ts';
import { engineSocketOf, startEngine, stopEngine } from '../engine.ts';
import { dependenciesFolder, lowerFolders, type BareKind } from './equipped.ts';
import { goldenData, layGolden } from './golden.ts';
import { execInside, launchInside } from './host-exec.ts';
import { clientKeyPath, hostKeyOf, layOutHost, sshdConfigInside } from './host-files.ts';
import { changesFolder, diskTargets, endNamespaces, startNamespaces } from './host-process.ts';
import { loadHost, type HostRecord } from './host-record.ts';
import { systemOfRun, type SystemName } from './systems.ts';
import { addressOf } from '../machine/network.ts';
import { layOutRegistries, registryHost, startRegistries } from '../registry.ts';
import type { Making } from '../making.ts';

export interface HostOptions {
  /** 1 to 199, unique in the bed: its address is .10 + index. */
  index: number;
  /** Starts a container engine of its own in the host. */
  engine?: boolean;
  /**
   * The engine holds every image of `images/`; also one that is installed later on a 'bare' root. Else it is
   * empty.
   */
  images?: boolean;
  /**
   * 'overlay': shows the machine's own files, changes stay in the host; of another system it is 'furnished'.
   * 'bare': a fresh Debian with git, curl and CA certificates, nothing else. The others: the same with the
   * packages of `equipment`.
   */
  root?: 'overlay' | BareKind;
  /** The system of its root; that of the run unless given. */
  system?: SystemName;
  /**
   * Of a root other than 'overlay': /opt/berth finds the packages of this checkout's lockfile in its
   * node_modules.
   */
  dependencies?: boolean;
  /**
   * Keeps the engine's data on a real disk: the kernel counts a file in memory as memory of the program that
   * wrote it, and cannot take it back when that reaches its limit.
   */
  realDisk?: boolean;
  /** Runs an SSH server; only on an 'overlay', a 'reached' or a 'furnished' root. */
  sshd?: boolean;
  /**
   * Hosts of the bed, made before, whose /run/bed this one sees at /run/hosts/<name>: their engines' sockets.
   */
  sees?: readonly string[];
}

/** One host of a bed: its own network, files, processes and control groups on this machine. */
export interface BedHost {
  readonly name: string;
  readonly ip: string;
  /** The engine's socket, a path on the machine. */
  readonly engineSocket: string;
  /** Private key that may log in as root over SSH, a path on the machine. */
  readonly sshKeyPath: string;
  /** The host's public SSH key, "ssh-ed25519 AAAA…"; empty without an SSH server. */
  readonly hostKey: string;
  /** Runs a program inside as root; the limit is one minute unless given. */
  exec(argv: Argv, options?: Partial<CommandOptions>): Promise<CommandResult>;
  /** Starts a program inside that goes on by itself; its output goes to /run/bed/<name>.log in the host. */
  launch(name: string, argv: Argv): Promise<void>;
  /**
   * Where a file of the running host is on the machine. Absolute symbolic links in the path are not followed
   * inside.
   */
  path(inside: string): string;
  /** Ends everything at once, as a power cut does. */
  kill(): Promise<void>;
  /** Ends the engine in good order, then everything. */
  stop(): Promise<void>;
  /**
   * Starts a killed or stopped host again with the files it had; a running one is killed first. With other
   * lower folders (`Bed.lower`) it is the same machine after an upgrade of its system: it keeps its address
   * and the data of engine and Berth, and loses every other change of its files.
   */
  restart(lower?: string): Promise<void>;
  readonly engine: { start(): Promise<void>; stop(): Promise<void> };
}

/** The system of the machine itself, whose files an 'overlay' root shows. */
const machineSystem: SystemName = 'bookworm';

/** Makes and starts a new host in an open bed. */
export async function makeHost(
  bed: { name: string; net: string },
  name: string,
  options: HostOptions,
  making: Making,
): Promise<BedHost> {
  const record = await newRecord(bed, name, options, making);
  await layOutHost(record);
  const data = diskTargets(record)[0];
  if (record.golden !== null && data !== undefined) await layGolden(data.source, record.golden);
  return hostOf(await startHost(record));
}

/** Makes the host in which the bed's registries run, and starts them. */
export async function makeRegistryHost(bed: { name: string; net: string }, making: Making): Promise<void> {
  const record = await newRecord(
    bed,
    registryHost.name,
    { index: registryHost.index, system: machineSystem },
    making,
  );
  await layOutHost(record);
  await layOutRegistries(record);
  const host = await hostOf(await startHost(record));
  const ports = ['5000', '5001'].map((port) => `:${port}`);
  await startRegistries(host.launch, async () => {
    const { stdout } = await host.exec(['ss', '-ltnH']);
    return ports.every((port) => stdout.includes(port));
  });
}

/** A host of an open bed, also one that another process made. */
export async function findHost(bed: string, name: string): Promise<BedHost> {
  return hostOf(await loadHost(bed, name));
}

/** Ends a host whatever its state. */
export async function killHost(record: HostRecord): Promise<void> {
  await endNamespaces(record);
}

async function newRecord(
  bed: { name: string; net: string },
  name: string,
  options: HostOptions,
  making: Making,
): Promise<HostRecord> {
  const system = options.system ?? systemOfRun();
  const asked = options.root ?? 'overlay';
  const root = asked === 'overlay' && system !== machineSystem ? 'furnished' : asked;
  return {
    bed: bed.name,
    net: bed.net,
    name,
    root,
    index: options.index,
    engine: options.engine ?? false,
    sshd: options.sshd ?? false,
    lower:
      root === 'overlay'
        ? '/'
        : [
            ...(options.dependencies === true ? [await dependenciesFolder(making.signal)] : []),
            await lowerFolders(root, system, making),
          ].join(':'),
    realDisk: options.realDisk ?? false,
    golden: options.images === true ? await goldenData(making) : null,
    sees: [...(options.sees ?? [])],
    process: null,
    init: null,
    joinFolders: [],
  };
}

async function startHost(record: HostRecord): Promise<HostRecord> {
  const running = await startNamespaces(record);
  if (running.sshd) await startSshd(running);
  if (running.engine) await startEngine(running);
  return running;
}

/** Changes of files belong to the system that they were made upon. */
async function layAnew(record: HostRecord): Promise<HostRecord> {
  if (record.root === 'overlay') throw new Error(`The host ${record.name} shows the machine's own system.`);
  for (const part of ['upper', 'work'])
    await rm(join(changesFolder(record), part), { recursive: true, force: true });
  await layOutHost(record);
  return record;
}

async function startSshd(record: HostRecord): Promise<void> {
  const prepared = await execInside(record, ['mkdir', '-p', '/run/sshd'], { limitMs: 5_000 });
  const started = await execInside(
    record,
    ['/usr/sbin/sshd', '-f', sshdConfigInside, '-E', '/run/bed/sshd.log'],
    { limitMs: 10_000 },
  );
  if (prepared.code + started.code !== 0)
    throw new Error(`sshd of ${record.name} did not start: ${started.stderr}`);
}

async function hostOf(record: HostRecord): Promise<BedHost> {
  // Another process may have restarted the host in the meantime, so each call reads the record again.
  const current = (): Promise<HostRecord> => loadHost(record.bed, record.name);
  let init = record.init;
  const remember = (next: HostRecord): void => {
    init = next.init;
  };
  return {
    name: record.name,
    ip: addressOf(record.net, record.index),
    engineSocket: engineSocketOf(record),
    sshKeyPath: clientKeyPath(record.bed),
    hostKey: record.sshd ? await hostKeyOf(record) : '',
    exec: async (argv, options = {}) => execInside(await current(), argv, { limitMs: 180_000, ...options }),
    launch: async (name, argv) => void (await launchInside(await current(), name, argv)),
    path: (inside) => join(`/proc/${init?.pid ?? 0}/root`, inside),
    kill: async () => remember(await endNamespaces(await current())),
    stop: async () => {
      const now = await current();
      if (now.engine && now.init !== null) await stopEngine(now);
      remember(await endNamespaces(now));
    },
    async restart(lower) {
      const stopped = await endNamespaces(await current());
      remember(await startHost(lower === undefined ? stopped : await layAnew({ ...stopped, lower })));
    },
    engine: {
      start: async () => startEngine(await current()),
      stop: async () => stopEngine(await current()),
    },
  };
}
