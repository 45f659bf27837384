import { mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { waitUntil } from './process-identity.ts';

/** One hierarchy of the machine's control groups. */
interface Hierarchy {
  mountPoint: string;
  version: 1 | 2;
  /** Version 1 mount options that select it, such as "memory" or "none,name=systemd". */
  options: string;
}

/** A host's own control groups: its subtree in every hierarchy of the machine. */
export interface ControlGroups {
  /** Where the host's first program starts; its namespace has its root there. */
  folders: string[];
  /** Where later programs join: the same, or on version 2 the leaf that the start script makes. */
  joinFolders: string[];
  /** Lines for the host's start script to mount them again inside; empty for version 2. */
  mounts: string;
}

/** Makes the subtree; on version 1 in every controller, else in the one hierarchy of version 2. */
export async function makeControlGroups(name: string): Promise<ControlGroups> {
  const hierarchies = await usedHierarchies();
  const folders = hierarchies.map((hierarchy) => join(hierarchy.mountPoint, name));
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    await inheritCpus(folder);
  }
  const mounts = hierarchies
    .filter((hierarchy) => hierarchy.version === 1)
    .map((hierarchy) => `${basename(hierarchy.mountPoint)} ${hierarchy.options}`);
  const joinFolders = hierarchies.map(({ mountPoint, version }) =>
    version === 1 ? join(mountPoint, name) : join(mountPoint, name, 'init'),
  );
  return { folders, joinFolders, mounts: mounts.join('\n') };
}

/**
 * Removes every control group of that name with all below it, once their last processes have gone (at most 10
 * s).
 */
export async function removeControlGroups(name: string): Promise<void> {
  for (const folder of await controlGroupsNamed((entry) => entry === name)) {
    // Programs that merely waited for one inside the host end a moment after it.
    const removed = await waitUntil(() => removeTree(folder).then(() => true, isBusy), 10_000);
    if (!removed)
      throw new Error(
        `The control group ${folder} still holds processes: ` +
          `${await readFile(join(folder, 'cgroup.procs'), 'utf8')}`,
      );
  }
}

/** Paths of top-level control groups whose name passes. */
export async function controlGroupsNamed(passes: (name: string) => boolean): Promise<string[]> {
  const found = await Promise.all(
    (await usedHierarchies()).map(async ({ mountPoint }) => {
      const entries = await readdir(mountPoint, { withFileTypes: true });
      return entries
        .filter((entry) => entry.isDirectory() && passes(entry.name))
        .map((entry) => join(mountPoint, entry.name));
    }),
  );
  return found.flat();
}

async function usedHierarchies(): Promise<Hierarchy[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  const all = lines.flatMap(hierarchyOf);
  const first = all.filter((hierarchy) => hierarchy.version === 1);
  return first.length > 0 ? first : all;
}

function hierarchyOf(line: string): Hierarchy[] {
  const [left, right] = line.split(' - ');
  const mountPoint = left?.split(' ')[4];
  const [type, , superOptions] = right?.split(' ') ?? [];
  if (mountPoint === undefined || superOptions === undefined) return [];
  if (type === 'cgroup2') return [{ mountPoint, version: 2, options: '' }];
  if (type !== 'cgroup') return [];
  const options = superOptions
    .split(',')
    .filter(
      (option) =>
        !['rw', 'ro', 'xattr', 'clone_children'].includes(option) && !option.startsWith('release_agent='),
    );
  // A hierarchy without a controller, such as systemd's, must be asked for with "none".
  const selected = options.some((option) => option.startsWith('name=')) ? ['none', ...options] : options;
  return [{ mountPoint, version: 1, options: selected.join(',') }];
}

/** A new cpuset group is empty and takes no process until it has processors and memory nodes. */
async function inheritCpus(folder: string): Promise<void> {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const parent = join(folder, '..', file);
    if (existsSync(parent) && existsSync(join(folder, file)))
      await writeFile(join(folder, file), await readFile(parent, 'utf8'));
  }
}

/** Gives false for a group that is still in use; any other error is thrown. */
function isBusy(error: unknown): false {
  if (error instanceof Error && 'code' in error && (error.code === 'EBUSY' || error.code === 'ENOTEMPTY'))
    return false;
  throw error;
}

async function removeTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
  await rmdir(folder);
}
