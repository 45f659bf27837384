import type { Config } from '../config.ts';

/** Absolute paths of the server that neither a service nor a backup may reach: Berth's data, the engine's socket and data. */
export function protectedPaths({ data, engineSocket }: Config): string[] {
  return [data, engineSocket, '/var/run/docker.sock', '/run/docker.sock', '/var/lib/docker'];
}
