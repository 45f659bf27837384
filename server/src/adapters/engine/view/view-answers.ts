import { z } from 'zod';
import { provenLabels, withoutOverrides } from '../client/labels.ts';

/**
 * What Berth shows of the engine's answers (engine API 1.41 and later). Absent and null members are taken for
 * empty ones.
 */

const labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => withoutOverrides(value ?? {}));
const containerLabels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});
const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);

const port = z.looseObject({
  IP: z.string().optional(),
  PublicPort: z.number().optional(),
  PrivatePort: z.number(),
  Type: z.string().default('tcp'),
});

export const listedContainersAnswer = z.array(
  z
    .looseObject({
      Id: z.string(),
      Names: texts,
      Image: z.string(),
      State: z.string(),
      Status: z.string().default(''),
      Labels: containerLabels,
      Created: z.number().default(0),
      Ports: z
        .array(port)
        .nullish()
        .transform((value) => value ?? []),
    })
    .transform((answer) => ({
      ...answer,
      Labels: provenLabels(answer.Names, answer.Labels),
      /** Those of its image, too. */
      AllLabels: answer.Labels,
    })),
);

export const inspectedContainerAnswer = z
  .looseObject({
    Id: z.string(),
    Name: z.string().default(''),
    Config: z.looseObject({ Labels: containerLabels, Env: texts }),
  })
  .transform((answer) => ({
    ...answer,
    Config: { ...answer.Config, Labels: provenLabels([answer.Name], answer.Config.Labels) },
  }));

export const nodesAnswer = z.array(
  z.looseObject({
    ID: z.string(),
    CreatedAt: z.string().default(''),
    Spec: z.looseObject({ Role: z.enum(['manager', 'worker']), Availability: z.string(), Labels: labels }),
    Description: z
      .looseObject({
        Hostname: z.string().default(''),
        Platform: z
          .looseObject({ OS: z.string().default(''), Architecture: z.string().default('') })
          .prefault({}),
        Resources: z
          .looseObject({ NanoCPUs: z.number().default(0), MemoryBytes: z.number().default(0) })
          .prefault({}),
        Engine: z
          .looseObject({
            EngineVersion: z.string().default(''),
            Labels: labels,
            Plugins: z
              .array(z.looseObject({ Type: z.string(), Name: z.string() }))
              .nullish()
              .transform((value) => value ?? []),
          })
          .prefault({}),
      })
      .prefault({}),
    Status: z
      .looseObject({
        State: z.string().default('unknown'),
        Message: z.string().default(''),
        Addr: z.string().default(''),
      })
      .prefault({}),
    ManagerStatus: z
      .looseObject({
        Leader: z.boolean().default(false),
        Reachability: z.string().default('unknown'),
        Addr: z.string().default(''),
      })
      .nullish(),
  }),
);

const resources = z
  .looseObject({ NanoCPUs: z.number().nullish(), MemoryBytes: z.number().nullish() })
  .nullish();
const networks = z
  .array(z.looseObject({ Target: z.string() }))
  .nullish()
  .transform((value) => value ?? []);
const mount = z.looseObject({
  Type: z.string().default(''),
  Source: z.string().default(''),
  Target: z.string().default(''),
  ReadOnly: z.boolean().default(false),
});

/** What a service gives to its tasks, and each task keeps as it got it. */
export const taskSpec = z.looseObject({
  ContainerSpec: z
    .looseObject({
      Image: z.string().default(''),
      Labels: labels,
      Command: texts,
      Args: texts,
      Env: texts,
      Mounts: z
        .array(mount)
        .nullish()
        .transform((value) => value ?? []),
    })
    .optional(),
  Placement: z.looseObject({ Constraints: texts }).nullish(),
  Resources: z.looseObject({ Limits: resources, Reservations: resources }).nullish(),
  Networks: networks,
});

export const shownServicesAnswer = z.array(
  z.looseObject({
    ID: z.string(),
    CreatedAt: z.string().default(''),
    Spec: z.looseObject({
      Name: z.string(),
      Labels: labels,
      Networks: networks,
      TaskTemplate: taskSpec,
      Mode: z.looseObject({
        Global: z.unknown().optional(),
        ReplicatedJob: z.unknown().optional(),
        GlobalJob: z.unknown().optional(),
      }),
    }),
    Endpoint: z
      .looseObject({
        Ports: z
          .array(
            z.looseObject({
              PublishedPort: z.number().optional(),
              TargetPort: z.number(),
              Protocol: z.string().default('tcp'),
              PublishMode: z.string().default('ingress'),
            }),
          )
          .nullish()
          .transform((value) => value ?? []),
      })
      .nullish(),
    ServiceStatus: z
      .looseObject({ RunningTasks: z.number().default(0), DesiredTasks: z.number().default(0) })
      .nullish(),
    UpdateStatus: z.looseObject({ State: z.string().optional() }).nullish(),
  }),
);

export const bridgesAnswer = z.array(
  z.looseObject({ Id: z.string(), Options: z.record(z.string(), z.string()).nullish() }),
);

/** Keys are ids of containers (engine API, "Inspect a network"). */
export const networkMembersAnswer = z.looseObject({
  Containers: z
    .record(
      z.string(),
      z.looseObject({ IPv4Address: z.string().default(''), IPv6Address: z.string().default('') }),
    )
    .nullish(),
});

export const networkNamesAnswer = z.array(z.looseObject({ Id: z.string(), Name: z.string() }));

export const shownTasksAnswer = z.array(
  z.looseObject({
    ID: z.string(),
    CreatedAt: z.string(),
    ServiceID: z.string().default(''),
    NodeID: z.string().default(''),
    Slot: z.number().default(0),
    DesiredState: z.string(),
    Spec: taskSpec,
    Status: z.looseObject({
      State: z.string(),
      Timestamp: z.string(),
      Message: z.string().default(''),
      Err: z.string().default(''),
      ContainerStatus: z.looseObject({ ContainerID: z.string().default('') }).nullish(),
    }),
  }),
);
