/** Containers of the engine (interface document, Containers; decisions 10). */
import { z } from 'zod';
import { containerNamePattern } from '../../domain/names/names.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { logEvent } from '../../procedure/log-event.ts';
import { mutation, query, subscription } from '../../procedure/procedure.ts';
import { containerRecord, serviceContainer } from './record.ts';

const name = z
  .string()
  .min(1)
  .max(200)
  .regex(containerNamePattern, 'may have only letters, digits, ".", "-" and "_"');
const serverId = z.string().min(1).max(100).nullish().describe('A server other than this one');
const access = {
  class: 'protected',
  grant: 'canAccessToContainers',
  resources: [{ kind: 'server', field: 'serverId' }],
} as const;
/** A server without an SSH key, or one that is away. */
const refusals = ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'] as const;
const whose =
  'Shows what belongs to the organization; members see what belongs to the services assigned to them. ' +
  "Berth's own containers, and those that belong to nothing, are shown only to Owner and Admin of the " +
  "installation's first organization.";

export const containerContract = {
  getContainers: query({
    summary: 'The containers of a server, newest first, ended ones included',
    description: whose,
    access,
    input: z.object({ serverId, ...pageInput }),
    output: listOf(containerRecord),
    refusals,
  }),
  restartContainer: mutation({
    summary: "Restarts a container; never one of Berth's own",
    description:
      'When the container of a swarm service ends, the swarm replaces it with a new one, so the answer ' +
      'may describe one that has ended.',
    access,
    input: z.object({ containerId: name.describe('Id or name'), serverId }),
    output: containerRecord,
    refusals: ['NOT_FOUND', ...refusals],
  }),
  getConfig: query({
    summary: 'The full configuration of a container, as the engine reports it',
    description:
      'For members, and for whoever lacks canReadSecrets, values of environment variables and ' +
      'whatever else looks secret are hidden.',
    access,
    input: z.object({ containerId: name.describe('Id or name'), serverId }),
    output: z.record(z.string(), z.unknown()),
    refusals: ['NOT_FOUND', ...refusals],
  }),
  logs: subscription({
    summary: 'The output of a container as a live stream, of an ended one as well',
    description:
      'As a single JSON answer it contains what there is so far, up to the setting logAnswerLimit. Lines ' +
      'of the container of a swarm task name its task and node. Output to a terminal is all `stdout`.',
    access,
    input: z.object({
      containerId: name.describe('Id or name'),
      serverId,
      tail: z.number().int().min(0).max(10_000).default(200),
    }),
    output: logEvent,
    refusals: ['NOT_FOUND', ...refusals],
  }),
  getContainersByAppNameMatch: query({
    summary:
      'The containers whose name begins with the appName; with appType, those of the stack or compose ' +
      'project of that name',
    description: whose,
    access,
    input: z.object({
      appName: name,
      appType: z.enum(['stack', 'compose']).nullish(),
      serverId,
      ...pageInput,
    }),
    output: listOf(containerRecord),
    refusals,
  }),
  getContainersByAppLabel: query({
    summary:
      'The containers of the swarm service (swarm) or of the compose project (standalone) of exactly ' +
      'this name, by their labels',
    description: whose,
    access,
    input: z.object({ appName: name, type: z.enum(['standalone', 'swarm']), serverId, ...pageInput }),
    output: listOf(containerRecord),
    refusals,
  }),
  getStackContainersByAppName: query({
    summary: "The containers of a stack's tasks on every node, newest first, ended ones included",
    description: whose,
    access,
    input: z.object({ appName: name, serverId, ...pageInput }),
    output: listOf(containerRecord),
    refusals,
  }),
  getServiceContainersByAppName: query({
    summary:
      "The containers of a swarm service's tasks on every node, with status and configuration, newest first",
    description: whose,
    access,
    input: z.object({ appName: name, serverId, ...pageInput }),
    output: listOf(serviceContainer),
    refusals,
  }),
};
