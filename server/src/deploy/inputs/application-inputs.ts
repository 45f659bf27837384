/** The inputs of an application's release: its settings, variables, mounts, ports and registry. Pure. */
import {
  resolveBlock,
  resolveEnv,
  type EnvBlocks,
  type SurroundingBlocks,
} from '../../domain/variables/env.ts';
import { secretBlock, secretNames } from '../../domain/variables/secret-env.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import { mountFacts, type ReleaseInputs } from './inputs.ts';

/** Settings that are part of a release, besides the blocks of variables. */
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
  'pidsLimit',
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
  'init',
  'rollbackActive',
  'preReleaseCommand',
  'postReleaseCommand',
  'command',
  'args',
  'environmentId',
] as const satisfies readonly (keyof ApplicationRecord)[];

export type ReleasedSettings = Pick<ApplicationRecord, (typeof releasedFields)[number]>;

/** Blocks of variables. */
const blockFields = ['env', 'secretEnv', 'buildArgs', 'buildSecrets'] as const;

export const blocksOf = (application: ApplicationRecord): (string | null)[] =>
  blockFields.map((field) => application[field]);

/** Variables of an application with their references resolved. */
export interface ApplicationVariables {
  /** All variables, secret ones included. */
  env: Record<string, string>;
  /** Variables that may be written into a file or an image: none that is secret. */
  plainEnv: Record<string, string>;
  buildArguments: Record<string, string>;
  buildSecrets: Record<string, string>;
}

/** Throws BAD_REQUEST naming block, line and variable of a reference that cannot be resolved. */
export function applicationVariables(
  application: Pick<ApplicationRecord, (typeof blockFields)[number]>,
  around: SurroundingBlocks,
): ApplicationVariables {
  const { env, secretEnv, buildArgs, buildSecrets } = application;
  const blocks: EnvBlocks = { ...around, service: env, secret: secretBlock(secretEnv) };
  const all = resolveEnv(blocks);
  const secrets = new Set(secretNames(secretEnv).map(({ name }) => name));
  return {
    env: all,
    plainEnv: Object.fromEntries(Object.entries(all).filter(([name]) => !secrets.has(name))),
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
  { env, buildArguments, buildSecrets }: Omit<ApplicationVariables, 'plainEnv'>,
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
