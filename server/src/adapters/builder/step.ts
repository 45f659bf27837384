import type { OwnBuild } from '../../domain/builds/own-build.ts';
import type { Secret } from '../../domain/secrets/secret.ts';
import type { CheckoutPath } from '../files/checkout-path.ts';

/** A build with every path resolved; all of it is data. */
export interface BuildPlan {
  /** Folder that is built. */
  directory: CheckoutPath;
  /** Folder whose files the build sees (dockerfile, static). */
  context: CheckoutPath;
  /** Undefined: Berth's own, which stands in the scratch folder. */
  dockerfile: CheckoutPath | undefined;
  /** What Berth's own builder wrote, for its build type alone. */
  own?: OwnBuild | undefined;
  stage: string | undefined;
  singlePage: boolean;
  image: string;
  labels: Readonly<Record<string, string>>;
  buildArguments: Readonly<Record<string, string>>;
  /** Name → private file that holds the value. */
  secretFiles: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
  noCache: boolean;
  /** The build's private folder. */
  scratch: string;
  /** Paths of the programs, docker among them. */
  programs: Readonly<Record<string, string>>;
  dockerHost: string;
  /** Image that serves static sites. */
  staticImage: string;
}

/** One command of a build. */
export interface BuildStep {
  argv: readonly [program: string, ...args: string[]];
  env: Readonly<Record<string, string | Secret>>;
  /** Its failure is no failure of the build. */
  mayFail?: boolean;
}

/**
 * Variables by their names alone (`--flag=NAME`), their values in the child's environment: any process of the
 * machine can read another's arguments. A name by which the child itself would be changed (PATH,
 * LD_PRELOAD …) can go neither way; `left` has those.
 */
export function passVariables(
  flag: string,
  variables: Readonly<Record<string, string>>,
  isSetting: (name: string) => boolean,
): { args: string[]; env: Record<string, string>; left: string[] } {
  const entries = Object.entries(variables).filter(([name]) => !isSetting(name));
  return {
    args: entries.map(([name]) => `${flag}=${name}`),
    env: Object.fromEntries(entries),
    left: Object.keys(variables).filter(isSetting),
  };
}

/** What the C library, Go, and git, which a plugin of docker starts, read from their environment. */
const ofSystem = new RegExp(
  [
    '^(PATH|HOME|TMPDIR|LOCPATH|NLSPATH|HOSTALIASES|LOCALDOMAIN|BASH_ENV|ENV|IFS|ZONEINFO)$',
    '^(LD|GLIBC|GCONV|GETCONF|MALLOC|RES|RESOLV|SSL|GIT|XDG|DBUS|SSH|OTEL)_',
    '^GO(DEBUG|GC|MEMLIMIT|MAXPROCS|TRACEBACK|ROOT|PATH|COVERDIR|RACE|FIPS140)$',
  ].join('|'),
  'i',
);

/** What the docker program and its plugin read besides. */
const ofDocker = new RegExp(
  [
    '^DOCKER_(HOST|CONFIG|CONTEXT|TLS.*|CERT_PATH|API_VERSION|BUILDKIT|DEFAULT_PLATFORM|DRIVER|AUTH_CONFIG)$',
    '^DOCKER_(CONTENT_TRUST|CLI|HIDE|CUSTOM_HEADERS|STACK)',
    '^BUILDKIT_(HOST|PROGRESS|COLORS|TTY|NO_CLIENT)',
    '^(BUILDX|MOBY)_',
    '^EXPERIMENTAL',
  ].join('|'),
  'i',
);

/** Names that cannot be build arguments of the docker program. */
export function isDockerSetting(name: string): boolean {
  return ofSystem.test(name) || ofDocker.test(name);
}

/** What the programs that find out how to build, written in Go and Rust, read besides. */
const ofPrograms = new RegExp(
  [
    '^(PWD|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|TMP|TEMP|TZ|TZDIR)$',
    '^(LC|TLS|CURL|REQUESTS|NODE_EXTRA)_',
    '^(DOCKER|BUILDKIT|BUILDX|MOBY|COMPOSE|CONTAINER|CONTAINERD|PACK|CNB|NIXPACKS|RAILPACK|MISE)_',
    '^(BERTH|OTEL|EXPERIMENTAL|RUST|CLICOLOR)',
    'PROXY$',
    '^(NO_COLOR|FORCE_COLOR)$',
  ].join('|'),
  'i',
);

/** Names that such a program takes for itself. */
export function isProgramSetting(name: string): boolean {
  return isDockerSetting(name) || ofPrograms.test(name);
}

/** The environment of every program that speaks to the engine. */
export function engineEnvironment(plan: { scratch: string; dockerHost: string }): Record<string, string> {
  return {
    HOME: plan.scratch,
    DOCKER_CONFIG: `${plan.scratch}/docker-config`,
    DOCKER_HOST: plan.dockerHost,
    DOCKER_BUILDKIT: '1',
  };
}
