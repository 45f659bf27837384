import { usualPids } from '../../domain/resources/resources.ts';

/**
 * What a service gets where its specification says nothing, by version. A release keeps the number of the
 * version that it was made with, so that a changed default enters with the next release and an upgrade
 * restarts nothing. Rows are never edited: to change a default, append a row.
 */
export interface SpecDefaults {
  /** Whether the engine's own init is process 1. */
  init: boolean;
  /** Pause before a task that ended is started again; Swarm has no growing one. */
  restartDelayMs: number;
  logging: { driver: string; options: Readonly<Record<string, string>> };
  sysctls: Readonly<Record<string, string>>;
  /** Most processes and threads of a task; absent: as many as the engine allows. */
  pids?: number;
}

export const specDefaults: readonly [SpecDefaults, ...SpecDefaults[]] = [
  {
    init: true,
    restartDelayMs: 1000,
    logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
    // A container may stand in several networks (the proxy stands in all of them) and must pass nothing from
    // one to another; the kernel's default would (measured).
    sysctls: { 'net.ipv4.ip_forward': '0' },
  },
  {
    init: true,
    restartDelayMs: 1000,
    logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
    sysctls: { 'net.ipv4.ip_forward': '0' },
    // A kernel has 32,768 by default, for the machine and everybody on it.
    pids: usualPids,
  },
];

/** The version that releases are made with now. */
export const newestDefaults = specDefaults.length - 1;

/** Releases stored without a number were made with the first version. */
export const defaultsOf = ({ defaults = 0 }: { defaults?: number | undefined }): SpecDefaults =>
  specDefaults[defaults] ?? specDefaults[0];
