/**
 * A compose file as Berth understands it: what its services are, before images, networks and the server come
 * in.
 */
import type { ContainerOptions, serverNetwork } from '../../../ports/engine/engine.ts';
import type { HealthCheck } from '../../../ports/engine/health-check.ts';

export interface ComposePlan {
  /** Each after those it depends on. */
  services: PlannedService[];
  /** Largest packet on its network, in bytes; undefined as the engine has it. */
  networkMtu?: number | undefined;
  /** What a person should know: keys without effect, variables without value. */
  notes: string[];
}

export interface PlannedService {
  /** As the file has it. */
  name: string;
  image: string | undefined;
  build: PlannedBuild | undefined;
  pull: 'always' | 'missing' | 'never';
  entrypoint: string[] | undefined;
  command: string[] | undefined;
  /** Files first, in their order, then `environment`. A null value is taken from the compose's variables. */
  envFiles: { path: string; required: boolean; format?: 'raw' }[];
  environment: [name: string, value: string | null][];
  dependsOn: Dependency[];
  /** Undefined: the image's, else Berth's own probe; `disabled`: the file turns any check off. */
  healthCheck: HealthCheck | 'disabled' | undefined;
  /** Runs to its end in each deployment, before what waits for it. */
  isOneShot: boolean;
  /** How often one that runs once is tried again when it fails. */
  retries: number;
  /** It is done once it has ended with 0, unless a domain leads to it. */
  mayEnd: boolean;
  replicas: number;
  limits: { memoryBytes?: number | undefined; nanoCpus?: number | undefined; pids?: number | undefined };
  reservations: { memoryBytes?: number | undefined; nanoCpus?: number | undefined };
  ports: PlannedPort[];
  mounts: PlannedMount[];
  /** Others whose volumes it has, besides those of their mounts that stand in its mounts already. */
  volumesFrom?: { service: string; readOnly: boolean }[];
  files: PlannedFile[];
  labels: Record<string, string>;
  /** Names besides its own on the compose's network. */
  aliases: string[];
  /** Whether it is on internal networks, from which nothing leads out: on no others, or besides others. */
  inside?: 'only' | 'also' | undefined;
  /** On the network of the server itself, and on no other. */
  network?: typeof serverNetwork | undefined;
  container: ContainerOptions;
  sysctls: Record<string, string>;
  logging: { driver: string; options: Record<string, string> } | undefined;
  stopGracePeriodMs: number | undefined;
  updateOrder: 'start-first' | 'stop-first' | undefined;
  updatePace: { parallelism: number; delayMs: number } | undefined;
  monitorMs: number | undefined;
  restartDelayMs: number | undefined;
  constraints: string[];
  spreadOver: string[];
  maxReplicasPerNode: number | undefined;
}

export interface PlannedBuild {
  /** Folder of the source, below its root. */
  context: string;
  /** Below the context; undefined with `inline`. */
  dockerfile: string;
  inline: string | undefined;
  target: string | undefined;
  arguments: [name: string, value: string | null][];
  noCache: boolean;
}

export interface Dependency {
  service: string;
  condition: 'started' | 'healthy' | 'completed';
}

export interface PlannedPort {
  published: number;
  target: number;
  protocol: 'tcp' | 'udp';
  mode: 'ingress' | 'host';
}

export type PlannedMount = {
  target: string;
  readOnly: boolean;
} /**
 * A volume of this compose, or with `isForeign` one of exactly this name. With `isUnnamed` the file gives
 * it a path alone, so that each service and slot has one of its own. `driverOptions` are those of the driver
 * `local`, which mounts what they name.
 */ & (
  | {
      type: 'volume';
      name: string;
      isForeign: boolean;
      /** The engine makes it where it is missing: the file names it and does not call it external. */
      mayBeMissing?: true;
      isUnnamed?: true;
      /** Another service, whose unnamed volume it is. */
      of?: string;
      driverOptions?: Record<string, string>;
    }
  | { type: 'bind'; path: string }
  /** Relative to the file: what the source has there, else a volume that stays. */
  | { type: 'own'; path: string }
  | { type: 'tmpfs'; sizeBytes: number | undefined; mode: number | undefined }
);

/** A config or a secret at its path in the container. */
export interface PlannedFile {
  target: string;
  source:
    | { from: 'content'; content: string }
    | { from: 'file'; path: string }
    | { from: 'variable'; name: string };
  where: string;
  /** Nobody reads it back from the engine. */
  isSecret: boolean;
  uid: string | undefined;
  gid: string | undefined;
  mode: number | undefined;
}
