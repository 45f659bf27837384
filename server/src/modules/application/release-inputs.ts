/** What an application's release is made of: its settings, variables, mounts, ports and registry. Pure. */
import { resolveBlock, resolveEnv, type EnvBlocks } from '../../domain/env.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import { mountFacts, type ReleaseInputs } from '../service/release-inputs.ts';

/** Settings that a release takes with it, besides the blocks of variables. */
const releasedFields = [
  'appName',
  'sourceType',
  'buildType',
  'replicas',
  'createEnvFile',
  'memoryLimit',
  'memoryReservation',
  'cpuLimit',
  'cpuReservation',
  'dockerfile',
  'containerContextPath',
  'containerBuildStage',
  'publishDirectory',
  'isStaticSpa',
  'buildPath',
  'gitHost',
  'githubId',
  'owner',
  'repository',
  'branch',
  'customGitUrl',
  'customGitBranch',
  'customGitBuildPath',
  'customGitSSHKeyId',
  'enableSubmodules',
  'containerImage',
  'registryUrl',
  'username',
  'password',
  'registryId',
  'healthCheck',
  'updateOrder',
  'placement',
  'labels',
  'networks',
  'stopGracePeriod',
  'rollbackActive',
  'preReleaseCommand',
  'command',
  'args',
  'environmentId',
] as const satisfies readonly (keyof ApplicationRecord)[];

export type ReleasedSettings = Pick<ApplicationRecord, (typeof releasedFields)[number]>;

/** Variables of an application with their references put in. */
export interface ApplicationVariables {
  env: Record<string, string>;
  buildArguments: Record<string, string>;
  buildSecrets: Record<string, string>;
}

/** Throws BAD_REQUEST naming block, line and variable for what cannot be put in. */
export function applicationVariables(
  { buildArgs, buildSecrets }: Pick<ApplicationRecord, 'buildArgs' | 'buildSecrets'>,
  blocks: EnvBlocks,
): ApplicationVariables {
  return {
    env: resolveEnv(blocks),
    buildArguments: buildArgs ? resolveBlock('buildArgs', buildArgs, blocks) : {},
    buildSecrets: buildSecrets ? resolveBlock('buildSecrets', buildSecrets, blocks, 'files') : {},
  };
}

export interface ApplicationParts {
  mounts: Parameters<typeof mountFacts>[0];
  ports: readonly { publishedPort: number; targetPort: number; protocol: string; publishMode: string }[];
  /** Address and user of the registry that `registryId` names. */
  registry: { repository: string; username: string } | null;
}

export function applicationInputs(
  application: ApplicationRecord,
  { env, buildArguments, buildSecrets }: ApplicationVariables,
  { mounts, ports, registry }: ApplicationParts,
): ReleaseInputs {
  return {
    settings: settingsOf(application),
    variables: { env, buildArgs: buildArguments, buildSecrets },
    parts: { mounts: mountFacts(mounts), ports: portFacts(ports), registry },
  };
}

export function settingsOf(application: ApplicationRecord): ReleasedSettings {
  return Object.fromEntries(releasedFields.map((field) => [field, application[field]])) as ReleasedSettings;
}

function portFacts(ports: ApplicationParts['ports']): ApplicationParts['ports'] {
  return ports
    .map(({ publishedPort, targetPort, protocol, publishMode }) => ({
      publishedPort,
      targetPort,
      protocol,
      publishMode,
    }))
    .toSorted((left, right) => left.publishedPort - right.publishedPort);
}
