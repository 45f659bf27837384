/** What container engine and docker client are called in each distribution's packages. */
import { existsSync, readFileSync } from 'node:fs';

export interface EnginePackages {
  /** As /etc/os-release names the distribution; undefined for any other. */
  id?: 'debian' | 'ubuntu';
  /** The first VERSION_ID of the row; a distribution without one (unstable, testing) is newer than any. */
  from: number;
  engine: readonly string[];
  /** The client that builds, BuildKit's plugin included where the client lacks it. */
  client: readonly string[];
  /** Whether Berth's tests set up a bare machine of it. */
  tried: boolean;
}

/**
 * The newest first; the first that fits counts. Debian split the client from docker.io with 13, and its
 * client 20.10 of 12 has BuildKit within (packages.debian.org). Ubuntu's docker.io has the client, and
 * docker-buildx the plugin (packages.ubuntu.com); nobody has set Berth up there by its tests.
 */
const distributions: readonly EnginePackages[] = [
  {
    id: 'debian',
    from: 13,
    engine: ['docker.io', 'iptables'],
    client: ['docker-cli', 'docker-buildx'],
    tried: true,
  },
  { id: 'debian', from: 12, engine: ['docker.io', 'iptables'], client: ['docker.io'], tried: true },
  {
    id: 'ubuntu',
    from: 22.04,
    engine: ['docker.io', 'iptables'],
    client: ['docker.io', 'docker-buildx'],
    tried: false,
  },
];

/** Newer distributions split the packages as Debian does. */
const others: EnginePackages = {
  from: 0,
  engine: ['docker.io', 'iptables'],
  client: ['docker-cli', 'docker-buildx'],
  tried: false,
};

const osRelease = '/etc/os-release';

/** Those of this machine. */
export function enginePackagesHere(): EnginePackages {
  return enginePackagesOf(existsSync(osRelease) ? readFileSync(osRelease, 'utf8') : '');
}

/** Those of the distribution that this os-release(5) is of. */
export function enginePackagesOf(release: string): EnginePackages {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(release)?.[1];
  const id = field('ID');
  const version = Number(field('VERSION_ID') ?? Infinity);
  return distributions.find((each) => each.id === id && version >= each.from) ?? others;
}
