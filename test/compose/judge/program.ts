/** Real docker compose, of Debian unstable: the judge of what a compose file means. */
import { join } from 'node:path';
import { unpackedPackages } from '../../bed/machine/unpacked.ts';

/** The path of the program. Needs root. */
export async function dockerCompose(signal: AbortSignal): Promise<string> {
  const root = await unpackedPackages('docker-compose', ['docker-compose'], signal);
  return join(root, 'usr/libexec/docker/cli-plugins/docker-compose');
}
