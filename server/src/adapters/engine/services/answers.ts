import { z } from 'zod';
import { provenLabels } from '../client/labels.ts';

/**
 * What Berth reads of the engine's answers (engine API 1.41 and later); everything else in them is passed
 * over, and kept where it is sent back.
 */

const labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});

export const infoAnswer = z.looseObject({
  ServerVersion: z.string(),
  DockerRootDir: z.string(),
  CgroupVersion: z.string().default('1'),
  Swarm: z
    .looseObject({ NodeID: z.string().default(''), ControlAvailable: z.boolean().default(false) })
    .default({ NodeID: '', ControlAvailable: false }),
});

export const networkAnswer = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  Labels: labels,
  IPAM: z.looseObject({
    Config: z
      .array(z.looseObject({ Subnet: z.string().default('') }))
      .nullish()
      .transform((value) => value ?? []),
  }),
});

/** Containers of this node on the network, by id, each with its address in CIDR form. */
export const networkMembersAnswer = z.looseObject({
  Containers: z.record(z.string(), z.looseObject({ IPv4Address: z.string().default('') })).nullish(),
});

export const networksAnswer = z.array(networkAnswer);

const updateStatus = z.looseObject({
  State: z
    .enum(['updating', 'paused', 'completed', 'rollback_started', 'rollback_paused', 'rollback_completed'])
    .optional(),
  Message: z.string().default(''),
  StartedAt: z.string().default(''),
});

const configReference = z.looseObject({ ConfigID: z.string().default('') });
const secretReference = z.looseObject({ SecretID: z.string().default('') });

const taskTemplate = z.looseObject({
  ForceUpdate: z.number().default(0),
  RestartPolicy: z.looseObject({ Condition: z.string().optional() }).nullish(),
  ContainerSpec: z
    .looseObject({
      Image: z.string(),
      Labels: labels,
      Configs: z.array(configReference).nullish(),
      Secrets: z.array(secretReference).nullish(),
      Mounts: z
        .array(z.looseObject({ Type: z.string(), Source: z.string().default('') }))
        .nullish()
        .transform((value) => value ?? undefined),
      StopGracePeriod: z.number().nullish(),
    })
    .optional(),
  Networks: z
    .array(z.looseObject({ Target: z.string() }))
    .nullish()
    .transform((value) => value ?? undefined),
});

const serviceSpec = z.looseObject({
  Name: z.string(),
  Labels: labels,
  TaskTemplate: taskTemplate,
  Mode: z.looseObject({ Replicated: z.looseObject({ Replicas: z.number().default(0) }).optional() }),
});

export const serviceAnswer = z.looseObject({
  ID: z.string(),
  CreatedAt: z.string().default(''),
  Version: z.looseObject({ Index: z.number() }),
  Spec: serviceSpec,
  PreviousSpec: serviceSpec.nullish(),
  UpdateStatus: updateStatus.nullish(),
  ServiceStatus: z.looseObject({ RunningTasks: z.number().default(0) }).nullish(),
});

export type ServiceAnswer = z.infer<typeof serviceAnswer>;

export const servicesAnswer = z.array(serviceAnswer);

export const createdAnswer = z.looseObject({ ID: z.string() });

export const taskAnswer = z.looseObject({
  ID: z.string(),
  CreatedAt: z.string(),
  ServiceID: z.string().default(''),
  NodeID: z.string().default(''),
  Slot: z.number().default(0),
  DesiredState: z.string(),
  Spec: taskTemplate,
  Status: z.looseObject({
    State: z.string(),
    Timestamp: z.string(),
    Err: z.string().default(''),
    ContainerStatus: z
      .looseObject({ ContainerID: z.string().default(''), ExitCode: z.number().optional() })
      .nullish(),
  }),
});

export type TaskAnswer = z.infer<typeof taskAnswer>;

export const tasksAnswer = z.array(taskAnswer);

/** Config objects and secrets look alike. */
export const configsAnswer = z.array(
  z.looseObject({
    ID: z.string(),
    CreatedAt: z.string(),
    Spec: z.looseObject({ Name: z.string(), Labels: labels }),
  }),
);

/** Labels of containers are those that are proven; where a specification is read they stay as they are. */
export const containersAnswer = z.array(
  z
    .looseObject({
      Id: z.string(),
      Names: z.array(z.string()).default([]),
      Labels: labels,
      State: z.string(),
      NetworkSettings: z.looseObject({ Networks: z.record(z.string(), z.unknown()).nullish() }).nullish(),
    })
    .transform((answer) => ({ ...answer, Labels: provenLabels(answer.Names, answer.Labels) })),
);

const inspectedContainer = z.looseObject({
  Name: z.string().default(''),
  Config: z.looseObject({
    Labels: labels,
    User: z.string().nullish(),
    Healthcheck: z.looseObject({ Retries: z.number().nullish() }).nullish(),
  }),
  Mounts: z.array(z.looseObject({ Type: z.string(), Destination: z.string() })).nullish(),
  NetworkSettings: z.looseObject({ Networks: z.record(z.string(), z.unknown()).nullish() }),
  State: z.looseObject({
    Running: z.boolean(),
    ExitCode: z.number(),
    FinishedAt: z.string().default(''),
    OOMKilled: z.boolean(),
    Error: z.string(),
    Health: z
      .looseObject({
        FailingStreak: z.number(),
        Log: z.array(z.looseObject({ ExitCode: z.number(), Output: z.string() })).nullish(),
      })
      .nullish(),
  }),
});

export const containerAnswer = inspectedContainer.transform((answer) => ({
  ...answer,
  Config: { ...answer.Config, Labels: provenLabels([answer.Name], answer.Config.Labels) },
}));

/** The state of a program run in a container (engine API, "Inspect an exec instance"). */
export const execAnswer = z.looseObject({ Running: z.boolean(), ExitCode: z.number().nullish() });

export const execCreatedAnswer = z.looseObject({ Id: z.string() });

const portSet = z.record(z.string(), z.unknown()).nullish();

export const imageAnswer = z.looseObject({
  Id: z.string(),
  RepoTags: z.array(z.string()).nullish(),
  RepoDigests: z.array(z.string()).nullish(),
  Created: z.string().default(''),
  Size: z.number(),
  Config: z
    .looseObject({
      Labels: labels,
      ExposedPorts: portSet,
      Volumes: z.record(z.string(), z.unknown()).nullish(),
      Entrypoint: z.array(z.string()).nullish(),
      Healthcheck: z
        .looseObject({
          Test: z.array(z.string()).nullish(),
          Interval: z.number().nullish(),
          Timeout: z.number().nullish(),
          StartPeriod: z.number().nullish(),
          StartInterval: z.number().nullish(),
          Retries: z.number().nullish(),
        })
        .nullish(),
      Env: z.array(z.string()).nullish(),
    })
    .nullish(),
});

export type ImageAnswer = z.infer<typeof imageAnswer>;

export const distributionAnswer = z.looseObject({ Descriptor: z.looseObject({ digest: z.string() }) });

export const imagesAnswer = z.array(z.looseObject({ Id: z.string(), Created: z.number() }));

export const volumeAnswer = z.looseObject({ Name: z.string(), Labels: labels });

export const volumesAnswer = z.looseObject({ Volumes: z.array(volumeAnswer).nullish() });

/** One line of a pull or push (engine API, "Create an image"). */
export const progressLine = z.looseObject({
  id: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  errorDetail: z.looseObject({ message: z.string().optional() }).optional(),
});

export const createdContainerAnswer = z.looseObject({ Id: z.string() });

export const waitAnswer = z.looseObject({ StatusCode: z.number() });
