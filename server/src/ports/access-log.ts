/** Requests that the proxy has answered. */

export interface SeenRequest {
  /** ms. */
  at: number;
  domainId: string;
  /** Id of the application, or of whatever else the domain leads to. */
  serviceId: string;
  method: string;
  host: string;
  /** Without its query, which may hold secrets. */
  path: string;
  status: number;
  durationMs: number;
  /** Of the answer's body. */
  bytes: number;
}

/** One log a service; the oldest requests go first. */
export interface AccessLog {
  append(requests: readonly SeenRequest[]): Promise<void>;
  /** The last requests of a domain, oldest first, as many as there are up to `count`. */
  tail(serviceId: string, domainId: string, count: number): Promise<SeenRequest[]>;
  /** Forgets logs that nothing was written to since (ms). */
  prune(before: number): Promise<void>;
}
