/** The specification of a service as releases store it: without the credentials of its registry. */
import { z } from 'zod';
import type { ContainerOptions, PublishedPort, ServiceSpec } from '../../ports/engine/engine.ts';
import type { HealthCheck } from '../../ports/engine/health-check.ts';
import type { ServiceMount } from '../../ports/engine/service-mount.ts';
import type { StoredFields } from '../stored-form.ts';

/**
 * Requires a schema for every field of `T`, because fields without one are dropped when a release is read.
 */
type Fields<T> = { [K in keyof T]-?: z.ZodType };

const words = z.array(z.string());
const byName = z.record(z.string(), z.string());
const amount = z.number().optional();

const mount = z.object({
  type: z.enum(['bind', 'volume', 'tmpfs']),
  source: z.string(),
  target: z.string(),
  readOnly: z.boolean().exactOptional(),
  perSlot: z.literal(true).exactOptional(),
  labels: byName.exactOptional(),
  driverOptions: byName.exactOptional(),
  sizeBytes: amount,
  mode: amount,
} satisfies Fields<ServiceMount>);

const file = z.object({
  path: z.string(),
  content: z.string(),
  uid: z.string().optional(),
  gid: z.string().optional(),
  mode: amount,
  isSecret: z.literal(true).exactOptional(),
} satisfies Fields<ServiceSpec['files'][number]>);

const port = z.object({
  published: z.number(),
  target: z.number(),
  protocol: z.enum(['tcp', 'udp']),
  mode: z.enum(['ingress', 'host']),
} satisfies Fields<PublishedPort>);

const healthCheck = z.object({
  test: words,
  intervalMs: z.number(),
  timeoutMs: z.number(),
  retries: z.number(),
  startPeriodMs: z.number(),
  startIntervalMs: z.number().exactOptional(),
} satisfies Fields<HealthCheck>);

const container = z.object({
  hostname: z.string().optional(),
  user: z.string().optional(),
  groups: words.optional(),
  workingDirectory: z.string().optional(),
  init: z.boolean().optional(),
  readOnly: z.boolean().optional(),
  tty: z.boolean().optional(),
  stdinOpen: z.boolean().optional(),
  stopSignal: z.string().optional(),
  hosts: z.array(z.object({ name: z.string(), address: z.string() })).optional(),
  dns: z.object({ servers: words, search: words, options: words }).optional(),
  capabilitiesAdded: words.optional(),
  capabilitiesDropped: words.optional(),
  ulimits: z.array(z.object({ name: z.string(), soft: z.number(), hard: z.number() })).optional(),
  noNewPrivileges: z.literal(true).optional(),
  seccomp: z.string().optional(),
  apparmor: z.literal('unconfined').optional(),
} satisfies Fields<ContainerOptions>);

export type StoredSpec = Omit<ServiceSpec, 'registryAuth'>;

export const storedSpec: z.ZodType<StoredSpec> = z.object({
  name: z.string(),
  image: z.string(),
  labels: byName,
  defaults: z.number().exactOptional(),
  release: z.string().optional(),
  env: words,
  command: words.optional(),
  args: words.optional(),
  networks: words,
  networkMtu: amount,
  aliases: z.record(z.string(), words).exactOptional(),
  container: container.exactOptional(),
  replicas: z.number(),
  limits: z.object({ memoryBytes: amount, nanoCpus: amount, pids: amount }),
  reservations: z.object({ memoryBytes: amount, nanoCpus: amount }),
  mounts: z.array(mount),
  files: z.array(file),
  ports: z.array(port),
  healthCheck: healthCheck.optional(),
  updateOrder: z.enum(['start-first', 'stop-first']),
  monitorMs: z.number(),
  stopGracePeriodMs: z.number(),
  constraints: words,
  spreadOver: words.exactOptional(),
  maxReplicasPerNode: amount,
  updatePace: z.object({ parallelism: z.number(), delayMs: z.number() }).optional(),
  restartDelayMs: amount,
  restart: z.literal('on-failure').exactOptional(),
  logging: z.object({ driver: z.string(), options: byName }).optional(),
  sysctls: byName.exactOptional(),
} satisfies Fields<StoredSpec>);

/** Fields that releases stored without a number may lack, because the specification did not have them yet. */
const laterFields: Partial<StoredSpec> = {
  reservations: {},
  mounts: [],
  files: [],
  ports: [],
  networks: [],
  constraints: [],
};

export const withLaterFields = (spec: StoredFields): StoredFields => ({ ...laterFields, ...spec });
