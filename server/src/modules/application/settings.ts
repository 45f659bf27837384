/**
 * The settings of an application that a person can change, each with its rule (interface document,
 * Application; decisions 4 and 5). Pure: the CLI and the client import it.
 */
import { programGrant } from '../../domain/access/permissions.ts';
import { z } from 'zod';
import { initChoices } from '../../domain/init-choice.ts';
import { buildTypes } from '../../domain/build-type.ts';
import { certificateTypes } from '../../domain/certificates/certificate-type.ts';
import { sourceTypes } from '../../domain/git/source-type.ts';
import { parseGitHost, parseRepositoryPart } from '../../domain/git/git-host.ts';
import { parseRefName, parseSourcePath } from '../../domain/git/git-source.ts';
import { parseStageName } from '../../domain/names/names.ts';
import { parsePreviewWildcard } from '../../domain/names/preview.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import {
  appName,
  argv,
  block,
  description,
  line,
  name,
  runtimeFields,
  secretEnvFields,
  urlPath,
  variableName,
} from '../service/contract-fields.ts';
import { patternCount, patternLimit } from '../../domain/git/watch-paths.ts';
import { previewDatabase, previewDatabaseGrants } from '../preview-deployment/contract-databases.ts';

/** A folder or file inside the source. */
const sourcePath = ruled(line(1000), parseSourcePath);
const repositoryPart = ruled(line(300), parseRepositoryPart);
const gitHost = ruled(line(300), parseGitHost);
/** A branch or tag. */
const refName = ruled(line(250), parseRefName);
const stage = ruled(line(200), parseStageName);
export const sourceType = z.preprocess(
  (value) => (value === 'docker' ? 'container' : value),
  z.enum(sourceTypes),
);
export const buildType = z
  .enum(buildTypes)
  .describe(
    "auto: a Dockerfile; else Berth's own builder; else railpack or nixpacks where it is installed; else " +
      'a static site with index.html. nixpacks and railpack do the same where they are not installed. The ' +
      'log of the deployment says what was chosen and why',
  );

export const healthCheck = z.object({
  path: urlPath(2000).optional(),
  port: z.number().int().min(1).max(65_535).optional(),
  command: argv(100).optional(),
  interval: z.number().int().min(1).max(3600).optional().describe('Seconds'),
  timeout: z.number().int().min(1).max(3600).optional().describe('Seconds'),
  retries: z.number().int().min(1).max(100).optional(),
  startPeriod: z.number().int().min(0).max(3600).optional().describe('Seconds'),
});

/** Every changeable setting with its schema; `application.update` takes any of them. */
export const settingShape = {
  name,
  appName,
  description,
  sourceType,
  buildType,
  replicas: z.number().int().min(0).max(100),
  env: block.nullable(),
  ...secretEnvFields,
  buildArgs: block.nullable(),
  buildSecrets: block.nullable(),
  createEnvFile: z.boolean(),
  ...runtimeFields,
  repository: repositoryPart.nullable(),
  owner: repositoryPart
    .nullable()
    .describe('User, organization or group; groups within groups with "/" between them'),
  branch: refName.nullable(),
  buildPath: sourcePath.nullable(),
  gitHost: gitHost
    .nullable()
    .describe(
      'Address of your own GitLab, Gitea, … such as https://git.example.com; null for the public one of ' +
        'the provider',
    ),
  githubId: z.string().max(100).nullable().describe('The git provider link to use'),
  dockerfile: sourcePath.nullable(),
  containerContextPath: sourcePath.nullable(),
  containerBuildStage: stage.nullable(),
  dockerContextPath: sourcePath.nullable(),
  dockerBuildStage: stage.nullable(),
  publishDirectory: sourcePath.nullable(),
  isStaticSpa: z.boolean().nullable(),
  customGitUrl: line(2000).nullable(),
  customGitBranch: line(250).nullable(),
  customGitBuildPath: sourcePath.nullable(),
  customGitSSHKeyId: z.string().max(100).nullable(),
  enableSubmodules: z.boolean(),
  containerImage: line(500).nullable(),
  registryUrl: line(500).nullable(),
  username: line(300).nullable(),
  password: z.string().max(10_000).nullable(),
  registryId: z.string().max(100).nullable(),
  buildServerId: z
    .string()
    .max(100)
    .nullable()
    .describe('Build server that builds its images; null: the server that it runs on'),
  autoDeploy: z.boolean(),
  webhookSecret: z.string().max(1000).nullable().describe('Webhooks must be signed with it; never shown'),
  watchPaths: z.array(line(patternLimit)).max(patternCount).nullable(),
  triggerType: z.enum(['push', 'tag']),
  cleanCache: z.boolean(),
  healthCheck: healthCheck.nullable(),
  updateOrder: z.enum(['start-first', 'stop-first']),
  placement: z
    .array(line(300))
    .max(50)
    .nullable()
    .describe('Swarm placement constraints, such as node.role==worker'),
  labels: z.record(line(200).min(1), z.string().max(5000)).nullable(),
  networks: z
    .array(z.string().max(100))
    .max(20)
    .nullable()
    .describe('Ids of other environments of the same project whose network this service joins'),
  stopGracePeriod: z
    .number()
    .int()
    .min(0)
    .max(3600)
    .nullable()
    .describe('Seconds between SIGTERM and SIGKILL'),
  init: z
    .enum(initChoices)
    .describe(
      "Whether the engine's own init is process 1, which passes signals on and ends orphans; auto: unless " +
        'the image brings one, as s6-overlay, tini and dumb-init are',
    ),
  rollbackActive: z.boolean(),
  preReleaseCommand: argv(100)
    .nullable()
    .describe('Runs in the new image before the release; its failure stops the release'),
  postReleaseCommand: argv(100)
    .nullable()
    .describe(
      'Runs in the new image once the new version is healthy; its failure is shown, and the version stays',
    ),
  previewEnv: block.nullable(),
  previewSecretEnv: secretEnvFields.secretEnv,
  removePreviewSecretEnv: secretEnvFields.removeSecretEnv,
  previewInherits: z
    .array(variableName)
    .max(500)
    .nullable()
    .describe(
      "Names of the application's own variables, secret ones too, that previews get in addition to their " +
        'own; never those of a pull request whose author may not write to the repository',
    ),
  previewDatabases: z
    .array(previewDatabase)
    .max(10)
    .nullable()
    .describe(
      'Databases of the same environment of which each preview gets one of its own: what refers to the ' +
        "database leads to the preview's own",
    ),
  previewBuildArgs: block.nullable(),
  previewBuildSecrets: block.nullable(),
  previewWildcard: ruled(line(253), parsePreviewWildcard)
    .nullable()
    .describe(
      'Host of previews; its * becomes preview-<appName>-<number of the pull request>. Absent: a name ' +
        'below the base domain, else one of sslip.io that resolves to this server',
    ),
  previewPort: z.number().int().min(1).max(65_535),
  previewPath: urlPath(1000),
  previewHttps: z.boolean(),
  previewCertificateType: z.enum(certificateTypes),
  previewCustomCertResolver: line(200).nullable(),
  previewLimit: z.number().int().min(0).max(100),
  previewLabels: z.array(line(200)).max(50).nullable(),
  isPreviewDeploymentsActive: z.boolean(),
  previewRequireCollaboratorPermissions: z.boolean(),
} as const;

/** Settings that a member needs grants for. */
export const settingGrants = [
  { field: 'preReleaseCommand', grant: programGrant },
  { field: 'postReleaseCommand', grant: programGrant },
  ...previewDatabaseGrants,
] as const;

/** A setting is accepted under either name; different values in one request are refused (decisions 5). */
const aliases = {
  containerContextPath: 'dockerContextPath',
  containerBuildStage: 'dockerBuildStage',
} as const;

/** Adds the alias rule to an input schema. */
export function withAliases<T extends z.ZodObject>(schema: T): T {
  return schema.superRefine((parsed: object, context) => {
    const input: Record<string, unknown> = Object.fromEntries(Object.entries(parsed));
    for (const [name, alias] of Object.entries(aliases)) {
      if (input[name] !== undefined && input[alias] !== undefined && input[name] !== input[alias]) {
        context.addIssue({
          code: 'custom',
          path: [alias],
          message: `differs from ${name}; both name the same setting`,
        });
      }
    }
  });
}

/** The input with aliases folded into the stored names. */
export function withoutAliases<T extends object>(
  input: T,
): Omit<T, 'dockerContextPath' | 'dockerBuildStage'> {
  const folded: Record<string, unknown> = Object.fromEntries(Object.entries(input));
  for (const [name, alias] of Object.entries(aliases)) {
    if (folded[name] === undefined && folded[alias] !== undefined) folded[name] = folded[alias];
    delete folded[alias];
  }
  return folded as Omit<T, 'dockerContextPath' | 'dockerBuildStage'>;
}
