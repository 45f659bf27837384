/** What set-up and inspection ask of a server before it is a host: its programs, and its bare engine. */

import type { Readable } from 'node:stream';

/** The end of a program on a server. */
export interface ProgramEnd {
  code: number;
  stdout: string;
  /** The end of it, at most 8 KiB. */
  stderr: string;
}

export interface ServerShell {
  /** As sentences have it: "the server frankfurt". */
  name: string;
  /** Address that Berth reaches it at, as IP address. */
  address: string;
  username: string;
  /**
   * Runs as root; SERVICE_UNAVAILABLE when it could not be run to its end, within `limitMs` (30,000 unless
   * given).
   */
  run(
    argv: readonly [string, ...string[]],
    options?: { stdin?: Readable | string; signal?: AbortSignal; limitMs?: number },
  ): Promise<ProgramEnd>;
  /** Ends the connection; the next one is a new sign-in, with the user's groups as they are then. */
  signInAgain(): void;
  engine: ServerEngine;
}

/** A swarm as its engine tells it. */
export interface SwarmState {
  /** `inactive`, `pending`, `active`, `error` or `locked`. */
  state: string;
  isManager: boolean;
  nodeAddress: string;
  /** Why it is not well; empty when it is. */
  problem: string;
}

export interface ServerEngine {
  /** Undefined when no engine answers. */
  info(): Promise<{ version: string; apiVersion: string; swarm: SwarmState } | undefined>;
  /** Makes a swarm of this one node. */
  initSwarm(advertiseAddress: string): Promise<void>;
}
