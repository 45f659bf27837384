/** Compose services (decisions 8). */
import { composeSourceTypes } from '../../domain/git/source-type.ts';
import {
  appName,
  block,
  description,
  gitBranch,
  gitUrl,
  givenRevision,
  id,
  line,
  name,
  secretEnvFields,
  serverId,
  serviceStatus,
} from '../service/contract-fields.ts';
import { z } from 'zod';
import { parseSourcePath } from '../../domain/git/git-source.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { logEvent } from '../../procedure/log-event.ts';
import { mutation, query, subscription } from '../../procedure/procedure.ts';
import { referring } from '../../procedure/input/references.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { partial } from '../../procedure/input/shape.ts';
import { settingShape } from '../application/settings.ts';
import {
  composeJudgement,
  composeRecord,
  composeTypes,
  deletedCompose,
  waitingCompose,
  wholeCompose,
} from './record.ts';
import { previewDatabaseGrants } from '../preview-deployment/contract-databases.ts';

const byId = z.object({ composeId: id });
const subject = { kind: 'compose', field: 'composeId' } as const;
const own = { class: 'protected', resources: [subject] } as const;
const running = { ...own, action: 'deploy' } as const;
const composeType = z
  .enum(composeTypes)
  .describe(
    'Both become services of the swarm; the type decides which labels other programs find the containers by',
  );
const sourceType = z
  .enum(composeSourceTypes)
  .describe('raw: composeFile itself; else a file of a repository');
/** Its reading is a matter of a second at most (measured). */
const composeFile = referring(z.string().max(65_536).describe('The file, for the source raw'));
const title = line(200);
const composePath = ruled(line(1000), parseSourcePath).describe(
  'For a repository: the path of the file in it',
);

const {
  repository,
  owner,
  branch,
  gitHost,
  githubId,
  customGitUrl,
  customGitBranch,
  customGitSSHKeyId,
  enableSubmodules,
  watchPaths,
  triggerType,
  webhookSecret,
  autoDeploy,
  createEnvFile,
  isPreviewDeploymentsActive,
  previewWildcard,
  previewLimit,
  previewLabels,
  previewEnv,
  previewSecretEnv,
  removePreviewSecretEnv,
  previewInherits,
  previewDatabases,
  previewRequireCollaboratorPermissions,
} = settingShape;

/** Settings of the previews of its pull requests, as those of applications. */
const previewSettings = {
  isPreviewDeploymentsActive,
  previewWildcard,
  previewLimit,
  previewLabels,
  previewEnv,
  previewSecretEnv,
  removePreviewSecretEnv,
  previewInherits,
  previewDatabases,
  previewRequireCollaboratorPermissions,
};

export const composeContract = {
  create: mutation({
    summary: 'Creates a compose service',
    description:
      'Without appName one is made from the name and 6 random characters. What the file asks of the server ' +
      "itself (host binds outside the service's own folder, the engine's socket, capabilities, sysctls, " +
      'ports below 1024) is approved when somebody with host reach saves it, as far as no variable ' +
      'decides it; else it waits for `compose.approve`. So are the image, user, entrypoint and command of ' +
      'the services that ask for it. With a git address the source is that repository; an address that is ' +
      'refused leaves no service behind.',
    access: {
      class: 'protected',
      hostReach: [{ field: 'customGitUrl', when: 'localRepository' }],
      decidesHostReach: true,
      resources: [
        { kind: 'environment', field: 'environmentId' },
        { kind: 'server', field: 'serverId' },
      ],
      grant: 'canCreateServices',
    },
    input: z.object({
      name,
      appName: appName.optional(),
      environmentId: id,
      description: description.optional(),
      serverId,
      composeType: composeType.default('compose'),
      sourceType: sourceType.default('raw'),
      composeFile: composeFile.nullish(),
      customGitUrl: gitUrl.optional(),
      customGitBranch: gitBranch.optional().describe('main unless given'),
      composePath: composePath.optional(),
    }),
    output: composeRecord,
    refusals: ['CONFLICT'],
  }),
  one: query({
    summary: 'One compose service with its environment, domains, mounts and newest deployments',
    access: own,
    input: byId,
    output: wholeCompose,
  }),
  update: mutation({
    summary: 'Changes settings of a compose service; they take effect at its next deploy',
    description:
      'Absent fields stay; null clears. composeStatus sets the status by hand. What the file asks of the ' +
      'server itself is approved as with `compose.create`; another source or environment needs ' +
      'another approval.',
    access: {
      class: 'protected',
      hostReach: [{ field: 'customGitUrl', when: 'localRepository' }],
      decidesHostReach: true,
      fieldGrants: previewDatabaseGrants,
      resources: [
        subject,
        { kind: 'database', field: 'previewDatabases.databaseId' },
        { kind: 'sshKey', field: 'customGitSSHKeyId' },
        { kind: 'gitProvider', field: 'githubId' },
      ],
    },
    input: byId
      .extend(
        partial({
          name,
          appName,
          description,
          composeType,
          sourceType,
          composeFile: composeFile.nullable(),
          composePath,
          env: block.nullable(),
          ...secretEnvFields,
          createEnvFile,
          autoDeploy,
          composeStatus: serviceStatus,
          randomize: z.boolean().describe('Adds the suffix to the names in the file'),
          suffix: z
            .string()
            .regex(/^[a-z0-9-]{0,20}$/, 'must have at most 20 lower-case letters, digits or "-"'),
          repository,
          owner,
          branch,
          gitHost,
          githubId,
          customGitUrl,
          customGitBranch,
          customGitSSHKeyId,
          enableSubmodules,
          watchPaths,
          triggerType,
          webhookSecret,
          ...previewSettings,
        }),
      )
      .extend({ revision: givenRevision }),
    output: composeRecord,
    refusals: ['CONFLICT'],
  }),
  saveEnvironment: mutation({
    summary: 'Sets its variables',
    access: own,
    input: byId.extend({
      env: block.nullish().describe('KEY=VALUE lines; absent: they stay, null: none'),
      createEnvFile: createEnvFile.optional(),
      ...partial(secretEnvFields),
      revision: givenRevision,
    }),
    output: composeRecord,
    refusals: ['CONFLICT'],
  }),
  refreshToken: mutation({
    summary: 'Creates a new webhook token',
    access: own,
    input: byId,
    output: composeRecord,
  }),
  move: mutation({
    summary:
      'Moves the compose service to another environment of the organization; its services follow at the ' +
      'next deploy',
    access: {
      class: 'protected',
      resources: [subject, { kind: 'environment', field: 'targetEnvironmentId' }],
    },
    input: byId.extend({ targetEnvironmentId: id }),
    output: composeRecord,
  }),
  moveToServer: mutation({
    summary: 'Moves the compose service to another server',
    description:
      'A deployment of the kind `move`: the version that runs is built and started there, all of it must ' +
      'become healthy, its domains follow, and it is removed where it was. Until then a failure leaves ' +
      'it as it is. Without a release the record alone changes, and `deploymentId` is null. `serverId` ' +
      'null means the own machine of Berth. Refused with 412 while it has volumes or binds. What else of ' +
      'it reaches its server itself, such as a capability, was approved for that one alone, and does not ' +
      'move.',
    access: {
      class: 'protected',
      resources: [subject, { kind: 'server', field: 'serverId' }],
      action: 'deploy',
    },
    input: byId.extend({ serverId: z.string().min(1).max(100).nullable() }),
    output: z.object({ deploymentId: z.string().nullable() }),
    refusals: ['CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  check: mutation({
    summary: 'Says what a deployment would make of a compose file; saves and changes nothing',
    description:
      'A POST, since a file is longer than an address may be. Everything is judged that needs neither ' +
      'engine nor image: syntax, keys, variables, files beside it, ports, and what has to be approved. ' +
      'With composeId the variables, file mounts and approvals of that service count; without it, those ' +
      'of a new one. Only the first refusal is said.',
    changes: false,
    access: { class: 'protected', resources: [subject] },
    input: z.object({
      composeId: id.optional(),
      composeFile: referring(z.string().max(65_536).describe('The file to judge')),
      env: block.optional().describe('Variables in the place of those that are stored'),
    }),
    output: composeJudgement,
  }),
  loadServices: query({
    summary: "The names of the services in its file, in the file's order",
    description: 'For a repository the newest file of the branch is fetched.',
    access: own,
    input: byId.extend(pageInput),
    output: listOf(z.string()),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  deploy: mutation({
    summary: 'Queues a deployment',
    description:
      'It is done when every service of the file is healthy, or has ended with 0 if it runs once. If one ' +
      'fails, all of them go back to the previous version. What a swarm cannot do is refused with service ' +
      'and key: at once for a file in the record, by the deployment for one in a repository. What a file, ' +
      'as its variables make it, asks of the server itself must have been approved, whoever deploys or ' +
      'pushes: otherwise the deployment is refused and `one` shows what is waiting.',
    access: running,
    input: byId.extend({
      title: title.default('Manual deployment'),
      description: z.string().max(2000).default(''),
    }),
    output: z.literal(true),
    refusals: ['PRECONDITION_FAILED'],
  }),
  redeploy: mutation({
    summary: 'Queues a deployment of the version that is deployed now: its commit, or its file',
    access: running,
    input: byId.extend({
      title: title.default('Rebuild deployment'),
      description: z.string().max(2000).default(''),
    }),
    output: z.literal(true),
    refusals: ['PRECONDITION_FAILED'],
  }),
  approve: mutation({
    summary: 'Allows the file the access to the server itself that is waiting for approval, and nothing else',
    description:
      'The digest stands for what `one` shows as awaitsApproval. It holds for whoever deploys or pushes ' +
      'later, as long as the file asks for no more, comes from the same source and is in the same ' +
      'environment. Each service in it keeps its image (any tag); one of a file of the record its user, ' +
      'entrypoint and command, too. What a repository has, and what is built from it, may change: the ' +
      "approval trusts whoever may push there. The installation's Owner and Admin approve for any " +
      'organization, those of a trusted organization for their own.',
    access: { class: 'hostReach', resources: [{ ...subject, acrossOrganizations: true }] },
    input: byId.extend({
      digest: z.string().regex(/^[0-9a-f]{64}$/, 'must be the digest that compose.one shows'),
    }),
    output: waitingCompose.pick({ composeId: true, name: true, digest: true, dangers: true }),
    refusals: ['CONFLICT'],
  }),
  awaitingApproval: query({
    summary: 'Compose services whose deployment was refused for lack of an approval, newest first',
    description: "The installation's own people see those of every organization, others those of their own.",
    access: { class: 'hostReach', resources: [] },
    input: z.object(pageInput),
    output: listOf(waitingCompose),
  }),
  start: mutation({
    summary: 'Starts the services of its live release',
    access: own,
    input: byId,
    output: composeRecord,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  stop: mutation({
    summary: 'Scales its services to 0; volumes stay',
    access: own,
    input: byId,
    output: composeRecord,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  killBuild: mutation({
    summary: 'Ends the running build',
    access: running,
    input: byId,
    output: composeRecord,
  }),
  cleanQueues: mutation({
    summary: 'Cancels the queued deployments',
    access: running,
    input: byId,
    output: composeRecord,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  readLogs: query({
    summary: 'The output of its services, oldest first',
    access: own,
    input: byId.extend({
      serviceName: line(100).optional().describe('Only of this service of the file'),
      tail: z.number().int().min(1).max(10_000).default(200),
      since: z.iso.datetime({ offset: true }).optional(),
      search: z.string().max(500).optional(),
    }),
    output: z.array(
      z.object({
        at: z.string(),
        stream: z.enum(['stdout', 'stderr']),
        text: z.string(),
        serviceName: z.string(),
      }),
    ),
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  logs: subscription({
    summary: 'The output of its running services as a live stream, each line with its service and task',
    access: own,
    input: byId.extend({
      serviceName: line(100).optional().describe('Only of this service of the file'),
      tail: z.number().int().min(0).max(10_000).default(200).describe('When following: of each service'),
    }),
    output: logEvent,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  delete: mutation({
    summary: 'Deletes the compose service: its containers, network, images, deployments, domains and mounts',
    description:
      'A running deployment is ended first. Its named volumes stay unless deleteVolumes is true; ' +
      'keptVolumes names them.',
    access: { ...own, grant: 'canDeleteServices' },
    input: byId.extend({ deleteVolumes: z.boolean().default(false) }),
    output: deletedCompose,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
};
