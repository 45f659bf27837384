import { readFile, writeFile } from 'node:fs/promises';
import { mustRun, runCommand, type Argv } from '../../../images/command.ts';

const limits = { limitMs: 15_000 };

/** Every link, control group and firewall rule of any bed begins with this. */
export const namePrefix = 'bth-';

/** The name of a net's bridge and the prefix of all that belongs to it: "10.98.0" gives "bth-98-0". */
export function bridgeName(net: string): string {
  return namePrefix + net.split('.').slice(1).join('-');
}

/**
 * Makes the net's bridge with the machine at .1, and lets its hosts reach the outside.
 * @returns false when the bridge already exists, that is when another bed has this net.
 */
export async function makeBridge(net: string): Promise<boolean> {
  const bridge = bridgeName(net);
  const added = await runCommand(['ip', 'link', 'add', bridge, 'type', 'bridge'], limits);
  if (added.code !== 0) {
    if (added.stderr.includes('File exists')) return false;
    throw new Error(`The bridge ${bridge} cannot be made: ${added.stderr.trim()}`);
  }
  await mustRun(['ip', 'address', 'add', `${net}.1/24`, 'dev', bridge], limits);
  await mustRun(['ip', 'link', 'set', bridge, 'up'], limits);
  for (const rule of rules(net)) await mustRun(iptables('-I', rule), limits);
  return true;
}

/** Removes the bridge and its firewall rules; what is not there is no error. */
export async function removeBridge(net: string): Promise<void> {
  for (const rule of rules(net)) await runCommand(iptables('-D', rule), limits);
  await runCommand(['ip', 'link', 'delete', bridgeName(net)], limits);
}

/** Connects the network namespace of a process: eth0 with the address, the machine as router. */
export async function connect(net: string, index: number, pid: number): Promise<void> {
  const link = `${bridgeName(net)}-${index}`;
  const inside: Argv = ['nsenter', '--net', `--target=${pid}`, 'ip'];
  await runCommand(['ip', 'link', 'delete', link], limits);
  await mustRun(
    ['ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)],
    limits,
  );
  await mustRun(['ip', 'link', 'set', link, 'master', bridgeName(net), 'up'], limits);
  await mustRun([...inside, 'address', 'add', `${addressOf(net, index)}/24`, 'dev', 'eth0'], limits);
  for (const device of ['lo', 'eth0']) await mustRun([...inside, 'link', 'set', device, 'up'], limits);
  await mustRun([...inside, 'route', 'add', 'default', 'via', `${net}.1`], limits);
}

export async function disconnect(net: string, index: number): Promise<void> {
  await runCommand(['ip', 'link', 'delete', `${bridgeName(net)}-${index}`], limits);
}

export function addressOf(net: string, index: number): string {
  return `${net}.${10 + index}`;
}

/** True when no route of the machine leads into the net. */
export async function isFree(net: string): Promise<boolean> {
  const routes = await mustRun(['ip', '-4', 'route', 'show', 'root', `${net}.0/24`], limits);
  return routes.trim() === '';
}

/** Names of links that belong to beds. */
export async function bedLinks(): Promise<string[]> {
  const text = await mustRun(['ip', '-brief', 'link', 'show'], limits);
  return text
    .split('\n')
    .map((line) => line.split(/[\s@]/)[0] ?? '')
    .filter((name) => name.startsWith(namePrefix));
}

/** Firewall rules that belong to beds, as iptables prints them. */
export async function bedRules(): Promise<string[]> {
  const tables = await Promise.all(
    ['filter', 'nat'].map((table) => mustRun(['iptables', '-w', '10', '-t', table, '-S'], limits)),
  );
  return tables.flatMap((text) => text.split('\n')).filter((line) => line.includes(namePrefix));
}

/** Turns routing on and gives what the machine's setting was. */
export async function turnOnForwarding(): Promise<string> {
  const file = '/proc/sys/net/ipv4/ip_forward';
  const before = (await readFile(file, 'utf8')).trim();
  if (before !== '1') await writeFile(file, '1');
  return before;
}

export async function restoreForwarding(before: string): Promise<void> {
  await writeFile('/proc/sys/net/ipv4/ip_forward', before);
}

interface Rule {
  table: string;
  chain: string;
  match: string[];
}

function rules(net: string): Rule[] {
  const bridge = bridgeName(net);
  return [
    {
      table: 'nat',
      chain: 'POSTROUTING',
      match: ['-s', `${net}.0/24`, '!', '-o', bridge, '-j', 'MASQUERADE'],
    },
    { table: 'filter', chain: 'FORWARD', match: ['-i', bridge, '-j', 'ACCEPT'] },
    { table: 'filter', chain: 'FORWARD', match: ['-o', bridge, '-j', 'ACCEPT'] },
  ];
}

function iptables(action: '-I' | '-D', rule: Rule): Argv {
  return [
    'iptables',
    '-w',
    '10',
    '-t',
    rule.table,
    action,
    rule.chain,
    ...rule.match,
    '-m',
    'comment',
    '--comment',
    'berth test bed',
  ];
}
