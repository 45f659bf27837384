/** Environments (interface document, Environments). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { logEvent } from '../../procedure/log-event.ts';
import { mutation, query, subscription } from '../../procedure/procedure.ts';
import { referring } from '../../procedure/input/references.ts';
import { serviceListsOf } from '../service/record-lists.ts';
import { environmentRecord, listedEnvironment } from './record.ts';
import { givenRevision, name } from '../service/contract-fields.ts';

const description = z.string().max(1000);
const env = referring(z.string().max(500_000));
const own = { class: 'protected', resources: [{ kind: 'environment', field: 'environmentId' }] } as const;
const id = z.object({ environmentId: z.string().min(1) });

const environmentWithServices = environmentRecord
  .extend({
    project: z.object({ projectId: z.string(), name: z.string(), organizationId: z.string() }),
    ...serviceListsOf({ description: z.string(), createdAt: z.string() }),
  })
  .meta({ id: 'EnvironmentDetails' });

export const environmentContract = {
  create: mutation({
    summary: 'Creates an environment; the name `production` is reserved',
    access: {
      class: 'protected',
      resources: [{ kind: 'project', field: 'projectId' }],
      grant: 'canCreateEnvironments',
    },
    input: z.object({ name, projectId: z.string().min(1), description: description.nullish() }),
    output: environmentRecord,
  }),
  one: query({
    summary: 'One environment with its project and services',
    description: 'Members see only the services assigned to them.',
    access: {
      class: 'protected',
      resources: [{ kind: 'environment', field: 'environmentId', partial: true }],
    },
    input: id,
    output: environmentWithServices,
  }),
  byProjectId: query({
    summary: 'The environments of a project, newest first',
    description: 'Without their variables, which `environment.one` has.',
    access: { class: 'protected', resources: [{ kind: 'project', field: 'projectId', partial: true }] },
    input: z.object({ projectId: z.string().min(1), ...pageInput }),
    output: listOf(listedEnvironment),
  }),
  logs: subscription({
    summary: 'The output of all services of an environment as one live stream, each line with its service',
    description:
      'What was written before comes first, by its time; then each line as it is written. Lines of a ' +
      'compose service name it and the service of its file (`shop/web`). Members see only the services ' +
      'assigned to them. A service that is deployed for the first time meanwhile comes with the next stream.',
    access: {
      class: 'protected',
      resources: [{ kind: 'environment', field: 'environmentId', partial: true }],
    },
    input: id.extend({
      tail: z.number().int().min(0).max(2000).default(200).describe('Lines of each service to begin with'),
    }),
    output: logEvent,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  update: mutation({
    summary: 'Changes an environment; the default one keeps its name, and the project cannot be changed',
    access: own,
    input: id.extend({
      name: name.optional(),
      description: description.nullish(),
      env: env.nullish(),
      projectId: z.string().optional(),
      revision: givenRevision,
    }),
    output: environmentRecord,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED'],
  }),
  remove: mutation({
    summary: 'Removes an environment; never the default one, nor one that still has services',
    access: { ...own, grant: 'canDeleteEnvironments' },
    input: id,
    output: environmentRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  duplicate: mutation({
    summary: 'Copies an environment with its variables and the configuration of every service in it',
    description:
      'The copies have new ids, appNames and webhook tokens and are idle. Data, deployments, domains, ' +
      'ports of the server, backups and folders of the server (bind mounts) are not copied.',
    access: { ...own, grant: ['canCreateEnvironments', 'canCreateServices'] },
    input: id.extend({ name, description: description.nullish().describe('Absent: that of the original') }),
    output: environmentRecord,
    answersLikeOne: true,
  }),
};
