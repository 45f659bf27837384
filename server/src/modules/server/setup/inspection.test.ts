import { createServerEngine } from '../../../adapters/engine/server-engine.ts';
import { describe, expect, it } from 'vitest';
import { iptablesRules, nftablesScript, walledPorts, wallChain } from '../../../domain/network/port-wall.ts';
import { inspectInstallation, readSecurity } from './inspection.ts';

/** What the programs of a machine print, by the names of the script's sections. */
const machine = (told: Record<string, string>): string =>
  Object.entries(told)
    .map(([name, text]) => `== ${name}\n${text}\n`)
    .join('');

describe('ports of the swarm', () => {
  const ports = (told: Record<string, string>) => readSecurity(machine(told)).swarmPorts;
  const wanted = walledPorts(['docker0'], undefined, {
    peers: ['10.0.0.2', '10.0.0.1', 'fd00::1'],
  });
  const quoted = (rule: readonly string[]): string =>
    rule.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
  const wall = iptablesRules(wanted)
    // As iptables -S prints it.
    .map((rule) => `-A ${wallChain} ${quoted(rule).replace(/-s (\S+)/, '-s $1/32')}`)
    .join('\n');
  const hook = `-P INPUT ACCEPT\n-A INPUT -j ${wallChain}`;

  it('open to everybody', () => {
    const open = { restricted: false, allowedFrom: [] };
    expect(ports({ iptables: '-P INPUT ACCEPT', nft: '' })).toEqual(open);
    expect(ports({ iptables: '-P INPUT ACCEPT', wall })).toEqual(open);
    expect(ports({ iptables: hook, wall: wall.split('\n').slice(0, 2).join('\n') })).toEqual(open);
  });
  it('for its nodes alone, by iptables', () => {
    expect(ports({ iptables: hook, wall })).toEqual({
      restricted: true,
      allowedFrom: ['10.0.0.1', '10.0.0.2'],
    });
  });
  it('for its nodes alone, by nftables', () => {
    const table = nftablesScript(wanted)
      .split('; ')
      .flatMap((line) => /^add rule inet berth input (.*)$/.exec(line)?.[1] ?? [])
      .map((rule) => `\t\t${rule}`)
      .join('\n');
    const nft = `table inet berth {\n\tchain input {\n${table}\n\t}\n}\ntable ip other {\n}`;
    expect(ports({ iptables: '-P INPUT ACCEPT', nft })).toEqual({
      restricted: true,
      allowedFrom: ['10.0.0.1', '10.0.0.2', 'fd00::1'],
    });
  });
});

describe('firewall', () => {
  const firewall = (told: Record<string, string>) => readSecurity(machine(told)).firewall;

  it('none', () => {
    expect(firewall({ ufw: '', nft: '', iptables: '-P INPUT ACCEPT' })).toEqual({
      installed: false,
      active: false,
      defaultIncoming: null,
    });
  });
  it('ufw off, and on with either policy', () => {
    expect(firewall({ ufw: 'Status: inactive' })).toEqual({
      installed: true,
      active: false,
      defaultIncoming: 'allow',
    });
    for (const policy of ['deny', 'allow'])
      expect(
        firewall({
          ufw:
            'Status: active\nLogging: on (low)\n' +
            `Default: ${policy} (incoming), allow (outgoing), disabled (routed)\nNew profiles: skip`,
        }),
      ).toEqual({ installed: true, active: true, defaultIncoming: policy });
  });
  it('firewalld with and without an open zone', () => {
    expect(firewall({ firewalld: 'running', 'firewalld-target': 'default' })).toMatchObject({
      active: true,
      defaultIncoming: 'deny',
    });
    expect(firewall({ firewalld: 'running', 'firewalld-target': 'ACCEPT' }).defaultIncoming).toBe('allow');
  });
  it('nftables by policy, by its last rule, and not by chains of others', () => {
    const ruleset = (chain: string): string => `table inet filter {\n\tchain input {\n${chain}\n\t}\n}`;
    const hook = (policy: string): string => `\t\ttype filter hook input priority filter; policy ${policy};`;
    const denies = { installed: true, active: true, defaultIncoming: 'deny' };
    const open = { installed: false, active: false, defaultIncoming: null };
    expect(firewall({ nft: ruleset(`${hook('drop')}\n\t\ttcp dport { 22, 80, 443 } accept`) })).toEqual(
      denies,
    );
    const lastRule =
      `${hook('accept')}\n\t\ttcp dport { 22, 80 } accept\n` + '\t\treject with icmpx admin-prohibited';
    expect(firewall({ nft: ruleset(lastRule) })).toEqual(denies);
    expect(firewall({ nft: ruleset(`${hook('accept')}\n\t\ttcp dport 25 drop`) })).toEqual(open);
    const forward = '\t\ttype filter hook forward priority filter; policy drop;';
    expect(firewall({ nft: ruleset(forward) })).toEqual(open);
  });
  it('iptables by policy and by its last rule', () => {
    for (const rules of ['-P INPUT DROP', '-P INPUT ACCEPT\n-A INPUT -i lo -j ACCEPT\n-A INPUT -j DROP'])
      expect(firewall({ iptables: rules })).toMatchObject({ active: true, defaultIncoming: 'deny' });
    const one = '-P INPUT ACCEPT\n-A INPUT -p tcp -m tcp --dport 25 -j DROP';
    expect(firewall({ iptables: one })).toMatchObject({ active: false });
  });
});

it('sshd as it prints what is in force', () => {
  const sshd = (more: string): string => `port 22\npermitrootlogin without-password\n${more}`;
  expect(
    readSecurity(
      machine({ sshd: sshd('pubkeyauthentication yes\npasswordauthentication no'), 'ssh-runs': '712' }),
    ).ssh,
  ).toEqual({ enabled: true, keyAuth: true, permitRootLogin: 'prohibit-password', passwordAuth: false });
  // Asked by the keyboard is asked for a password too.
  const asked = sshd('pubkeyauthentication no\npasswordauthentication no\nkbdinteractiveauthentication yes');
  expect(readSecurity(machine({ sshd: asked })).ssh).toMatchObject({
    enabled: false,
    keyAuth: false,
    passwordAuth: true,
  });
});

describe('a user who may use sudo', () => {
  const passwd =
    'root:x:0:0:root:/root:/bin/bash\nkeeper:x:1000:1000::/home/keeper:/bin/bash\n' +
    'www-data:x:33:33::/var/www:/usr/sbin/nologin';
  const of = (told: Record<string, string>): boolean =>
    readSecurity(machine({ passwd, ...told })).nonRootUser.hasValidSudoUser;
  const sudoers =
    'Defaults env_reset\nroot ALL=(ALL:ALL) ALL\n%sudo ALL=(ALL:ALL) ALL\n# keeper ALL=(ALL) ALL';

  it('by the group sudo, when that may', () => {
    expect(of({ sudoers, sudo: 'sudo:x:27:keeper' })).toBe(true);
    expect(of({ sudoers: 'root ALL=(ALL:ALL) ALL', sudo: 'sudo:x:27:keeper' })).toBe(false);
  });
  it('by a line, and not by one that is commented out, or for who cannot sign in', () => {
    expect(of({ sudoers: `${sudoers}\nkeeper ALL=(ALL) NOPASSWD: ALL`, sudo: 'sudo:x:27:' })).toBe(true);
    expect(of({ sudoers, sudo: 'sudo:x:27:' })).toBe(false);
    expect(of({ sudoers, sudo: 'sudo:x:27:www-data' })).toBe(false);
  });
});

it('automatic updates and intrusion prevention, installed and in force', () => {
  const off = readSecurity(machine({ unattended: '', fail2ban: '' }));
  expect(off.automaticUpdates).toEqual({ installed: false, active: false });
  expect(off.intrusionPrevention).toEqual({ installed: false, active: false });
  const debian = (value: string) =>
    readSecurity(
      machine({
        unattended: 'install ok installed',
        'apt-periodic': `APT::Periodic "";\nAPT::Periodic::Unattended-Upgrade "${value}";`,
      }),
    ).automaticUpdates;
  expect(debian('1')).toEqual({ installed: true, active: true });
  expect(debian('0')).toEqual({ installed: true, active: false });
  const fedora = { 'dnf-automatic': 'dnf-automatic-4.14.0-8.fc39.noarch', 'dnf-timer': 'enabled' };
  expect(readSecurity(machine(fedora)).automaticUpdates).toEqual({ installed: true, active: true });
  expect(readSecurity(machine({ fail2ban: '/usr/bin/fail2ban-server' })).intrusionPrevention).toEqual({
    installed: true,
    active: false,
  });
  const runs = { crowdsec: '/usr/bin/crowdsec', 'crowdsec-runs': '811' };
  expect(readSecurity(machine(runs)).intrusionPrevention).toEqual({ installed: true, active: true });
});

it('what is installed, where programs print their versions', async () => {
  const stdout =
    '== dockerd\nDocker version 20.10.24+dfsg1, build 5d6db84\n' +
    '== rclone\nrclone v1.60.1-DEV\n- os/version: debian\n' +
    '== nixpacks\n== pack\n0.33.2+git-f2cffc4.build-6016\n== railpack\n== folder\nthere\n';
  const shell = {
    name: 'the server edge',
    address: '203.0.113.7',
    username: 'root',
    run: async () => ({ code: 0, stdout, stderr: '' }),
    signInAgain: () => undefined,
    engine: createServerEngine('/nonexistent/docker.sock', 'the server edge'),
  };
  expect(await inspectInstallation(shell, { data: '/var/lib/berth' }, async () => true)).toEqual({
    containerRuntime: { enabled: true, version: '20.10.24', accessible: false },
    rclone: { enabled: true, version: '1.60.1' },
    nixpacks: { enabled: false, version: null },
    buildpacks: { enabled: true, version: '0.33.2' },
    railpack: { enabled: false, version: null },
    isServiceNetworkInstalled: false,
    isSwarmInstalled: false,
    isMainDirectoryInstalled: true,
  });
});
