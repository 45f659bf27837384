/** Berth as the systemd unit `berth.service`. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Layout } from '../layout.ts';
import { identify } from '../process/process-identity.ts';
import type { ProcessIdentity } from '../process/process-identity.ts';
import { runCommand, tryCommand } from '../process/run-command.ts';
import { berthCommand, stopLimitMs } from './starter.ts';
import type { StartContext, Starter } from './starter.ts';

const unit = 'berth.service';
export const unitFile = `/etc/systemd/system/${unit}`;
const limitMs = stopLimitMs + 15_000;

/** sd_booted(3): this folder exists only where systemd is the running service manager. */
export function systemdRuns(): boolean {
  return existsSync('/run/systemd/system');
}

export const systemdStarter: Starter = {
  sentence: `systemd starts Berth (unit ${unit}), also after a crash and when the machine starts.`,

  async running(context): Promise<ProcessIdentity | undefined> {
    const shown = await tryCommand(['systemctl', 'show', '--property=MainPID', '--value', unit], {
      signal: context.signal,
      limitMs,
    });
    const pid = Number(shown.stdout.trim());
    return Number.isInteger(pid) && pid > 0 ? identify(pid) : undefined;
  },

  async start(context) {
    const text = unitText(context.layout);
    if (!existsSync(unitFile) || readFileSync(unitFile, 'utf8') !== text) {
      writeFileSync(unitFile, text, { mode: 0o644 });
      context.say(`writes ${unitFile}`);
      await runCommand(['systemctl', 'daemon-reload'], { signal: context.signal, limitMs });
    }
    // A unit that failed too often is refused until its counter is cleared.
    await tryCommand(['systemctl', 'reset-failed', unit], { signal: context.signal, limitMs });
    await runCommand(['systemctl', 'enable', unit], { signal: context.signal, limitMs });
    await runCommand(['systemctl', 'restart', unit], { signal: context.signal, limitMs });
  },

  async stop(context, { stayDown }) {
    if (!existsSync(unitFile)) return;
    await runCommand(['systemctl', 'stop', unit], { signal: context.signal, limitMs });
    if (stayDown) await runCommand(['systemctl', 'disable', unit], { signal: context.signal, limitMs });
  },

  async lastLines(context, count) {
    // Only what this start printed; the unit's older lines tell of another Berth.
    const shown = await tryCommand(['systemctl', 'show', '--property=InvocationID', '--value', unit], {
      signal: context.signal,
      limitMs,
    });
    const match = `_SYSTEMD_INVOCATION_ID=${shown.stdout.trim()}`;
    const journal = await tryCommand(
      ['journalctl', match, '--lines', String(count), '--no-pager', '--output', 'cat'],
      { signal: context.signal, limitMs },
    );
    return journal.stdout.trimEnd();
  },
};

/** The unit: `mixed` ends Berth first and then what it left, so that after a stop nothing of it runs on. */
export function unitText(layout: Layout): string {
  return `# Written by Berth's bin/up; it is written anew when it differs.
[Unit]
Description=Berth, a self-hosted deployment platform
Wants=network-online.target docker.service
After=network-online.target docker.service
StartLimitIntervalSec=0

[Service]
EnvironmentFile=${layout.environment}
ExecStart=${berthCommand(layout).join(' ')}
WorkingDirectory=${layout.data}
Restart=always
RestartSec=2
KillMode=mixed
TimeoutStopSec=${stopLimitMs / 1000}
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
`;
}

/** Takes the unit away; Berth must be stopped. */
export async function removeUnit(context: Pick<StartContext, 'signal'>): Promise<void> {
  rmSync(unitFile, { force: true });
  if (!systemdRuns()) return;
  await runCommand(['systemctl', 'daemon-reload'], { signal: context.signal, limitMs });
  await tryCommand(['systemctl', 'reset-failed', unit], { signal: context.signal, limitMs });
}

/** Starts Debian's engine now and at every start of the machine. */
export async function enableEngine(context: Pick<StartContext, 'signal'>): Promise<void> {
  await runCommand(['systemctl', 'enable', '--now', 'docker.service'], {
    signal: context.signal,
    limitMs: 120_000,
  });
}
