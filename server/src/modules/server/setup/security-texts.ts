/** Parses what programs on a server print about its security, as Debian and Ubuntu print it. */
import { swarmTcp, wallChain, wallTable } from '../../../domain/network/port-wall.ts';

/** The trimmed text below each line `== name`, by that name. */
export type Told = ReadonlyMap<string, string>;

export function sections(text: string): Told {
  const told = new Map<string, string>();
  let name = '';
  const lines: string[] = [];
  const keep = (): void => {
    if (name !== '') told.set(name, lines.join('\n').trim());
    lines.length = 0;
  };
  for (const line of text.split('\n')) {
    const head = /^== ([a-z0-9-]+)$/.exec(line)?.[1];
    if (head === undefined) lines.push(line);
    else {
      keep();
      name = head;
    }
  }
  keep();
  return told;
}

/** The first version number in the output of a program, such as `20.10.24`. */
export const versionIn = (text: string): string | null => /\bv?(\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1] ?? null;

interface Firewall {
  installed: boolean;
  active: boolean;
  defaultIncoming: 'deny' | 'allow' | null;
}

const of = (told: Told, name: string): string => told.get(name) ?? '';

/**
 * ufw and firewalld report their state. Without either, the packet filter counts as a firewall when the
 * policy of a base chain of nftables, or of the INPUT chain of iptables, is not to accept.
 */
export function firewallOf(told: Told): Firewall {
  const ufw = of(told, 'ufw');
  if (/^Status: active/m.test(ufw)) {
    const incoming = /^Default: (\w+) \(incoming\)/m.exec(ufw)?.[1];
    return { installed: true, active: true, defaultIncoming: incoming === 'allow' ? 'allow' : 'deny' };
  }
  if (of(told, 'firewalld') === 'running') {
    const isOpen = of(told, 'firewalld-target') === 'ACCEPT';
    return { installed: true, active: true, defaultIncoming: isOpen ? 'allow' : 'deny' };
  }
  if (deniesIncoming(told)) return { installed: true, active: true, defaultIncoming: 'deny' };
  const installed = ufw !== '' || of(told, 'firewalld') !== '' || told.get('firewalld-target') === 'default';
  return { installed, active: false, defaultIncoming: installed ? 'allow' : null };
}

/** `type filter hook input priority 0; policy drop;`, or a last rule of that chain that drops all. */
function deniesIncoming(told: Told): boolean {
  const iptables = of(told, 'iptables');
  if (/^-P INPUT (DROP|REJECT)$/m.test(iptables)) return true;
  if (/^-A INPUT -j (DROP|REJECT)\b/m.test(iptables)) return true;
  for (const [chain] of of(told, 'nft').matchAll(/chain \S+ \{[\s\S]*?\n\t\}/g)) {
    const head = /type filter hook input [^;]*;(?: policy (\w+);)?/.exec(chain);
    if (!head) continue;
    const last = chain.split('\n').at(-2)?.trim() ?? '';
    if (head[1] === 'drop' || /^(counter (packets \d+ bytes \d+ )?)?(drop|reject\b.*)$/.test(last))
      return true;
  }
  return false;
}

export interface SwarmPortsReport {
  restricted: boolean;
  allowedFrom: string[];
}

/** Looks for Berth's own rules (domain/network/port-wall.ts): a chain of iptables, or a table of nftables. */
export function swarmPortsOf(told: Told): SwarmPortsReport {
  const chain = new RegExp(`^-A INPUT .*-j ${wallChain}$`, 'm').test(of(told, 'iptables'))
    ? of(told, 'wall')
    : '';
  const tcp = `-p tcp .*--dports ${swarmTcp.join()} .*-j`;
  const table = new RegExp(`^table inet ${wallTable} \\{[^]*?^\\}`, 'm').exec(of(told, 'nft'))?.[0] ?? '';
  const dport = `tcp dport \\{ ${swarmTcp.join(', ')} \\}`;
  return {
    restricted:
      new RegExp(`^-A ${wallChain} ${tcp} REJECT`, 'm').test(chain) ||
      new RegExp(`^\\s*${dport} reject`, 'm').test(table),
    allowedFrom: [
      ...addressesIn(chain, new RegExp(`^-A ${wallChain} -s (\\S+?)(?:/\\d+)? ${tcp} RETURN`, 'gm')),
      ...addressesIn(table, new RegExp(`^\\s*ip6? saddr (\\S+) ${dport} accept`, 'gm')),
    ].toSorted(),
  };
}

const addressesIn = (text: string, rule: RegExp): string[] =>
  [...text.matchAll(rule)].flatMap(([, address]) => address ?? []);

interface Ssh {
  enabled: boolean;
  keyAuth: boolean;
  permitRootLogin: string | null;
  passwordAuth: boolean;
}

/** Reads the settings in force as `sshd -T` prints them, such as `permitrootlogin without-password`. */
export function sshOf(told: Told): Ssh {
  const settings = new Map(
    of(told, 'sshd')
      .split('\n')
      .map((line) => {
        const [name = '', ...value] = line.split(' ');
        return [name.toLowerCase(), value.join(' ')] as const;
      }),
  );
  const isOn = (name: string): boolean => settings.get(name) === 'yes';
  return {
    enabled: of(told, 'ssh-runs') !== '',
    keyAuth: isOn('pubkeyauthentication'),
    permitRootLogin:
      settings.get('permitrootlogin')?.replace('without-password', 'prohibit-password') ?? null,
    passwordAuth: isOn('passwordauthentication') || isOn('kbdinteractiveauthentication'),
  };
}

const shells = /\/(ba|da|z|k|c|tc|fi)?sh$/;

/** Whether a user other than root can sign in and use sudo, by a group or by a line of sudoers. */
export function sudoUser(told: Told): boolean {
  const people = new Set(
    of(told, 'passwd')
      .split('\n')
      .map((line) => line.split(':'))
      .filter((fields) => fields[2] !== '0' && shells.test(fields[6] ?? ''))
      .map(([name = '']) => name),
  );
  const rules = of(told, 'sudoers')
    .split('\n')
    .map((line) => line.replace(/#(?!\d).*/, '').trim());
  const allowed = new Set(rules.flatMap((line) => /^(%?[\w.-]+)\s+\S+\s*=.*\bALL\b/.exec(line)?.[1] ?? []));
  if ([...people].some((name) => allowed.has(name))) return true;
  return of(told, 'sudo')
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([group = '']) => allowed.has(`%${group}`))
    .some((fields) => (fields[3] ?? '').split(',').some((name) => people.has(name)));
}

interface Kept {
  installed: boolean;
  active: boolean;
}

export function automaticUpdates(told: Told): Kept {
  const isDebian = of(told, 'unattended') === 'install ok installed';
  const isPeriodic = /^APT::Periodic::Unattended-Upgrade "(?!0")[^"]+";/m.test(of(told, 'apt-periodic'));
  if (isDebian) return { installed: true, active: isPeriodic };
  const installed = of(told, 'dnf-automatic').startsWith('dnf-automatic-');
  return { installed, active: installed && /^enabled$/m.test(of(told, 'dnf-timer')) };
}

export function intrusionPrevention(told: Told): Kept {
  const installed = of(told, 'fail2ban') !== '' || of(told, 'crowdsec') !== '';
  const runs = of(told, 'fail2ban-runs') !== '' || of(told, 'crowdsec-runs') !== '';
  return { installed, active: installed && runs };
}
