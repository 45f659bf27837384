/** What a compose service's release is made of, besides what its repository has. Pure. */
import { resolveBlock, type EnvBlocks } from '../../domain/variables/env.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import { mountFacts, type ReleaseInputs } from './inputs.ts';

const releasedFields = [
  'appName',
  'composeType',
  'sourceType',
  'composeFile',
  'composePath',
  'createEnvFile',
  'randomize',
  'suffix',
  'repository',
  'owner',
  'branch',
  'gitHost',
  'githubId',
  'customGitUrl',
  'customGitBranch',
  'customGitSSHKeyId',
  'enableSubmodules',
  'environmentId',
] as const satisfies readonly (keyof ComposeRecord)[];

/** `text`: the file that is deployed, where it stands in the record; a redeploy takes that of the version. */
export function composeInputs(
  compose: ComposeRecord,
  { env, blocks, text }: { env: Readonly<Record<string, string>>; blocks: EnvBlocks; text: string },
  mounts: Parameters<typeof mountFacts>[0],
): ReleaseInputs {
  const isRaw = compose.sourceType === 'raw';
  return {
    settings: composeSettings(isRaw ? { ...compose, composeFile: text } : compose),
    variables: { env, ...(isRaw ? { composeFile: referencesIn(text, blocks) } : {}) },
    parts: { mounts: mountFacts(mounts) },
  };
}

export function composeSettings(compose: ComposeRecord): Record<string, unknown> {
  const { composeFile, ...settings } = Object.fromEntries(
    releasedFields.map((field) => [field, compose[field]]),
  );
  // Of a repository, what the record may have kept of another source is never read.
  return compose.sourceType === 'raw' ? { ...settings, composeFile } : settings;
}

/** What the references in the file itself give, by what stands in them. */
function referencesIn(text: string, blocks: EnvBlocks): Record<string, string> {
  const found = [...text.matchAll(/(?<!\$)\$\{\{([^{}]{0,256})\}\}/g)].map(([, inner = '']) => inner.trim());
  return Object.fromEntries(
    [...new Set(found)].map((inner) => [
      inner,
      resolveBlock('composeFile', `VALUE=\${{${inner}}}`, blocks)['VALUE'] ?? '',
    ]),
  );
}
