import type { Secret } from '../../domain/secret.ts';
import type { CheckoutPath } from '../files/checkout-path.ts';

/** A build with every path resolved; all of it is data. */
export interface BuildPlan {
  /** Folder that is built. */
  directory: CheckoutPath;
  /** Folder whose files the build sees (dockerfile, static). */
  context: CheckoutPath;
  /** Undefined: Berth's own, which stands in the scratch folder. */
  dockerfile: CheckoutPath | undefined;
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
}

/**
 * Variables by their names alone (`--flag=NAME`), their values in the child's environment, so that they do
 * not show in the process list. A name that would change the child itself (PATH, DOCKER_HOST, LD_PRELOAD …)
 * goes as `NAME=value` instead: it is data for the build, never a setting of the program.
 */
export function passVariables(
  flag: string,
  variables: Readonly<Record<string, string>>,
): { args: string[]; env: Record<string, string> } {
  const entries = Object.entries(variables);
  return {
    args: entries.map(([name, value]) => (isSetting(name) ? `${flag}=${name}=${value}` : `${flag}=${name}`)),
    env: Object.fromEntries(entries.filter(([name]) => !isSetting(name))),
  };
}

/** What the C library, Go, Rust, docker and the build programs read from their own environment. */
const settings = new RegExp(
  [
    '^(PATH|HOME|PWD|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LOCPATH|NLSPATH|TMPDIR|TMP|TEMP)$',
    '^(TZ|TZDIR|ZONEINFO|HOSTALIASES|LOCALDOMAIN|IFS|ENV|BASH_ENV)$',
    '^(LC|LD|GLIBC|GCONV|GETCONF|MALLOC|RES|RESOLV|SSL|TLS|SSH|XDG|DBUS|GIT|CURL|REQUESTS|NODE_EXTRA)_',
    '^(DOCKER|BUILDKIT|BUILDX|MOBY|COMPOSE|CONTAINER|CONTAINERD|PACK|CNB|NIXPACKS|RAILPACK|MISE)',
    '^(BERTH|OTEL|EXPERIMENTAL|RUST|CLICOLOR)',
    '^GO[A-Z0-9]*$',
    'PROXY$',
    '^(NO_COLOR|FORCE_COLOR)$',
  ].join('|'),
  'i',
);

function isSetting(name: string): boolean {
  return settings.test(name);
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
