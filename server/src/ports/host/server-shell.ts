/** What set-up and inspection ask of a server before it is a host: its programs, and its bare engine. */

import type { Readable } from 'node:stream';
import type { Secret } from '../../domain/secrets/secret.ts';

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
  /** Empty in no swarm. */
  nodeId: string;
  /** Why it is not well; empty when it is. */
  problem: string;
}

export interface ServerEngine {
  /** Undefined when no engine answers. */
  info(): Promise<{ version: string; apiVersion: string; swarm: SwarmState } | undefined>;
  /** Makes a swarm of this one node. */
  initSwarm(advertiseAddress: string): Promise<void>;
  /** Of a manager: what a node joins its swarm with. */
  joinToken(role: NodeRole): Promise<Secret>;
  /** Throws SERVICE_UNAVAILABLE when none of the managers answers; then it is in no swarm. */
  joinSwarm(swarm: {
    managerAddresses: readonly string[];
    advertiseAddress: string;
    token: Secret;
  }): Promise<void>;
  /** Whatever it runs for the swarm ends; a manager of others is refused unless `isForced`. */
  leaveSwarm(options?: { isForced?: boolean }): Promise<void>;
  /** Of a manager: changes a node of its swarm. NOT_FOUND when there is none of this id. */
  updateNode(nodeId: string, change: { role?: NodeRole; availability?: NodeAvailability }): Promise<void>;
  /** Of a manager: forgets a node; with `isForced` one that is not down, too. An absent one is no error. */
  removeNode(nodeId: string, options?: { isForced?: boolean }): Promise<void>;
}

export type NodeRole = 'manager' | 'worker';
/** `pause`: it gets no new tasks and keeps those that it has; `drain`: it gives them to others. */
export type NodeAvailability = 'active' | 'pause' | 'drain';
