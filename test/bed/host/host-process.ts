import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../../images/build-context.ts';
import type { Argv } from '../../../images/command.ts';
import { makeControlGroups, removeControlGroups } from '../machine/control-groups.ts';
import type { HostRecord } from './host-record.ts';
import { saveHost } from './host-record.ts';
import { compiled, diskFolder, goldenInside, hostFolder, realDiskFolder, scriptFolder } from '../layout.ts';
import { bridgeName, connect, disconnect } from '../machine/network.ts';
import { end, identify, waitUntil, type ProcessIdentity } from '../machine/process-identity.ts';

/**
 * Starts the host's namespaces with their first process and connects them to the bed's network; 0.2 s.
 * All programs of the host are below one process: its end ends them all.
 */
export async function startNamespaces(record: HostRecord): Promise<HostRecord> {
  const folder = hostFolder(record.bed, record.name);
  await rm(join(folder, 'run', 'ready'), { force: true });
  await mkdir(compiled.folder(), { recursive: true });
  const groups = await makeControlGroups(groupName(record));
  const environment = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    BED_NAME: record.name,
    BED_LOWER: record.lower,
    BED_CGROUPS: groups.mounts,
    BED_BINDS: binds(record),
    BED_PROJECT: record.root === 'overlay' || record.root === 'furnished' ? repositoryRoot : '',
    BED_ROOT: join(folder, 'root'),
    BED_UPPER: join(changesFolder(record), 'upper'),
    BED_WORK: join(changesFolder(record), 'work'),
  };
  const started = await launch(
    [
      'sh',
      join(scriptFolder, 'enter.sh'),
      ...groups.folders,
      '--',
      'unshare',
      '--mount',
      '--uts',
      '--ipc',
      '--pid',
      '--cgroup',
      '--net',
      '--fork',
      '--kill-child=SIGKILL',
      '--propagation',
      'private',
      '--',
      'tini',
      '--',
      'bash',
      join(scriptFolder, 'host-init.sh'),
    ],
    join(folder, 'run', 'init.log'),
    environment,
  );
  const init = await firstChild(started, folder);
  await connect(record.net, record.index, init.pid);
  await untilReady(started, folder);
  const running = { ...record, process: started, init, joinFolders: groups.joinFolders };
  await saveHost(running);
  return running;
}

/** Ends all of the host at once, like pulling its plug. Files stay. */
export async function endNamespaces(record: HostRecord): Promise<HostRecord> {
  await disconnect(record.net, record.index);
  for (const target of [record.process, record.init]) {
    if (target !== null && !(await end(target, 'SIGKILL', 10_000)))
      throw new Error(`Process ${target.pid} of host ${record.name} did not end within 10 s.`);
  }
  await removeControlGroups(groupName(record));
  const stopped = { ...record, process: null, init: null };
  await saveHost(stopped);
  return stopped;
}

/** Starts a program that goes on when this process ends; its output goes to the file. */
export async function launch(argv: Argv, logFile: string, env: NodeJS.ProcessEnv): Promise<ProcessIdentity> {
  const log = await open(logFile, 'a');
  try {
    const [program, ...rest] = argv;
    const child = spawn(program, rest, { detached: true, stdio: ['ignore', log.fd, log.fd], env });
    await once(child, 'spawn');
    child.unref();
    const identity = child.pid === undefined ? null : await identify(child.pid);
    if (identity === null) throw new Error(`${program} ended at once: ${await readFile(logFile, 'utf8')}`);
    return identity;
  } finally {
    await log.close();
  }
}

/**
 * Where the host's changed files lie: in memory over the machine's own root, on disk over the minimal one.
 */
export function changesFolder(record: HostRecord): string {
  // overlayfs refuses an upper folder inside its own lower one, and the machine's root holds every disk
  // folder.
  return record.root === 'overlay'
    ? hostFolder(record.bed, record.name)
    : join(diskFolder(record.bed), record.name, 'changes');
}

/**
 * Host folders that cannot lie on the host's own overlay: no overlayfs stacks upon another, and engines need
 * one.
 */
export function diskTargets(record: HostRecord): { source: string; target: string }[] {
  const disk = join((record.realDisk ? realDiskFolder : diskFolder)(record.bed), record.name);
  const engine = { source: join(disk, 'docker'), target: '/var/lib/docker' };
  return record.root === 'overlay'
    ? [engine]
    : [engine, { source: join(disk, 'berth'), target: '/var/lib/berth' }];
}

export function groupName(record: HostRecord): string {
  return `${bridgeName(record.net)}-${record.name}`;
}

function binds(record: HostRecord): string {
  const shared = { source: join(hostFolder(record.bed, record.name), 'run'), target: '/run/bed' };
  const cache = record.root === 'overlay' ? [{ source: compiled.folder(), target: compiled.inside }] : [];
  const images = record.golden === null ? [] : [{ source: record.golden, target: `${goldenInside} ro` }];
  const seen = record.sees.map((name) => ({
    source: join(hostFolder(record.bed, name), 'run'),
    target: `/run/hosts/${name}`,
  }));
  return [shared, ...seen, ...images, ...cache, ...diskTargets(record)]
    .map(({ source, target }) => `${source} ${target}`)
    .join('\n');
}

async function firstChild(parent: ProcessIdentity, folder: string): Promise<ProcessIdentity> {
  let child: ProcessIdentity | null = null;
  await waitUntil(async () => {
    const text = await readFile(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').catch(() => '');
    const pid = Number.parseInt(text, 10);
    child = Number.isNaN(pid) ? null : await identify(pid);
    return child !== null || (await identify(parent.pid)) === null;
  }, 5_000);
  if (child === null) throw await startFailure(folder);
  return child;
}

async function untilReady(process: ProcessIdentity, folder: string): Promise<void> {
  const ready = join(folder, 'run', 'ready');
  await waitUntil(async () => existsSync(ready) || (await identify(process.pid)) === null, 15_000);
  if (!existsSync(ready)) throw await startFailure(folder);
}

async function startFailure(folder: string): Promise<Error> {
  return new Error(
    `The host in ${folder} did not start: ` +
      `${(await readFile(join(folder, 'run', 'init.log'), 'utf8').catch(() => '')).slice(-2000)}`,
  );
}
