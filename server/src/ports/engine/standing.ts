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

/** Such containers of one machine. */
export interface Standing {
  /** Makes or starts it, anew where it differs; gives whether it had to. The image must be there. */
  ensure(container: StandingContainer): Promise<boolean>;
  /** Attaches it to networks of the swarm; gives how many were new. */
  attach(name: string, networks: readonly string[]): Promise<number>;
  /** Ends it; fine when there is none. */
  remove(name: string): Promise<void>;
}
