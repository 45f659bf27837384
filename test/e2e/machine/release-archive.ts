/** A release of the working tree on a host of the bed, as a person has downloaded it. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../../cli/version.ts';
import { fetchPackage, pinnedNpm, repositoryRoot } from '../../../images/build-context.ts';
import { mustRun } from '../../../images/command.ts';
import { packageCommandLine } from '../../../tools/package/command-line.ts';
import { makeArchive } from '../../../tools/release/archive.ts';
import type { BedHost } from '../../bed/host/host.ts';

export const releasedArch = process.arch === 'arm64' ? 'arm64' : 'x64';
export const releasedName = `berth-${version}-linux-${releasedArch}`;

/** Lays `<releasedName>.tar.gz` into the folder of the host; signed by a key that nobody else has. */
export async function releaseArchive(host: BedHost, folder: string): Promise<void> {
  const { signal } = new AbortController();
  const scratch = await mkdtemp(join(tmpdir(), 'berth-release-'));
  try {
    const npm = join(scratch, 'npm');
    await fetchPackage(await pinnedNpm(), npm, signal);
    await packageCommandLine();
    const archive = await makeArchive({
      source: repositoryRoot,
      node: join(repositoryRoot, 'node_modules', `node-linux-${releasedArch}`),
      npm,
      arch: releasedArch,
      version,
      target: scratch,
      privateKey: generateKeyPairSync('ed25519')
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
      time: 1_700_000_000,
      signal,
    });
    await mustRun(['cp', archive, host.path(folder)], { limitMs: 60_000 });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
