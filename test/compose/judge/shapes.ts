/** The form of `docker compose config --format json` (compose-spec), as far as it is compared. */
import { z } from 'zod';

const texts = z.array(z.string()).nullish();
const pairs = z.record(z.string(), z.string().nullable()).nullish();
const amount = z.union([z.string(), z.number()]);
const resources = z.object({ cpus: amount, memory: amount, pids: z.number() }).partial().nullish();
const source = z.object({ source: z.string(), target: z.string().optional(), mode: z.string().optional() });

const serviceShape = z.object({
  image: z.string().optional(),
  build: z
    .object({
      context: z.string(),
      dockerfile: z.string().optional(),
      dockerfile_inline: z.string().optional(),
      target: z.string().optional(),
      args: pairs,
    })
    .nullish(),
  command: texts,
  entrypoint: texts,
  environment: pairs,
  volumes: z
    .array(
      z.object({
        type: z.string(),
        source: z.string().optional(),
        target: z.string(),
        read_only: z.boolean().optional(),
      }),
    )
    .nullish(),
  tmpfs: texts,
  ports: z
    .array(
      z.object({
        target: z.number(),
        published: z.string().optional(),
        protocol: z.string().optional(),
        host_ip: z.string().optional(),
      }),
    )
    .nullish(),
  depends_on: z.record(z.string(), z.object({ condition: z.string(), required: z.boolean() })).nullish(),
  restart: z.string().optional(),
  healthcheck: z
    .object({
      test: z.array(z.string()).optional(),
      disable: z.boolean().optional(),
      interval: z.string().optional(),
      timeout: z.string().optional(),
      retries: z.number().optional(),
      start_period: z.string().optional(),
      start_interval: z.string().optional(),
    })
    .nullish(),
  user: z.string().optional(),
  working_dir: z.string().optional(),
  hostname: z.string().optional(),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  tty: z.boolean().optional(),
  stdin_open: z.boolean().optional(),
  stop_signal: z.string().optional(),
  group_add: texts,
  extra_hosts: texts,
  dns: texts,
  dns_search: texts,
  dns_opt: texts,
  cap_add: texts,
  cap_drop: texts,
  security_opt: texts,
  network_mode: z.string().optional(),
  volumes_from: texts,
  ulimits: z
    .record(
      z.string(),
      z.union([z.number(), z.object({ soft: z.number().default(0), hard: z.number().default(0) })]),
    )
    .nullish(),
  sysctls: pairs,
  labels: pairs,
  logging: z.object({ driver: z.string().optional(), options: pairs }).nullish(),
  stop_grace_period: z.string().optional(),
  shm_size: z.string().optional(),
  scale: z.number().optional(),
  cpus: z.number().optional(),
  mem_limit: z.string().optional(),
  mem_reservation: z.string().optional(),
  pids_limit: z.number().optional(),
  container_name: z.string().optional(),
  links: texts,
  networks: z.record(z.string(), z.object({ aliases: texts }).nullable()).nullish(),
  configs: z.array(source).nullish(),
  secrets: z.array(source).nullish(),
  deploy: z
    .object({
      replicas: z.number().optional(),
      labels: pairs,
      resources: z.object({ limits: resources, reservations: resources }).partial().optional(),
      restart_policy: z.object({ condition: z.string().optional() }).nullish(),
    })
    .nullish(),
});
export type Service = z.infer<typeof serviceShape>;

export const fileShape = z.object({
  services: z.record(z.string(), serviceShape).optional(),
  volumes: z
    .record(z.string(), z.object({ name: z.string(), external: z.boolean().optional(), driver_opts: pairs }))
    .nullish(),
});

export type File = z.infer<typeof fileShape>;
