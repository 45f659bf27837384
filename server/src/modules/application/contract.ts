/** Applications (interface document, Applications; decisions 5). */
import { programGrant } from '../../domain/access/permissions.ts';
import { gitHosts, perSaveProcedure } from '../../domain/git/git-host.ts';
import {
  appName,
  argv,
  gitBranch,
  gitUrl,
  givenRevision,
  line,
  serviceStatus,
} from '../service/contract-fields.ts';
import { z } from 'zod';
import { logEvent } from '../../procedure/log-event.ts';
import { partial } from '../../procedure/input/shape.ts';
import { mutation, query, subscription, upload } from '../../procedure/procedure.ts';
import { applicationFields, applicationRecord, createdApplication } from './record.ts';
import { buildType, settingGrants, settingShape, withAliases } from './settings.ts';

const id = z.object({ applicationId: z.string().min(1).max(100) });
const own = { class: 'protected', resources: [{ kind: 'application', field: 'applicationId' }] } as const;
const optionalSettings = partial(settingShape);
const title = line(200);
const description = z.string().max(2000);
const status = z.object({ applicationId: z.string(), applicationStatus: serviceStatus });
const image = line(500).min(1);
const success = z.object({ success: z.literal(true) });

const withoutCache = z
  .boolean()
  .default(false)
  .describe('Builds without the cache of earlier builds, this once; the setting cleanCache does so always');

export const applicationContract = {
  create: mutation({
    summary: 'Creates an application',
    description:
      'Without appName one is made from the name and 6 random characters. serverId names the server it ' +
      'will run on, and is required in a cloud installation. A source that is refused creates nothing.',
    access: {
      class: 'protected',
      hostReach: [{ field: 'customGitUrl', when: 'localRepository' }],
      resources: [
        { kind: 'environment', field: 'environmentId' },
        { kind: 'server', field: 'serverId' },
      ],
      grant: 'canCreateServices',
    },
    input: z.object({
      name: settingShape.name,
      appName: appName.optional(),
      environmentId: z.string().min(1).max(100),
      description: z.string().max(1000).nullish(),
      serverId: z.string().min(1).max(100).nullish(),
      withDomain: z
        .boolean()
        .default(false)
        .describe("Gives it a host name that resolves to its server's address at once"),
      customGitUrl: gitUrl.optional(),
      customGitBranch: gitBranch.optional().describe('main unless given'),
      containerImage: image.optional(),
    }),
    output: createdApplication,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED'],
  }),
  one: query({
    summary: 'The application with its environment, deployments, domains, ports and mounts',
    access: own,
    input: id,
    output: applicationRecord,
  }),
  update: mutation({
    summary: 'Changes settings of an application; most take effect at the next deploy',
    description:
      "Absent fields stay; null clears. A serverId other than the record's is refused; environmentId " +
      'acts as move; applicationStatus sets the status by hand.',
    access: {
      class: 'protected',
      hostReach: [{ field: 'customGitUrl', when: 'localRepository' }],
      fieldGrants: settingGrants,
      resources: [
        { kind: 'application', field: 'applicationId' },
        { kind: 'environment', field: 'environmentId' },
        { kind: 'database', field: 'previewDatabases.databaseId' },
        { kind: 'environment', field: 'networks' },
        { kind: 'sshKey', field: 'customGitSSHKeyId' },
        { kind: 'registry', field: 'registryId' },
        { kind: 'server', field: 'buildServerId' },
        { kind: 'gitProvider', field: 'githubId' },
      ],
    },
    input: withAliases(
      id.extend(optionalSettings).extend({
        revision: givenRevision,
        serverId: z.string().nullish(),
        environmentId: z.string().optional(),
        applicationStatus: serviceStatus.optional(),
      }),
    ),
    output: success,
    refusals: ['CONFLICT'],
  }),
  saveEnvironment: mutation({
    summary: 'Sets variables, build arguments and build secrets',
    access: own,
    input: id.extend({
      env: optionalSettings.env,
      ...pick('secretEnv', 'removeSecretEnv'),
      buildArgs: optionalSettings.buildArgs,
      buildSecrets: optionalSettings.buildSecrets,
      createEnvFile: z.boolean().optional(),
      revision: givenRevision,
    }),
    output: applicationFields,
    refusals: ['CONFLICT'],
  }),
  saveBuildType: mutation({
    summary: 'Sets how the source is built',
    access: own,
    input: withAliases(
      id.extend({
        buildType,
        ...pick(
          'dockerfile',
          'containerContextPath',
          'dockerContextPath',
          'containerBuildStage',
          'dockerBuildStage',
          'publishDirectory',
          'isStaticSpa',
        ),
      }),
    ),
    output: applicationFields,
  }),
  saveGitProvider: mutation({
    summary: 'Takes the source from any git address',
    description:
      'https, ssh, http from a network of the setting allowedPrivateNetworks, or a local path below a ' +
      'folder of the setting localRepositoryPaths. A user and password in an https or http address are ' +
      'split off, stored encrypted and never shown.',
    access: {
      class: 'protected',
      hostReach: [{ field: 'customGitUrl', when: 'localRepository' }],
      resources: [
        { kind: 'application', field: 'applicationId' },
        { kind: 'sshKey', field: 'customGitSSHKeyId' },
      ],
    },
    input: id.extend({
      customGitUrl: gitUrl,
      customGitBranch: gitBranch,
      ...pick('customGitBuildPath', 'customGitSSHKeyId', 'watchPaths', 'enableSubmodules'),
    }),
    output: applicationFields,
  }),
  ...perSaveProcedure((provider) => hosted(gitHosts[provider].label)),
  saveContainerProvider: mutation({
    summary: 'Runs a container image, public or with credentials',
    description:
      'An image from another registry needs the password again; a stored password belongs to its host.',
    access: own,
    input: id.extend({ containerImage: image, ...pick('registryUrl', 'username', 'password') }),
    output: applicationFields,
  }),
  uploadedChunks: query({
    summary: 'The chunks of the source that was uploaded last',
    description:
      'For a chunked archive, as `berth deploy` sends it: it names chunks of the last upload of the same ' +
      'application instead of sending them again. `upload` is null if the last upload was another kind of ' +
      'archive, if there was none, or if it has too many chunks; then everything is sent. `names` holds ' +
      'the first 16 bytes of the SHA-256 of each chunk, in order, as Base64.',
    access: own,
    input: id,
    output: z.object({ upload: z.string().nullable(), names: z.string() }),
  }),
  dropDeployment: upload({
    summary: 'Uploads the source (zip or tar) and deploys it',
    description:
      'Links, absolute paths and `..` inside the archive are refused. At most 512 MiB packed, 2 GiB and ' +
      '100,000 entries unpacked (settings uploadLimit, uploadUnpackedLimit, uploadEntriesLimit), and only ' +
      'where minFreeDisk stays free. Former uploads are removed. A chunked archive that refers to an ' +
      'upload other than the last one is refused with 409.',
    access: own,
    input: id.extend({ dropBuildPath: optionalSettings.buildPath }),
    output: z.literal(true),
    refusals: ['CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  start: mutation({
    summary: 'Starts the stopped application with its number of replicas',
    access: own,
    input: id,
    output: status,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  stop: mutation({
    summary: 'Stops the application; its configuration and images stay',
    access: own,
    input: id,
    output: status,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  reload: mutation({
    summary: 'Restarts the service with the current settings, without a build',
    description: 'Refused with 409 while a deployment of it is under way.',
    access: own,
    input: id.extend({ appName: line(100).min(1) }),
    output: success,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  scale: mutation({
    summary: 'Sets the number of replicas, in effect at once',
    description:
      'Without a build, and without replacing running tasks. It applies to a stopped application at its ' +
      'next start, and to one that was never deployed at its first deploy.',
    access: own,
    input: id.extend({ replicas: settingShape.replicas }),
    output: applicationFields,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  restart: mutation({
    summary: 'Restarts the running release as it is, one task after another',
    description: 'Without a build and without settings changed since; application.reload applies these too.',
    access: own,
    input: id,
    output: applicationFields,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  deploy: mutation({
    summary: 'Queues a deployment of the latest source',
    access: { ...own, action: 'deploy' },
    input: id.extend({
      title: title.default('Manual deployment'),
      description: description.default(''),
      withoutCache,
    }),
    output: z.literal(true),
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  redeploy: mutation({
    summary: 'Queues a rebuild of the source version that is deployed now',
    access: { ...own, action: 'deploy' },
    input: id.extend({
      title: title.default('Rebuild deployment'),
      description: description.default(''),
      withoutCache,
    }),
    output: z.literal(true),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  cancelDeployment: mutation({
    summary: 'Cancels a deployment in cloud environments with remote servers; elsewhere use killBuild',
    access: { ...own, action: 'deploy' },
    input: id,
    output: z.object({ success: z.boolean(), message: z.string() }),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  killBuild: mutation({
    summary: 'Ends the running build; does nothing when nothing is being built',
    access: { ...own, action: 'deploy' },
    input: id,
    output: applicationFields,
  }),
  cleanQueues: mutation({
    summary: 'Cancels the queued deployments',
    access: { ...own, action: 'deploy' },
    input: id,
    output: applicationFields,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  clearDeployments: mutation({
    summary: 'Removes old deployments with their logs and images; the live and unfinished ones stay',
    access: own,
    input: id,
    output: applicationFields,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  delete: mutation({
    summary: 'Deletes the application: service, deployments, source, routes, previews',
    description: 'Named volumes stay unless deleteVolumes is true; the answer lists them as keptVolumes.',
    access: { ...own, grant: 'canDeleteServices' },
    input: id.extend({ deleteVolumes: z.boolean().default(false) }),
    output: z.object({
      applicationId: z.string(),
      name: z.string(),
      appName: z.string(),
      keptVolumes: z.array(z.string()),
    }),
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  move: mutation({
    summary: 'Moves the application to another environment of the organization',
    access: {
      class: 'protected',
      resources: [
        { kind: 'application', field: 'applicationId' },
        { kind: 'environment', field: 'targetEnvironmentId' },
      ],
    },
    input: id.extend({ targetEnvironmentId: z.string().min(1).max(100) }),
    output: z.object({ applicationId: z.string(), environmentId: z.string() }),
  }),
  moveToServer: mutation({
    summary: 'Moves the application to another server',
    description:
      'A deployment of the kind `move`: the running version is started there and must become healthy, then ' +
      'its domains follow and it is removed from its former server. A failure before that leaves it where ' +
      'it was. Without a release only the record changes, and `deploymentId` is null. `serverId` null ' +
      "means Berth's own machine. Refused with 412 while it has volumes, binds or previews. With a " +
      'published port below 1024 it needs host reach, as the port itself did.',
    access: {
      class: 'protected',
      decidesHostReach: true,
      resources: [
        { kind: 'application', field: 'applicationId' },
        { kind: 'server', field: 'serverId' },
      ],
      action: 'deploy',
    },
    input: id.extend({ serverId: z.string().min(1).max(100).nullable() }),
    output: z.object({ deploymentId: z.string().nullable() }),
    refusals: ['CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  refreshToken: mutation({ summary: 'Creates a new webhook token', access: own, input: id, output: success }),
  run: mutation({
    summary: 'Runs a one-off command in a new task of the current release',
    description:
      'The command is a list of words, or one text that is split into words as a shell would (only quotes ' +
      'and backslashes have a meaning). The command line ends with its exit code. The answer contains its ' +
      'output up to the setting runOutputLimit; of longer output it contains the beginning and the end, ' +
      'with a line between them that says how much is left out.',
    access: { ...own, action: 'run', grant: programGrant },
    input: id.extend({ command: argv(200) }),
    output: z.object({
      exitCode: z.number().nullable(),
      error: z.string(),
      log: z.array(z.object({ at: z.string(), stream: z.enum(['stdout', 'stderr']), text: z.string() })),
    }),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  readLogs: query({
    summary: 'The output of the running service',
    access: own,
    input: id.extend({
      tail: z.number().int().min(1).max(10_000).default(200),
      since: z.iso.datetime({ offset: true }).optional(),
      search: z.string().max(500).optional(),
    }),
    output: z.array(z.object({ at: z.string(), stream: z.enum(['stdout', 'stderr']), text: z.string() })),
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  logs: subscription({
    summary: 'The output of the running service as a live stream',
    access: own,
    input: id.extend({ tail: z.number().int().min(0).max(10_000).default(200) }),
    output: logEvent,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
};

/** These settings, each optional. */
function pick<K extends keyof typeof optionalSettings>(...names: K[]): Pick<typeof optionalSettings, K> {
  return Object.fromEntries(names.map((name) => [name, optionalSettings[name]])) as Pick<
    typeof optionalSettings,
    K
  >;
}

/** Sets a repository by its owner and name at a provider. */
function hosted(provider: string) {
  return mutation({
    summary: `Takes the source from a repository on ${provider}`,
    description:
      'A public repository needs only owner, name and branch. With customGitSSHKeyId it is fetched over ' +
      'SSH with that deploy key. gitHost names your own installation.',
    access: {
      class: 'protected',
      resources: [
        { kind: 'application', field: 'applicationId' },
        { kind: 'sshKey', field: 'customGitSSHKeyId' },
        { kind: 'gitProvider', field: 'githubId' },
      ],
    },
    input: id.extend({
      owner: settingShape.owner.unwrap(),
      repository: settingShape.repository.unwrap(),
      branch: settingShape.branch.unwrap(),
      ...pick(
        'buildPath',
        'gitHost',
        'githubId',
        'customGitSSHKeyId',
        'watchPaths',
        'triggerType',
        'enableSubmodules',
      ),
    }),
    output: applicationFields,
  });
}
