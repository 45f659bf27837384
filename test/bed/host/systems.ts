/** Operating systems that the bed has bare machines of, with the engines of their packages. */
import type { Suite } from '../../../images/base-rootfs.ts';

export interface System {
  /** The distribution as a person calls it. */
  title: string;
  /** The engine that its packages install (packages.debian.org, docker.io): version and API version. */
  engine: { version: string; api: string };
  /** Its packages of the engine and of a client that builds. */
  packages: readonly string[];
}

export const systems = {
  bookworm: {
    title: 'Debian 12',
    engine: { version: '20.10', api: '1.41' },
    packages: ['docker.io'],
  },
  trixie: {
    title: 'Debian 13',
    engine: { version: '26.1', api: '1.45' },
    packages: ['docker.io', 'docker-cli', 'docker-buildx', 'iptables'],
  },
  sid: {
    title: 'Debian unstable',
    engine: { version: '28.5', api: '1.51' },
    packages: ['docker.io', 'docker-cli', 'docker-buildx', 'iptables'],
  },
} as const satisfies Record<Suite, System>;

export type SystemName = keyof typeof systems;

export const systemNames = Object.keys(systems).filter((name): name is SystemName => name in systems);

/** The environment variable that names the system of a project's hosts (test/run/projects.ts). */
export const systemVariable = 'BERTH_TEST_SYSTEM';

/** The system that hosts of this run have unless they are asked for another; the machine's own by itself. */
export function systemOfRun(environment: NodeJS.ProcessEnv = process.env): SystemName {
  const named = environment[systemVariable] ?? 'bookworm';
  const found = systemNames.find((name) => name === named);
  if (found === undefined)
    throw new Error(`${systemVariable}=${named} is none of ${systemNames.join(', ')}.`);
  return found;
}
