import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from '../../images/command.ts';
import { abandonedFolders, removeState } from './bed-folders.ts';
import { endGuard, startGuard } from './guard.ts';
import { lowerFolders } from './host/equipped.ts';
import type { SystemName } from './host/systems.ts';
import { clientKeyPath, makeKey } from './host/host-files.ts';
import { bedNames, hostNames, loadBed, loadHost, saveBed, type BedRecord } from './host/host-record.ts';
import {
  findHost,
  killHost,
  makeHost,
  makeRegistryHost,
  type BedHost,
  type HostOptions,
} from './host/host.ts';
import { bedFolder, cacheRoot, stateRoot } from './layout.ts';
import { withLock } from './machine/lock.ts';
import { isFree, makeBridge, removeBridge, restoreForwarding, turnOnForwarding } from './machine/network.ts';
import { removeStalePostgres } from './postgres.ts';
import { identify, isAlive } from './machine/process-identity.ts';
import { makeAuthority, registriesOf, registryHost, type Registries } from './registry.ts';

export interface BedOptions {
  /** Unique among the beds of the machine, at most 20 characters. */
  name: string;
  /**
   * First three numbers of the bed's /24, such as "10.98.0"; picked free between 10.98.1 and 10.98.254 unless
   * given.
   */
  net?: string;
  /** A standing bed outlives this process; any other is closed when this process ends, however it ends. */
  standing?: boolean;
  log?: (line: string) => void;
  signal?: AbortSignal;
}

/** Several hosts on one network of their own, all on this machine. */
export interface Bed {
  readonly name: string;
  readonly net: string;
  /** The machine's own address in the bed's network. */
  readonly machineIp: string;
  /** Lower folders of a system with all that a furnished host has, for `BedHost.restart`. */
  lower(system: SystemName): Promise<string>;
  /** Makes and starts a host. */
  host(name: string, options: HostOptions): Promise<BedHost>;
  /** A host that was made before, also by another process. */
  find(name: string): Promise<BedHost>;
  hosts(): Promise<string[]>;
  /** Starts the bed's image registries; the second call finds them running. */
  registries(): Promise<Registries>;
  /** Ends every host and removes all that the bed made on the machine. */
  close(): Promise<void>;
}

/** Opens a new bed. Needs root. @throws Error when the name or the net is taken. */
export async function openBed(options: BedOptions): Promise<Bed> {
  const signal = options.signal ?? new AbortController().signal;
  await closeStale(options.log);
  const folder = bedFolder(options.name);
  await mkdir(stateRoot, { recursive: true });
  await mkdir(folder);
  await mustRun(['mount', '-t', 'tmpfs', '-o', 'mode=700,size=75%', 'berth-test', folder], {
    limitMs: 5_000,
  });
  const owner = options.standing === true ? null : await identify(process.pid);
  // Recorded before the net is made, so that whatever stops this process here is cleaned up by the next run.
  const net = options.net ?? (await freeNet());
  const record: BedRecord = {
    name: options.name,
    net,
    owner,
    guard: owner === null ? null : await startGuard(owner.pid),
    forwardingBefore: await forwardingBefore(),
  };
  await saveBed(record);
  if (!(await makeBridge(net))) {
    await endGuard(record);
    await removeState(record.name);
    if (options.net === undefined) return openBed(options);
    throw new Error(`The net ${net} is used by another bed.`);
  }
  await makeKey(clientKeyPath(record.name), 'berth-test');
  await makeAuthority(record.name);
  return bedOf(record, signal);
}

/** A bed that another process opened; null when there is none of that name. */
export async function findBed(name: string, signal: AbortSignal): Promise<Bed | null> {
  const record = await loadBed(name);
  return record === null ? null : bedOf(record, signal);
}

/**
 * Closes beds whose owner has died, removes what a crash of the machine left, and gives the names of the
 * closed ones.
 */
export async function closeStale(log: (line: string) => void = () => undefined): Promise<string[]> {
  await mkdir(cacheRoot(), { recursive: true });
  // A run's end and the guard that notices it would otherwise close the same bed at once.
  return withLock(join(cacheRoot(), 'sweep.lock'), async () => {
    const closed: string[] = [];
    for (const name of await bedNames()) {
      const record = await loadBed(name);
      if (record === null || record.owner === null || (await isAlive(record.owner))) continue;
      log(`closing the bed ${name}, whose run ended without closing it`);
      await closeBed(record);
      closed.push(name);
    }
    for (const name of await abandonedFolders()) await removeState(name);
    await removeStalePostgres();
    return closed;
  });
}

function bedOf(record: BedRecord, signal: AbortSignal): Bed {
  return {
    name: record.name,
    net: record.net,
    machineIp: `${record.net}.1`,
    lower: (system) => lowerFolders('furnished', system, { openBed, signal }),
    host: (name, options) => makeHost(record, name, options, { openBed, signal }),
    find: (name) => findHost(record.name, name),
    hosts: () => hostNames(record.name),
    registries: () => openRegistries(record, signal),
    close: () => closeBed(record),
  };
}

async function closeBed(record: BedRecord): Promise<void> {
  const hosts = await Promise.all((await hostNames(record.name)).map((name) => loadHost(record.name, name)));
  const ended = await Promise.allSettled(hosts.map(killHost));
  await removeBridge(record.net);
  await endGuard(record);
  // A host that could not be ended keeps its record, so that the next run tries again.
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  await removeState(record.name);
  if ((await bedNames()).length === 0) await restoreForwarding(record.forwardingBefore);
}

async function openRegistries(record: BedRecord, signal: AbortSignal): Promise<Registries> {
  if (!(await hostNames(record.name)).includes(registryHost.name))
    await makeRegistryHost(record, { openBed, signal });
  return registriesOf(record);
}

/** What the machine's routing setting was before the first of the beds that are open now. */
async function forwardingBefore(): Promise<string> {
  const current = await turnOnForwarding();
  for (const name of await bedNames()) {
    const other = await loadBed(name);
    if (other !== null) return other.forwardingBefore;
  }
  return current;
}

async function freeNet(): Promise<string> {
  const used = new Set<string>();
  for (const name of await bedNames()) used.add((await loadBed(name))?.net ?? '');
  for (let third = 1; third < 255; third += 1) {
    const net = `10.98.${third}`;
    if (!used.has(net) && (await isFree(net))) return net;
  }
  throw new Error('Every net between 10.98.1 and 10.98.254 is in use on this machine.');
}
