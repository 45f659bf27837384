/** Settings of an engine that bin/up itself installs. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export const settingsPath = '/etc/docker/daemon.json';

/**
 * Build steps can be limited in memory and CPU only where the engine keeps its own control groups (measured:
 * BuildKit of 20.10 ignores `-m`); under systemd Debian's would leave them to systemd. A file that somebody
 * wrote is never touched. Gives whether it wrote one.
 */
export function writeEngineSettings(path = settingsPath): boolean {
  if (existsSync(path)) return false;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ 'exec-opts': ['native.cgroupdriver=cgroupfs'] }, null, 2)}\n`, {
    mode: 0o644,
  });
  return true;
}
