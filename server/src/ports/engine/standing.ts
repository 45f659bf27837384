/** Containers of ours beside all services. */
import type { PublishedPort, ServiceSpec } from './engine.ts';

/** A container of ours that stands on one machine beside all services, and comes back with it. */
export interface StandingContainer
  extends Pick<ServiceSpec, 'name' | 'image' | 'labels' | 'env' | 'mounts' | 'sysctls'> {
  command: readonly string[];
  /**
   * An attachable overlay network, whether anything on this node uses it yet or not; absent: the engine's
   * own bridge.
   */
  network?: string | undefined;
  /** Of the machine. */
  ports: readonly Pick<PublishedPort, 'published' | 'target' | 'protocol'>[];
  limits?: Pick<ServiceSpec['limits'], 'memoryBytes' | 'pids'> | undefined;
}

/** Such containers of one machine. A replaced one is kept, stopped, until its successor is settled. */
export interface Standing {
  /** How the container stands compared with what it should be. The image must be there. */
  look(container: StandingContainer): Promise<StandingState>;
  /**
   * Makes or starts it; one that differs is stopped and kept first, as the way back. Goes on where an earlier
   * call was broken off. Gives whether it had anything to do. The image must be there.
   */
  replace(container: StandingContainer): Promise<boolean>;
  /** Removes the former one, since its successor works. */
  settle(name: string): Promise<void>;
  /** The former one takes its place again and runs; without a former one, starts what is there. */
  putBack(name: string): Promise<void>;
  /** Whether a replacement is neither settled nor put back. */
  isUnsettled(name: string): Promise<boolean>;
  /** Attaches it to networks of the swarm; gives how many were new. */
  attach(name: string, networks: readonly string[]): Promise<number>;
  /** Ends it and its former one; fine when there is none. */
  remove(name: string): Promise<void>;
}

/** `renewing`: it differs, or its replacement is not settled yet. */
export type StandingState = 'absent' | 'running' | 'stopped' | 'renewing';
