/** The SSH server of a bed host as its owner would change it. */
import { readFile, writeFile } from 'node:fs/promises';
import { sshdConfigInside } from '../../bed/host/host-files.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { processesOf } from '../../bed/machine/processes.ts';
import { until } from '../fixtures/applications.ts';

const own = /sshd: |\/usr\/sbin\/sshd/;

export interface SshServer {
  /** Starts it anew with these lines before the usual ones; connections end. */
  restart(lines?: readonly string[]): Promise<void>;
  /** Ends the connections alone. */
  cut(): Promise<void>;
  /** Makes another host key and starts anew; gives the fingerprints. */
  otherHostKey(): Promise<{ former: string; present: string }>;
  /** Lets no packet of SSH through any more, in either direction. */
  dropPackets(): Promise<void>;
  letPacketsThrough(): Promise<void>;
}

export async function sshServerOf(host: BedHost): Promise<SshServer> {
  const usual = await readFile(host.path(sshdConfigInside), 'utf8');
  const must = async (...argv: [string, ...string[]]): Promise<string> => {
    const { code, stdout, stderr } = await host.exec(argv);
    if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`);
    return stdout;
  };
  const end = async (pattern: RegExp): Promise<void> => {
    const found = await processesOf(host, pattern);
    if (found.length > 0) await host.exec(['kill', '-9', ...found]);
  };
  async function restart(lines: readonly string[] = []): Promise<void> {
    await writeFile(host.path(sshdConfigInside), `${lines.join('\n')}\n${usual}`);
    // One that was just asked for a connection begins another process.
    await until('sshd has ended', async () => {
      await end(own);
      return (await processesOf(host, own)).length === 0;
    });
    await must('/usr/sbin/sshd', '-f', sshdConfigInside, '-E', '/run/bed/sshd.log');
  }
  const fingerprint = async (): Promise<string> =>
    (await must('ssh-keygen', '-lf', '/run/bed/ssh_host_ed25519_key.pub')).split(' ')[1] ?? '';
  const rules = async (action: '-A' | '-D'): Promise<void> => {
    await must('iptables', action, 'INPUT', '-p', 'tcp', '--dport', '22', '-j', 'DROP');
    await must('iptables', action, 'OUTPUT', '-p', 'tcp', '--sport', '22', '-j', 'DROP');
  };
  return {
    restart,
    cut: () => end(/sshd: root/),
    async otherHostKey() {
      const former = await fingerprint();
      await must('rm', '/run/bed/ssh_host_ed25519_key', '/run/bed/ssh_host_ed25519_key.pub');
      await must('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', '/run/bed/ssh_host_ed25519_key');
      await restart();
      return { former, present: await fingerprint() };
    },
    dropPackets: () => rules('-A'),
    letPacketsThrough: () => rules('-D'),
  };
}
