/** How a container ended, as its engine tells it. */

export interface ContainerEnd {
  exitCode: number;
  /** ISO 8601; empty where the engine does not say. */
  finishedAt?: string;
  /** The kernel killed it for want of memory. */
  outOfMemory: boolean;
  /** Engine's error text, empty without one. */
  error: string;
  /** So many checks failed one after another that the engine took it for unhealthy, and ended it. */
  unhealthy: boolean;
  /** What its last failed health check printed. */
  failedCheck?: string | undefined;
  /** The user it ran as, where that is not root. */
  user?: string | undefined;
  /** Where it had volumes. */
  volumes?: string[] | undefined;
}
