/** Projects (decisions 3). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { referring } from '../../procedure/input/references.ts';
import { secretLines } from '../../procedure/secret-fields.ts';
import { projectBaseDomain } from '../base-domain/contract-field.ts';
import { environmentRecord, listedEnvironment } from '../environment/record.ts';
import { serviceListsOf } from '../service/record-lists.ts';
import { givenRevision, name, revision } from '../service/contract-fields.ts';

export const projectRecord = z
  .object({
    projectId: z.string(),
    name: z.string(),
    description: z.string(),
    env: secretLines(),
    organizationId: z.string(),
    baseDomain: z.string().nullable().describe('null: none of its own'),
    revision,
    createdAt: z.string(),
  })
  .meta({ id: 'Project' });

const projectWithServices = projectRecord
  .extend({
    environments: z.array(environmentRecord.extend(serviceListsOf({}))),
  })
  .meta({ id: 'ProjectDetails' });

/** A project as lists show it: the variables are read with `project.one` and `environment.one`. */
const listedProject = projectRecord
  .omit({ env: true })
  .extend({ environments: z.array(listedEnvironment.extend(serviceListsOf({}))) })
  .meta({ id: 'ListedProject' });

const description = z.string().max(1000);
const env = referring(z.string().max(500_000));
const own = { class: 'protected', resources: [{ kind: 'project', field: 'projectId' }] } as const;
const id = z.object({ projectId: z.string().min(1) });

export const projectContract = {
  create: mutation({
    summary: 'Creates a project with its default environment `production`',
    access: { class: 'protected', resources: [], grant: 'canCreateProjects' },
    input: z.object({ name, description: description.nullish(), env: env.nullish() }),
    output: z.object({ project: projectRecord, environment: environmentRecord }),
  }),
  all: query({
    summary: 'All projects of the organization, newest first, with their environments and services',
    description:
      'Members see only what is assigned to them. Variables are not in lists: `project.one` and ' +
      '`environment.one` have them.',
    access: { class: 'protected', resources: [] },
    input: z.object(pageInput),
    output: listOf(listedProject),
  }),
  one: query({
    summary: 'One project with its environments and services',
    access: { class: 'protected', resources: [{ kind: 'project', field: 'projectId', partial: true }] },
    input: id,
    output: projectWithServices,
  }),
  update: mutation({
    summary: 'Changes name, description, shared variables or base domain of a project',
    description:
      'A base domain that is, or lies above or below, that of the installation or of another organization ' +
      'is refused. Hosts that are there stay as they are.',
    access: own,
    input: id.extend({
      name: name.optional(),
      description: description.nullish(),
      env: env.nullish(),
      baseDomain: projectBaseDomain.optional(),
      revision: givenRevision,
    }),
    refusals: ['CONFLICT'],
    output: projectRecord,
  }),
  remove: mutation({
    summary: 'Removes a project; refused while there is a service in it',
    access: { ...own, grant: 'canDeleteProjects' },
    input: id,
    output: projectRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  duplicate: mutation({
    summary:
      'Copies a project with its environments, their variables and the configuration of every service ' +
      'in them',
    description:
      'The copies have new ids, appNames and webhook tokens and are idle. Data, deployments, domains, ' +
      'ports of the server, backups and folders of the server (bind mounts) are not copied.',
    access: { ...own, grant: ['canCreateProjects', 'canCreateServices'] },
    input: id.extend({ name, description: description.nullish().describe('Absent: that of the original') }),
    output: projectRecord,
  }),
};
