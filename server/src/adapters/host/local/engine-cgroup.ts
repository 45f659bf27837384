/** Where the engine's BuildKit puts its workers in the control groups, as this process sees them. */
import { access, readFile, readlink, readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { textOf } from '../../engine/client/engine-http.ts';

/**
 * Folders of the group that all build steps are in; it may have to be made. Version 1 has one for each
 * controller, version 2 one for all.
 */
export type BuildCgroup = { version: 1; memory: string; cpu: string } | { version: 2; directory: string };

/**
 * The group `<root of the engine's control groups>/docker/buildkit`, where engines with the cgroupfs driver
 * run build steps. The engine's process is found by the socket it serves, since it may live in a namespace of
 * its own. Throws with the reason when there is no such group.
 */
export async function findBuildCgroup(socketPath: string): Promise<BuildCgroup> {
  const driver = await cgroupDriverOf(socketPath);
  // With systemd each step has a group of its own among the machine's services, and there is none for all of
  // them.
  if (driver !== 'cgroupfs')
    throw new Error(
      `the engine manages its control groups by ${driver}; with "exec-opts": ` +
        '["native.cgroupdriver=cgroupfs"] in its daemon.json they could',
    );
  const pid = await findEngine(socketPath);
  if (pid === undefined) throw new Error("the engine's process was not found");
  const mounts = parseMounts(await readFile('/proc/self/mountinfo', 'utf8'));
  const groups = parseGroups(await readFile(`/proc/${pid}/cgroup`, 'utf8'));
  const sameNamespace =
    (await readlink(`/proc/${pid}/ns/cgroup`)) === (await readlink('/proc/self/ns/cgroup'));
  const locate = async (controller: string): Promise<string | undefined> => {
    const mount = mounts.get(controller);
    const group = groups.get(controller);
    if (mount === undefined || group === undefined) return undefined;
    return join(mount, sameNamespace ? '/' : await namespaceRoot(mount, group), 'docker/buildkit');
  };
  const [memory, cpu, unified] = [await locate('memory'), await locate('cpu'), await locate('')];
  if (memory !== undefined && cpu !== undefined) return { version: 1, memory, cpu };
  if (unified === undefined) throw new Error('the control groups of this machine are not mounted');
  return { version: 2, directory: unified };
}

/** Mount points by controller ("" for version 2), from proc(5) mountinfo. */
export function parseMounts(mountinfo: string): Map<string, string> {
  const mounts = new Map<string, string>();
  for (const line of mountinfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    const [type, , options = ''] = right.split(' ');
    const point = left.split(' ')[4];
    if (point === undefined) continue;
    if (type === 'cgroup')
      for (const option of options.split(',')) mounts.set(option, mounts.get(option) ?? point);
    if (type === 'cgroup2') mounts.set('', mounts.get('') ?? point);
  }
  return mounts;
}

/** Groups of a process by controller ("" for version 2), from cgroups(7) /proc/pid/cgroup. */
export function parseGroups(text: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, , controllers, group] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || group === undefined) continue;
    for (const controller of controllers.split(',')) groups.set(controller, group);
  }
  return groups;
}

/**
 * The engine stands at the root of its namespace or below; the root is where builds have been, else where the
 * engine is.
 */
async function namespaceRoot(mount: string, group: string): Promise<string> {
  for (let root = group; root !== '/'; root = dirname(root)) {
    if (await exists(join(mount, root, 'docker'))) return root;
  }
  return group;
}

const infoLimitMs = 5_000;
/** An engine's are fewer; a builder's may be anybody's. */
const mostCharacters = 1024 * 1024;

/** `CgroupDriver` of the engine's GET /info. */
async function cgroupDriverOf(socketPath: string): Promise<string> {
  const answer = await new Promise<string>((resolve, reject) => {
    const signal = AbortSignal.timeout(infoLimitMs);
    const call = request({ socketPath, path: '/info', signal }, (response) => {
      textOf(response, mostCharacters).then(resolve, reject);
    });
    call.on('error', (error) => reject(signal.aborted ? new Error('the engine does not answer') : error));
    call.end();
  });
  const info: unknown = JSON.parse(answer);
  return typeof info === 'object' && info !== null && 'CgroupDriver' in info
    ? String(info.CgroupDriver)
    : 'an unknown driver';
}

async function findEngine(socketPath: string): Promise<number | undefined> {
  const socket = await stat(socketPath).catch(() => undefined);
  if (socket === undefined) return undefined;
  for (const name of await readdir('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    const program = await readFile(`/proc/${name}/comm`, 'utf8').catch(() => '');
    if (program.trim() !== 'dockerd') continue;
    const started = await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '');
    // The socket as the engine itself names it; the same file on the same device.
    for (const path of new Set([socketPath, '/run/docker.sock', ...socketsOf(started)])) {
      const seen = await stat(`/proc/${name}/root${path}`).catch(() => undefined);
      if (seen !== undefined && seen.dev === socket.dev && seen.ino === socket.ino) return Number(name);
    }
  }
  return undefined;
}

/** Sockets among the arguments of an engine: `--host unix:///run/x.sock`, `-Hunix://…`, `--host=unix://…`. */
export function socketsOf(cmdline: string): string[] {
  return cmdline.split('\0').flatMap((argument) => /(?:^|=|^-H)unix:\/\/(\/.+)$/.exec(argument)?.[1] ?? []);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
