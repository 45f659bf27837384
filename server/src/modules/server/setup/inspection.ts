/** What is installed on a server and how it is secured, as its own programs tell (decisions 10). */
import { wallChain } from '../../../domain/network/port-wall.ts';
import type { z } from 'zod';
import type { HostFolders } from '../../../ports/host/host.ts';
import type { ServerShell } from '../../../ports/host/server-shell.ts';
import type { TableRecord } from '../../../db/tables.ts';
import type { installation, securityReport } from '../record.ts';
import {
  automaticUpdates,
  firewallOf,
  intrusionPrevention,
  sections,
  sshOf,
  sudoUser,
  versionIn,
  swarmPortsOf,
} from './security-texts.ts';

export type Installation = z.infer<typeof installation>;
export type SecurityReport = z.infer<typeof securityReport>;

const programs = {
  rclone: 'rclone',
  nixpacks: 'nixpacks',
  buildpacks: 'pack',
  railpack: 'railpack',
} as const;

export interface ServerInspection {
  installation(server: Pick<TableRecord<'server'>, 'serverId'>): Promise<Installation>;
  security(server: Pick<TableRecord<'server'>, 'serverId'>): Promise<SecurityReport>;
}

/** Each program's version below a line with its name, and whether the folder is there. */
const installedScript = `for program in dockerd rclone nixpacks pack railpack; do
  echo "== $program"
  command -v "$program" >/dev/null && timeout 10 "$program" --version 2>/dev/null </dev/null | head -n 2
done
echo "== folder"
[ -d "$1" ] && echo there`;

export async function inspectInstallation(
  shell: ServerShell,
  folders: Pick<HostFolders, 'data'>,
  networkIsThere: () => Promise<boolean>,
): Promise<Installation> {
  const { stdout } = await shell.run(['sh', '-c', installedScript, 'sh', folders.data], { limitMs: 60_000 });
  const told = sections(stdout);
  const engine = await shell.engine.info();
  const of = (program: string): { enabled: boolean; version: string | null } => {
    const text = told.get(program) ?? '';
    return { enabled: text !== '', version: versionIn(text) };
  };
  const isSwarm = engine?.swarm.state === 'active';
  return {
    containerRuntime: {
      enabled: engine !== undefined || of('dockerd').enabled,
      version: engine?.version ?? of('dockerd').version,
      accessible: engine !== undefined,
    },
    rclone: of(programs.rclone),
    nixpacks: of(programs.nixpacks),
    buildpacks: of(programs.buildpacks),
    railpack: of(programs.railpack),
    isServiceNetworkInstalled: isSwarm && engine.swarm.isManager && (await networkIsThere()),
    isSwarmInstalled: isSwarm,
    isMainDirectoryInstalled: told.get('folder') === 'there',
  };
}

/** Reads only; what a program does not tell stays empty. */
const securityScript = `export LC_ALL=C
tell() { echo "== $1"; shift; timeout 10 "$@" 2>/dev/null </dev/null; }
tell ufw ufw status verbose
tell firewalld firewall-cmd --state
zone=$(firewall-cmd --get-default-zone 2>/dev/null)
tell firewalld-target firewall-cmd --permanent --zone="$zone" --get-target
tell nft nft list ruleset
tell iptables iptables -S INPUT
tell wall iptables -S ${wallChain}
tell sshd sh -c 'sshd -T || /usr/sbin/sshd -T'
tell ssh-runs sh -c 'pidof sshd || pgrep -x sshd || { systemctl is-active ssh.socket | grep -x active; }'
tell sudo sh -c 'getent group sudo wheel admin'
tell sudoers sh -c 'cat /etc/sudoers /etc/sudoers.d/*'
tell passwd getent passwd
tell unattended dpkg-query -W -f '\${Status}' unattended-upgrades
tell apt-periodic apt-config dump APT::Periodic
tell dnf-automatic rpm -q dnf-automatic
tell dnf-timer sh -c 'systemctl is-enabled dnf-automatic.timer dnf-automatic-install.timer'
tell fail2ban sh -c 'command -v fail2ban-server'
tell fail2ban-runs sh -c 'fail2ban-client ping || pidof -x fail2ban-server'
tell crowdsec sh -c 'command -v crowdsec'
tell crowdsec-runs pidof crowdsec`;

export async function inspectSecurity(shell: Pick<ServerShell, 'run'>): Promise<SecurityReport> {
  const { stdout } = await shell.run(['sh', '-c', securityScript], { limitMs: 120_000 });
  return readSecurity(stdout);
}

export function readSecurity(text: string): SecurityReport {
  const told = sections(text);
  return {
    firewall: firewallOf(told),
    ssh: sshOf(told),
    nonRootUser: { hasValidSudoUser: sudoUser(told) },
    automaticUpdates: automaticUpdates(told),
    intrusionPrevention: intrusionPrevention(told),
    swarmPorts: swarmPortsOf(told),
  };
}
