import { any, type Rows } from '../row.ts';

const id = { composeId: '<composeId>' };
const record = {
  composeId: any.id,
  name: any.text,
  appName: any.text,
  description: any.text,
  environmentId: '<environmentId>',
  serverId: any.textOrNull,
  composeType: 'compose',
  sourceType: any.text,
  composeFile: any.text,
  composePath: any.text,
  env: any.text,
  createEnvFile: any.boolean,
  composeStatus: 'idle',
  refreshToken: any.text,
  autoDeploy: any.boolean,
  randomize: any.boolean,
  suffix: any.text,
  createdAt: any.time,
  webhookSecret: any.absent,
  customGitPassword: any.absent,
};

export const composeRows: Rows = [
  {
    rule: 'compose has its own fields and defaults',
    call: 'compose.create',
    input: { name: 'stack', environmentId: '<environmentId>' },
    gives: { ...record, name: 'stack' },
  },
  {
    rule: 'an appName is made from the name when it is absent',
    call: 'compose.create',
    input: { name: 'My Stack', environmentId: '<environmentId>' },
    gives: { appName: any.matching(/^my-stack-[a-z0-9]{6}$/i) },
  },
  {
    rule: 'an appName is unique without regard to case',
    call: 'compose.create',
    input: { name: 'stack', appName: '<appName>', environmentId: '<environmentId>' },
    refused: 'CONFLICT',
  },
  { call: 'compose.one', input: id, gives: { ...record, composeId: '<composeId>' } },
  {
    rule: "another organization's thing is 403, none is 404",
    call: 'compose.one',
    input: { composeId: '<foreign.composeId>' },
    refused: 'FORBIDDEN',
  },
  {
    call: 'compose.update',
    input: { ...id, name: 'renamed', composeFile: 'services:\n  web:\n    image: nginx:1.29\n' },
    gives: { ...record, name: 'renamed' },
  },
  {
    call: 'compose.delete',
    input: { ...id, deleteVolumes: false },
    gives: { composeId: '<composeId>', keptVolumes: [] },
    after: [{ call: 'compose.one', input: id, refused: 'NOT_FOUND' }],
  },
  {
    call: 'compose.deploy',
    rule: 'a deploy is queued and the status is running',
    input: id,
    gives: true,
    after: [
      { call: 'compose.one', input: id, gives: { composeStatus: any.matching(/^(running|error)$/) } },
      {
        call: 'deployment.all',
        input: id,
        gives: any.listOf({
          composeId: '<composeId>',
          applicationId: null,
          databaseId: null,
          title: 'Manual deployment',
          kind: 'deploy',
        }),
      },
    ],
  },
  {
    call: 'compose.deploy',
    before: [
      {
        call: 'compose.update',
        input: { ...id, composeFile: 'services:\n  web: {image: nginx, privileged: true}\n' },
      },
    ],
    input: id,
    refused: 'BAD_REQUEST',
    field: 'composeFile',
    says: 'services.web.privileged',
  },
  { call: 'compose.redeploy', input: id, refused: 'PRECONDITION_FAILED', says: 'deploy first' },
  { call: 'compose.start', input: id, refused: 'PRECONDITION_FAILED', says: 'deploy first' },
  { call: 'compose.killBuild', input: id, gives: { ...record, composeId: '<composeId>' } },
  { call: 'compose.stop', needs: 'engine', input: id, gives: { ...record, composeStatus: 'idle' } },
  { call: 'compose.readLogs', needs: 'engine', input: id, gives: [] },
  {
    call: 'compose.move',
    input: { ...id, targetEnvironmentId: '<otherEnvironmentId>' },
    gives: { environmentId: '<otherEnvironmentId>' },
  },
  {
    rule: 'a move stays in the organization',
    call: 'compose.move',
    input: { ...id, targetEnvironmentId: '<foreign.environmentId>' },
    refused: 'FORBIDDEN',
  },
  { call: 'compose.saveEnvironment', input: { ...id, env: 'A=1' }, gives: { env: 'A=1' } },
  { call: 'compose.loadServices', input: id, gives: any.list },
  { rule: 'refreshToken makes a new token', call: 'compose.refreshToken', input: id },
  { call: 'compose.cleanQueues', input: id },
];
