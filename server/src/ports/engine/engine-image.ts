/** Images as an engine has them. */
import type { HealthCheck } from './health-check.ts';
import type { RegistryAuth } from './registry-auth.ts';

export interface ImageTransfer {
  auth?: RegistryAuth | undefined;
  onLine(line: string): void;
  signal: AbortSignal;
}

export interface ImageState {
  id: string;
  tags: string[];
  /** `name@digest`, of what was exchanged with a registry. */
  digests: string[];
  labels: Record<string, string>;
  /** ISO 8601. */
  createdAt: string;
  sizeBytes: number;
  hasHealthCheck: boolean;
  /** The image's own check with longer pauses, where it asks for more than one check in a second. */
  calmerHealthCheck?: HealthCheck | undefined;
  exposedPorts: number[];
  /** What it starts, without the words that a service may replace. */
  entrypoint: string[];
  /** Paths that the image declares to be volumes. */
  volumes: string[];
  /** Variables that the image sets. */
  env: Record<string, string>;
}
