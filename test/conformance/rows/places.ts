/** Projects and environments. */
import { any, type Rows } from '../row.ts';

const project = {
  projectId: any.id,
  name: any.text,
  description: any.text,
  env: any.text,
  organizationId: '<organizationId>',
  baseDomain: null,
  createdAt: any.time,
};
const environment = {
  environmentId: any.id,
  name: any.text,
  description: any.text,
  projectId: any.id,
  env: any.text,
  isDefault: any.boolean,
  createdAt: any.time,
};
const { env: _ofProject, ...listedProject } = project;
const { env: _ofEnvironment, ...listedEnvironment } = environment;
const service = { name: any.text, appName: any.text };
const arrays = {
  applications: any.list,
  postgres: any.list,
  mysql: any.list,
  mariadb: any.list,
  mongo: any.list,
  redis: any.list,
  compose: any.list,
};

export const placedRows: Rows = [
  {
    call: 'service.all',
    input: { search: 'nothing is called so' },
    gives: [],
  },
  {
    call: 'service.all',
    gives: any.listOf({
      serviceId: any.id,
      kind: any.text,
      name: any.text,
      projectId: any.id,
      environmentId: any.id,
      condition: any.text,
      running: any.number,
      desired: any.number,
      status: any.text,
    }),
  },
  { call: 'event.stream', gives: { lines: [{ type: 'position' }] } },
];

export const projectRows: Rows = [
  {
    rule: 'project.create answers project and default environment',
    call: 'project.create',
    input: { name: 'Blog', description: 'Words', env: 'A=1' },
    gives: {
      project: { ...project, name: 'Blog', description: 'Words', env: 'A=••••' },
      environment: { ...environment, name: 'production', isDefault: true, env: '' },
    },
  },
  {
    call: 'project.create',
    input: {},
    refused: 'BAD_REQUEST',
    field: 'name',
    rule: 'a missing required field is 400 with its name',
  },
  {
    rule: 'a member creates and deletes with the grant only',
    call: 'project.create',
    as: 'member',
    input: { name: 'Blog' },
    refused: 'FORBIDDEN',
    says: 'canCreateProjects',
  },
  {
    rule: 'a member creates and deletes with the grant only',
    call: 'project.remove',
    as: 'member',
    input: { projectId: '<emptyProjectId>' },
    refused: 'FORBIDDEN',
  },
  {
    rule: 'creating a thing grants access to it',
    call: 'project.one',
    as: 'granted',
    before: [
      {
        call: 'project.create',
        as: 'granted',
        input: { name: 'Mine' },
        keep: { madeId: 'project.projectId' },
      },
    ],
    input: { projectId: '<madeId>' },
    gives: { projectId: '<madeId>', name: 'Mine' },
  },
  { call: 'project.all', gives: any.listOf({ ...listedProject, environments: any.list }) },
  {
    rule: 'lists are newest first, with limit in pages',
    call: 'project.all',
    input: { limit: 1 },
    gives: { items: [{ name: any.text }], nextCursor: any.text },
    keep: { next: 'nextCursor' },
    after: [
      {
        call: 'project.all',
        input: { limit: 500, cursor: '<next>' },
        gives: { items: any.list, nextCursor: null },
      },
    ],
  },
  {
    rule: 'lists are newest first, with limit in pages',
    call: 'project.all',
    input: { limit: 501 },
    refused: 'BAD_REQUEST',
    field: 'limit',
  },
  {
    rule: 'lists are newest first, with limit in pages',
    call: 'project.all',
    input: { limit: 0 },
    refused: 'BAD_REQUEST',
    field: 'limit',
  },
  {
    rule: 'lists are newest first, with limit in pages',
    call: 'project.all',
    input: { limit: 2, cursor: 'nothing' },
    refused: 'BAD_REQUEST',
    field: 'cursor',
  },
  { rule: 'a member sees what is assigned', call: 'project.all', as: 'member', gives: [] },
  {
    rule: 'a member sees what is assigned',
    call: 'project.all',
    as: 'elsewhere',
    gives: [{ projectId: '<remoteProjectId>' }],
  },
  {
    call: 'project.one',
    input: { projectId: '<projectId>' },
    gives: { ...project, environments: any.listOf(environment) },
  },
  {
    rule: "another organization's thing is 403, none is 404",
    call: 'project.one',
    input: { projectId: '<foreign.projectId>' },
    refused: 'FORBIDDEN',
  },
  {
    rule: "another organization's thing is 403, none is 404",
    call: 'project.one',
    input: { projectId: 'none' },
    refused: 'NOT_FOUND',
  },
  {
    rule: 'absent fields stay, null clears',
    call: 'project.update',
    input: { projectId: '<projectId>', description: null },
    gives: { name: 'Shop', description: '', env: 'REGION=••••' },
    after: [{ call: 'project.one', input: { projectId: '<projectId>' }, gives: { env: 'REGION=eu' } }],
  },
  {
    call: 'project.update',
    input: { projectId: '<projectId>', name: 'Store', env: 'B=2' },
    gives: { ...project, name: 'Store', env: 'B=••••' },
  },
  {
    call: 'project.update',
    input: { projectId: '<projectId>', baseDomain: '*.<prefix>.Shop.localhost' },
    gives: { name: 'Shop', baseDomain: '<prefix>.shop.localhost' },
  },
  {
    call: 'project.update',
    input: { projectId: '<projectId>', baseDomain: 'co.uk' },
    refused: 'BAD_REQUEST',
    field: 'baseDomain',
  },
  {
    call: 'project.remove',
    rule: 'a removal answers with the removed record',
    input: { projectId: '<emptyProjectId>' },
    gives: { projectId: '<emptyProjectId>', name: 'Empty' },
    after: [{ call: 'project.one', input: { projectId: '<emptyProjectId>' }, refused: 'NOT_FOUND' }],
  },
  {
    rule: 'a project with services stays',
    call: 'project.remove',
    input: { projectId: '<projectId>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    rule: 'duplicate copies configuration under new names',
    call: 'project.duplicate',
    input: { projectId: '<projectId>', name: 'Copy' },
  },
];

export const environmentRows: Rows = [
  {
    call: 'environment.create',
    input: { name: 'testing', projectId: '<projectId>', description: 'For tests' },
    gives: {
      ...environment,
      name: 'testing',
      description: 'For tests',
      env: '',
      isDefault: false,
      projectId: '<projectId>',
    },
  },
  {
    rule: 'production is reserved, in any case',
    call: 'environment.create',
    input: { name: 'production', projectId: '<projectId>' },
    refused: 'BAD_REQUEST',
    field: 'name',
  },
  {
    rule: 'production is reserved, in any case',
    call: 'environment.create',
    input: { name: 'Production', projectId: '<projectId>' },
    refused: 'BAD_REQUEST',
    field: 'name',
  },
  {
    rule: 'the minimum lengths',
    call: 'environment.create',
    input: { name: '', projectId: '<projectId>' },
    refused: 'BAD_REQUEST',
    field: 'name',
  },
  {
    rule: 'a member creates and deletes with the grant only',
    call: 'environment.create',
    as: 'member',
    input: { name: 'testing', projectId: '<projectId>' },
    refused: 'FORBIDDEN',
  },
  {
    rule: 'environment.one has its project and service arrays',
    call: 'environment.one',
    input: { environmentId: '<environmentId>' },
    gives: {
      ...environment,
      isDefault: true,
      project: { projectId: '<projectId>', name: 'Shop' },
      ...arrays,
      applications: any.listOf({ ...service, applicationId: any.id, applicationStatus: 'idle' }),
    },
  },
  {
    call: 'environment.logs',
    input: { environmentId: '<environmentId>' },
    gives: { lines: [], lastEventId: null },
  },
  {
    call: 'environment.logs',
    as: 'member',
    input: { environmentId: '<environmentId>' },
    refused: 'FORBIDDEN',
  },
  {
    rule: 'a member sees what is assigned',
    call: 'environment.byProjectId',
    as: 'member',
    input: { projectId: '<projectId>' },
    gives: [],
  },
  {
    call: 'environment.byProjectId',
    input: { projectId: '<projectId>' },
    gives: [
      { ...listedEnvironment, name: 'staging' },
      { ...listedEnvironment, name: 'production' },
    ],
  },
  {
    call: 'environment.update',
    input: { environmentId: '<otherEnvironmentId>', name: 'preview', description: 'Changed', env: 'X=1' },
    gives: { ...environment, name: 'preview', description: 'Changed', env: 'X=••••' },
  },
  {
    rule: 'the default environment cannot be renamed',
    call: 'environment.update',
    input: { environmentId: '<environmentId>', name: 'main' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    rule: 'the default environment cannot be renamed',
    call: 'environment.update',
    input: { environmentId: '<environmentId>', name: 'production', description: 'Same name' },
    gives: { name: 'production', description: 'Same name' },
  },
  {
    rule: 'an environment cannot be renamed to production',
    call: 'environment.update',
    input: { environmentId: '<otherEnvironmentId>', name: 'PRODUCTION' },
    refused: 'BAD_REQUEST',
    field: 'name',
  },
  {
    rule: 'projectId of an environment cannot be changed',
    call: 'environment.update',
    input: { environmentId: '<otherEnvironmentId>', projectId: '<emptyProjectId>' },
    refused: 'BAD_REQUEST',
    field: 'projectId',
  },
  {
    rule: 'projectId of an environment cannot be changed',
    call: 'environment.update',
    input: { environmentId: '<otherEnvironmentId>', projectId: '<projectId>' },
    gives: { projectId: '<projectId>' },
  },
  {
    call: 'environment.remove',
    input: { environmentId: '<otherEnvironmentId>' },
    gives: { environmentId: '<otherEnvironmentId>', name: 'staging' },
    after: [
      { call: 'environment.one', input: { environmentId: '<otherEnvironmentId>' }, refused: 'NOT_FOUND' },
    ],
  },
  {
    rule: 'the default environment cannot be removed',
    call: 'environment.remove',
    input: { environmentId: '<emptyEnvironmentId>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    rule: 'an environment with services cannot be removed',
    call: 'environment.remove',
    before: [
      {
        call: 'application.move',
        input: { applicationId: '<applicationId>', targetEnvironmentId: '<otherEnvironmentId>' },
      },
    ],
    input: { environmentId: '<otherEnvironmentId>' },
    refused: 'PRECONDITION_FAILED',
    says: '1',
  },
  {
    rule: 'duplicate copies configuration under new names',
    call: 'environment.duplicate',
    input: { environmentId: '<environmentId>', name: 'copy', description: 'A copy' },
    gives: { ...environment, name: 'copy', isDefault: false, env: 'LOG=info' },
    keep: { copyId: 'environmentId' },
    after: [
      {
        call: 'environment.one',
        input: { environmentId: '<copyId>' },
        gives: { applications: any.listOf({ applicationId: any.id, applicationStatus: 'idle' }) },
      },
    ],
  },
  {
    rule: 'production is reserved, in any case',
    call: 'environment.duplicate',
    input: { environmentId: '<environmentId>', name: 'production' },
    refused: 'BAD_REQUEST',
    field: 'name',
  },
];
