/**
 * The schemas of what stands in JSON columns. A field that came later has a default, so that rows of an
 * earlier Berth are read as what they meant.
 */
import { z } from 'zod';
import {
  accesses,
  dangerKinds,
  type Approval,
  type AwaitedApproval,
  type Danger,
} from '../domain/access/danger.ts';
import type { WrittenBuild } from '../domain/builds/own-build.ts';
import type { SourceApplication } from '../domain/builds/source-applications.ts';
import { branchOrigins } from '../domain/branch-origin.ts';
import type { Grants } from '../domain/access/permissions.ts';
import type { HookEvent, PullRequestEvent } from '../domain/git/git-event.ts';
import {
  deploymentStarters,
  type DeploymentStage,
  type DeploymentStarter,
} from '../domain/states/lifecycle.ts';
import type {
  FormerVolume,
  HeldService,
  MetricsConfig,
  RunStep,
  ServiceHealthCheck,
  StoredNotice,
} from './stored-types.ts';
import { shaped } from './values/stored-json.ts';
import type { ProcessIdentity } from '../domain/states/process-identity.ts';

/** Every field, optional ones too, so that none is lost on the way. */
type Fields<T> = { [K in keyof T]-?: z.ZodType };

const list = z.array(z.string());
const listOrNone = list.default([]);
const may = z.boolean().default(false);
const textOrNull = z.string().nullable().default(null);

const grantsSchema: z.ZodType<Grants> = z.object({
  accessedProjects: listOrNone,
  accessedEnvironments: listOrNone,
  accessedServices: listOrNone,
  canCreateProjects: may,
  canDeleteProjects: may,
  canCreateServices: may,
  canDeleteServices: may,
  canCreateEnvironments: may,
  canDeleteEnvironments: may,
  canAccessToContainers: may,
  canAccessToAPI: may,
  canAccessToSSHKeys: may,
  canAccessToGitProviders: may,
  canOpenTerminal: may,
  canForwardPorts: may,
  canReadSecrets: may,
} satisfies Fields<Grants>);
export const grants = shaped('grants', grantsSchema);

export const wordsByName = shaped('permissions', z.record(z.string(), list));

const amount = z.number().optional();
export const healthCheck = shaped<ServiceHealthCheck>(
  'a health check',
  z.object({
    path: z.string().optional(),
    port: amount,
    command: list.optional(),
    interval: amount,
    timeout: amount,
    retries: amount,
    startPeriod: amount,
  } satisfies Fields<ServiceHealthCheck>),
);

export const starter = shaped<DeploymentStarter>(
  'who began a deployment',
  z.object({ kind: z.enum(deploymentStarters), userId: textOrNull, apiKeyId: textOrNull }),
);

export interface CommitInfo {
  subject: string;
  author: string;
  branch: string;
}

export const commitInfo = shaped<CommitInfo>(
  'the commit of a deployment',
  z.object({ subject: z.string(), author: z.string(), branch: z.string() }),
);

export const ownBuild = shaped<WrittenBuild>(
  'the build that Berth wrote',
  z.object({
    language: z.string(),
    framework: textOrNull,
    dockerfile: z.string(),
    dockerignore: z.string(),
    startCommand: list,
    port: z.number(),
    reasons: list,
    watchPaths: list,
  } satisfies Fields<WrittenBuild>),
);

export const sourceApplications = shaped<SourceApplication[]>(
  'the applications of a source',
  z.array(
    z.object({
      folder: z.string(),
      name: z.string(),
      what: z.string(),
      watchPaths: list,
    } satisfies Fields<SourceApplication>),
  ),
);

export const stages = shaped<DeploymentStage[]>(
  'the stages of a deployment',
  z.array(z.object({ name: z.string(), startedAt: z.string(), finishedAt: textOrNull })),
);

export const child = shaped<ProcessIdentity>(
  'a process',
  z.object({ pid: z.number(), startTime: z.string() }),
);

/** What a compose service is a preview of: a pull request, or null as number for one made by hand. */
export const previewOf = shaped(
  'what a preview is of',
  z.object({
    composeId: z.string(),
    number: z.number().nullable(),
    provider: z.string(),
    isTrusted: z.boolean(),
  }),
);

/** Databases that previews get of their own, and what fills each. */
export const previewDatabases = shaped(
  'the databases of previews',
  z.array(
    z.object({
      databaseId: z.string(),
      from: z.enum(branchOrigins),
      mask: z.string().optional(),
    }),
  ),
);

/** What of a template a compose service has, by which a newer one and edits are told. */
export const madeFrom = shaped(
  'the template of a compose service',
  z.object({
    template: z.string(),
    /** Of the organization's catalogue that it is of; absent for one of Berth's own. */
    catalogueId: z.string().optional(),
    file: z.string(),
    files: z.array(z.object({ path: z.string(), content: z.string() })),
    variables: list,
  }),
);

export const leftOutTemplates = shaped(
  'what was left out of a catalogue',
  z.array(z.object({ name: z.string(), reason: z.string() })),
);

const danger: z.ZodType<Danger> = z.object({
  service: z.string(),
  what: z.enum(dangerKinds),
  value: z.string(),
  access: z.enum(accesses).optional(),
  image: z.string().optional(),
  start: z.string().optional(),
} satisfies Fields<Danger>);
export const approval = shaped<Approval>(
  'an approval',
  z.object({
    digest: z.string(),
    dangers: z.array(danger),
    subject: z.string(),
    userId: z.string(),
    organizationId: z.string(),
    at: z.string(),
  } satisfies Fields<Approval>),
);
export const awaitedApproval = shaped<AwaitedApproval>(
  'an awaited approval',
  z.object({
    digest: z.string(),
    dangers: z.array(danger),
    deploymentId: z.string(),
    since: z.string(),
  } satisfies Fields<AwaitedApproval>),
);

export const formerVolumes = shaped<FormerVolume[]>(
  'former volumes',
  z.array(
    z.object({
      volumeName: z.string(),
      dataVersion: textOrNull,
      containerImage: z.string(),
      since: z.string(),
      serverId: z.string().nullable().exactOptional(),
    } satisfies Fields<FormerVolume>),
  ),
);

export const metricsConfig = shaped<MetricsConfig>(
  'the settings of a monitoring',
  z.object({
    server: z.object({
      refreshRate: z.number(),
      port: z.number(),
      urlCallback: z.string(),
      retentionDays: z.number(),
      cronJob: z.string(),
      thresholds: z.object({ cpu: z.number(), memory: z.number() }),
    }),
    containers: z.object({
      refreshRate: z.number(),
      services: z.object({ include: list, exclude: list }),
    }),
  }),
);

export const runSteps = shaped<RunStep[]>(
  'the steps of a run',
  z.array(
    z.object({
      name: z.string(),
      status: z.enum(['running', 'done', 'error', 'stopped']),
      startedAt: z.string(),
      finishedAt: textOrNull,
      detail: textOrNull,
    } satisfies Fields<RunStep>),
  ),
);

export const heldService = shaped<HeldService>(
  'a held service',
  z.object({ how: z.enum(['paused', 'stopped']), containers: listOrNone }),
);

export const pullRequestEvent = z.object({
  kind: z.literal('pullRequest'),
  action: z.enum(['open', 'close']),
  number: z.number(),
  title: z.string(),
  baseBranch: z.string(),
  headBranch: z.string(),
  commit: z.string(),
  isFork: z.boolean(),
  labels: list,
  author: z.object({ id: z.string(), name: z.string() }),
  repository: z.string(),
  updatedAt: z.string().optional(),
} satisfies { [K in keyof PullRequestEvent]-?: z.ZodType });

const hookEvent: z.ZodType<HookEvent> = z.discriminatedUnion('kind', [
  z
    .object({
      kind: z.literal('push'),
      refKind: z.enum(['branch', 'tag']),
      ref: z.string(),
      commit: textOrNull,
      message: z.string(),
      changedPaths: list.optional(),
      repository: z.string().optional(),
    })
    // JSON has no field for what is undefined.
    .transform(({ changedPaths, ...event }) => ({ ...event, changedPaths })),
  pullRequestEvent,
  z.object({ kind: z.literal('ping') }),
  z.object({ kind: z.literal('other'), name: z.string() }),
]);
export const heldEvent = shaped<PullRequestEvent>('an event of a pull request', pullRequestEvent);
export const hookEvents = shaped<HookEvent[]>('events of a git host', z.array(hookEvent));

export const notice = shaped<StoredNotice>(
  'a notice',
  z.object({
    id: z.string(),
    at: z.string(),
    subject: z.object({ type: z.string(), id: z.string(), name: z.string() }).nullable(),
    sentences: list,
    counts: z.record(z.string(), z.number()),
  }),
);
