/** Services of every kind in one list (decisions 14). */
import { z } from 'zod';
import { serviceStatus } from './contract-fields.ts';
import { conditions } from '../../domain/states/condition.ts';
import { deploymentStatuses } from '../../domain/states/lifecycle.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { query } from '../../procedure/procedure.ts';
import { metricsRange, servicePoint } from '../server/record-monitoring.ts';
import { serviceKindNames } from './record-lists.ts';
import { lastExit } from './record-live.ts';

const optional = z.string().nullable();
const id = z.string().min(1).max(100).optional();

const serviceId = z.string().min(1).max(100).describe('Of an application, database or compose service');
const ofService = { class: 'protected', resources: [{ kind: 'service', field: 'serviceId' }] } as const;

export const endedTask = z
  .object({
    task: z.string(),
    node: z.string().describe('Id of the node that it ran on'),
    service: optional.describe('Of a compose service: the service of its file'),
    deploymentId: optional.describe('The deployment of its release'),
    exitCode: z.number().nullable(),
    reason: optional.describe('Why it ended by itself; null for one that was stopped on purpose'),
    endedAt: z.string(),
    bytes: z.number().int().describe('Of its output on the disk'),
  })
  .meta({ id: 'EndedTask' });

export const serviceRow = z
  .object({
    serviceId: z.string(),
    kind: z.enum(serviceKindNames).describe('The router of the service'),
    name: z.string(),
    appName: z.string(),
    environmentId: z.string(),
    environmentName: z.string(),
    projectId: z.string(),
    projectName: z.string(),
    serverId: optional.describe('null for the machine of Berth itself'),
    condition: z.enum(conditions).describe('Its condition, as its engine reports it'),
    reason: optional.describe('One sentence about what is wrong'),
    running: z.number().describe('Running tasks'),
    desired: z.number().describe('Tasks that should be running'),
    restarts: z.number().describe('Tasks of this release that ended by themselves'),
    since: optional.describe('Since when its tasks run; null while none does'),
    lastExit,
    unreachableSince: optional.describe('While the engine does not answer: when it was last seen'),
    status: serviceStatus.describe('How the last action ended: applicationStatus'),
    deployment: z
      .object({
        deploymentId: z.string(),
        status: z.enum(deploymentStatuses),
        stage: optional,
        title: z.string(),
        commit: optional,
        errorMessage: optional,
        createdAt: z.string(),
        finishedAt: optional,
      })
      .nullable()
      .describe('The newest, whatever its outcome; null before the first'),
    address: optional.describe('Where it answers: that of its oldest domain'),
    createdAt: z.string(),
  })
  .meta({ id: 'ServiceRow' });

export const serviceUsage = z
  .object({
    serviceId: z.string(),
    at: z.string().describe('When it was measured last'),
    cpu: z.number().describe('Percent of one processor, as docker stats shows it'),
    memory: z
      .object({ used: z.number(), limit: z.number() })
      .describe('Bytes; without a limit of its own a container has all memory of the machine'),
    day: z.array(z.number()).describe('Mebibytes of memory in the last day, oldest first; at most 24'),
  })
  .meta({ id: 'ServiceUsage' });

export const serviceContract = {
  all: query({
    summary: 'The services of the organization of every kind in one flat list, each with its condition',
    description:
      'Newest first. The running state comes from memory, as the engines last reported it: `up`, ' +
      '`starting`, `degraded` (fewer tasks than there should be), `down`, `stopped`, `unreachable` (the ' +
      'engine does not answer; the rest is as it was then) or `never deployed`. Members see only what is ' +
      'assigned to ' +
      'them.',
    access: {
      class: 'protected',
      resources: [
        { kind: 'project', field: 'projectId', partial: true },
        { kind: 'environment', field: 'environmentId', partial: true },
      ],
    },
    input: z.object({
      search: z.string().max(200).optional().describe('Only those with this text in a name or a host'),
      projectId: id,
      environmentId: id,
      ...pageInput,
    }),
    output: listOf(serviceRow),
  }),
  endedTasks: query({
    summary: 'The tasks of a service that ended and whose output is kept, newest first',
    description:
      'From earlier releases, crashes and stops, for as long as the settings endedOutputDays and ' +
      'endedOutputLimit allow, whether or not the engine still knows them. `reason` is null for a task ' +
      'that was stopped on purpose. They are removed with their service.',
    access: ofService,
    input: z.object({ serviceId, ...pageInput }),
    output: listOf(endedTask),
  }),
  endedOutput: query({
    summary: 'The output of a task that ended: its newest lines, oldest first',
    access: ofService,
    input: z.object({
      serviceId,
      task: z
        .string()
        .min(1)
        .max(64)
        .regex(/^[a-zA-Z0-9]+$/, 'must be a task that service.endedTasks returned'),
      tail: z.number().int().min(1).max(10_000).default(200),
      search: z.string().max(500).optional().describe('Only lines with this text'),
    }),
    output: z.array(z.object({ at: z.string(), stream: z.enum(['stdout', 'stderr']), text: z.string() })),
    refusals: ['NOT_FOUND'],
  }),
  usage: query({
    summary: 'What each service uses now, and its memory of the last day as a line',
    description:
      'Services of which nothing was measured are left out: what does not run, and what stands on a server ' +
      'that is not monitored or does not answer. Members see only what is assigned to them.',
    access: { class: 'protected', resources: [] },
    input: z.object({}),
    output: z.array(serviceUsage),
  }),
  metrics: query({
    summary: 'What was measured of all containers of a service together, oldest first',
    description:
      "From the server that it runs on, whose monitoring must be set up; on Berth's own machine it always " +
      'is. Empty while nothing of it ran.',
    access: ofService,
    input: z.object({ serviceId, ...metricsRange }),
    output: z.array(servicePoint),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
};
