import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { controlGroupsNamed } from './control-groups.ts';
import { bedNames, hostNames, loadBed, loadHost } from '../host/host-record.ts';
import { cacheRoot, disksFolder, stateRoot } from '../layout.ts';
import { bedLinks, bedRules, bridgeName, namePrefix } from './network.ts';

/**
 * Everything on the machine that comes from a bed and belongs to no bed that is open: one line each, empty
 * when clean. The kernel takes a moment to remove a dead host's links and groups, so what disappears within 5
 * s does not count.
 */
export async function leftovers(): Promise<string[]> {
  let found = await look();
  for (let round = 0; found.length > 0 && round < 20; round += 1) {
    await delay(250);
    found = await look();
  }
  return found;
}

async function look(): Promise<string[]> {
  const open = await openBeds();
  const isOurs = (text: string): boolean =>
    ![...open.prefixes].some(
      (prefix) => text.includes(`${prefix}-`) || text.endsWith(prefix) || text.includes(`${prefix} `),
    );
  const lines = await Promise.all([
    bedLinks().then((names) => names.filter(isOurs).map((name) => `network link ${name}`)),
    bedRules().then((rules) => rules.filter(isOurs).map((rule) => `firewall rule ${rule}`)),
    controlGroupsNamed((name) => name.startsWith(namePrefix) && isOurs(name)).then((paths) =>
      paths.map((path) => `control group ${path}`),
    ),
    mounts(open.names),
    folders(open.names),
    processes(open.processes),
  ]);
  return lines.flat();
}

interface OpenBeds {
  names: Set<string>;
  prefixes: Set<string>;
  /** First process of each open bed's hosts; their mount namespaces are legitimate. */
  processes: Set<number>;
}

async function openBeds(): Promise<OpenBeds> {
  const open: OpenBeds = { names: new Set(), prefixes: new Set(), processes: new Set() };
  for (const name of await bedNames()) {
    const record = await loadBed(name);
    if (record === null) continue;
    open.names.add(name);
    open.prefixes.add(bridgeName(record.net));
    for (const host of await hostNames(name)) open.processes.add((await loadHost(name, host)).init?.pid ?? 0);
  }
  return open;
}

async function mounts(open: ReadonlySet<string>): Promise<string[]> {
  const points = (await readFile('/proc/self/mounts', 'utf8'))
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  const ours = points.filter(
    (point) => point.startsWith(`${stateRoot}/`) || point.startsWith(`${cacheRoot()}/`),
  );
  return ours.filter((point) => !belongsTo(point, open)).map((point) => `mount ${point}`);
}

async function folders(open: ReadonlySet<string>): Promise<string[]> {
  const roots = [stateRoot, disksFolder()];
  const found = await Promise.all(
    roots.map(async (root) => (await readdir(root).catch(() => [])).map((name) => join(root, name))),
  );
  return found
    .flat()
    .filter((path) => !belongsTo(path, open))
    .map((path) => `folder ${path}`);
}

/** Processes whose start script is a bed host's, but whose host is in no open bed. */
async function processes(open: ReadonlySet<number>): Promise<string[]> {
  // Process 1 is a host's own when this runs inside a bed.
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== '1');
  const found = await Promise.all(
    pids.map(async (pid) => {
      const argv = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      const isInit = argv[0] === 'tini' && argv.some((word) => word.endsWith('/bed/host-init.sh'));
      return isInit && !open.has(Number(pid)) ? [`process ${pid} ${argv.join(' ')}`] : [];
    }),
  );
  return found.flat();
}

function belongsTo(path: string, open: ReadonlySet<string>): boolean {
  return path.split('/').some((part) => open.has(part));
}
