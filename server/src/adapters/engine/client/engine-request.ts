import type { RegistryAuth } from '../../../ports/engine/registry-auth.ts';

/** One call of the engine's HTTP API (https://docs.docker.com/reference/api/engine/). */
export interface EngineRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path with every variable part already encoded by `segment`. */
  path: string;
  query?: Record<string, string | number | boolean | Record<string, string[]>>;
  body?: Record<string, unknown>;
  auth?: RegistryAuth | undefined;
  /** Completes "while …" in error sentences: "creating the service web". */
  doing: string;
  signal?: AbortSignal | undefined;
  /** How long the answer (of a stream: its head) may take, in milliseconds. */
  limitMs?: number;
  /** Answered only when something ends: it takes no place among the calls under way. */
  isWaiting?: boolean;
}
