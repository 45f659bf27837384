/** What callers send, as far as the engine in memory reads it (engine API 1.41). */
import { z } from 'zod';

const texts = z.array(z.string()).nullish();
const labels = z.record(z.string(), z.string()).default({});
const count = z.number().nullish();

export const healthBody = z.looseObject({
  Test: z.array(z.string()).default([]),
  Interval: z.number().default(0),
  Timeout: z.number().default(0),
  Retries: z.number().default(0),
  StartPeriod: z.number().default(0),
});

const mountBody = z.looseObject({
  Type: z.string(),
  Source: z.string().default(''),
  Target: z.string(),
  ReadOnly: z.boolean().default(false),
  VolumeOptions: z
    .looseObject({ Labels: labels, DriverConfig: z.looseObject({ Options: labels }).optional() })
    .optional(),
});

const containerBody = z.looseObject({
  Image: z.string(),
  Labels: labels,
  Command: texts,
  Args: texts,
  Env: texts,
  Init: z.boolean().default(false),
  StopGracePeriod: count,
  Healthcheck: healthBody.optional(),
  Mounts: z.array(mountBody).default([]),
  Configs: z
    .array(
      z.looseObject({
        ConfigID: z.string(),
        ConfigName: z.string(),
        File: z.looseObject({ Name: z.string() }).optional(),
      }),
    )
    .default([]),
  Secrets: z
    .array(
      z.looseObject({
        SecretID: z.string(),
        SecretName: z.string(),
        File: z.looseObject({ Name: z.string() }).optional(),
      }),
    )
    .default([]),
});

const templateBody = z.looseObject({
  ForceUpdate: z.number().default(0),
  ContainerSpec: containerBody,
  Resources: z
    .looseObject({
      Limits: z.looseObject({ MemoryBytes: count, NanoCPUs: count }).nullish(),
      Reservations: z.looseObject({ MemoryBytes: count, NanoCPUs: count }).nullish(),
    })
    .nullish(),
  RestartPolicy: z.looseObject({ Condition: z.string().default('any'), Delay: count }).nullish(),
  Placement: z.looseObject({ Constraints: texts, MaxReplicas: count }).nullish(),
  Networks: z
    .array(z.looseObject({ Target: z.string(), Aliases: texts }))
    .nullish()
    .transform((value) => value ?? []),
});

const updateBody = z.looseObject({
  Parallelism: z.number().default(0),
  Delay: z.number().default(0),
  Order: z.string().default('stop-first'),
  FailureAction: z.string().default('pause'),
  Monitor: z.number().default(5e9),
});

export const serviceBody = z.looseObject({
  Name: z.string(),
  Labels: labels,
  TaskTemplate: templateBody,
  Mode: z.looseObject({ Replicated: z.looseObject({ Replicas: z.number().default(1) }).optional() }),
  UpdateConfig: updateBody.nullish(),
  RollbackConfig: updateBody.nullish(),
  EndpointSpec: z
    .looseObject({
      Ports: z
        .array(
          z.looseObject({
            Protocol: z.string().default('tcp'),
            TargetPort: z.number(),
            PublishedPort: z.number().optional(),
            PublishMode: z.string().default('ingress'),
          }),
        )
        .nullish(),
    })
    .nullish(),
});

export type ServiceBody = z.infer<typeof serviceBody>;

export const networkBody = z.looseObject({
  Name: z.string(),
  Driver: z.string().default('bridge'),
  Labels: labels,
  IPAM: z
    .looseObject({
      Config: z
        .array(z.looseObject({ Subnet: z.string().default(''), IPRange: z.string().optional() }))
        .default([]),
    })
    .default({ Config: [] }),
  Options: labels,
});

export const connectBody = z.looseObject({
  Container: z.string(),
  EndpointConfig: z
    .looseObject({ IPAMConfig: z.looseObject({ IPv4Address: z.string().optional() }).optional() })
    .optional(),
});

export const configBody = z.looseObject({ Name: z.string(), Labels: labels, Data: z.string() });

export const volumeBody = z.looseObject({ Name: z.string(), Labels: labels });

/** "Create a container". */
export const createBody = z.looseObject({
  Image: z.string(),
  Entrypoint: texts,
  Cmd: texts,
  Env: texts,
  Labels: labels,
  OpenStdin: z.boolean().default(false),
  HostConfig: z
    .looseObject({
      NetworkMode: z.string().optional(),
      Init: z.boolean().default(false),
      Memory: z.number().optional(),
      LogConfig: z.looseObject({ Type: z.string() }).optional(),
      RestartPolicy: z.looseObject({ Name: z.string() }).optional(),
    })
    .default({ Init: false }),
});

export const containerUpdateBody = z.looseObject({ RestartPolicy: z.looseObject({ Name: z.string() }) });

export const execBody = z.looseObject({
  Cmd: z.array(z.string()),
  Env: texts,
  Tty: z.boolean().default(false),
});

export const authBody = z.looseObject({
  username: z.string(),
  password: z.string(),
  serveraddress: z.string(),
});

/** What an image is made with from a container. */
export const commitBody = z.looseObject({
  Labels: labels,
  ExposedPorts: z.record(z.string(), z.unknown()).default({}),
  Healthcheck: healthBody.optional(),
});

/** `KEY=VALUE` entries as a record. */
export function environmentOf(entries: readonly string[] | null | undefined): Record<string, string> {
  return Object.fromEntries(
    (entries ?? []).map((entry) => {
      const at = entry.indexOf('=');
      return at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}
