/**
 * A load: one request repeated on a number of connections, each sending the next when the answer is there.
 */
export interface Load {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  /** `%n` is replaced by a running number, so that no two changes are the same. */
  body?: string;
  connections: number;
  seconds: number;
}

export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers other than 2xx, and broken connections. */
  failures: number;
  generator: 'wrk' | 'own';
}
