/** The inputs of a compose service's release, without the content of its repository. Pure. */
import { createReferences, type EnvBlocks } from '../../domain/variables/env.ts';
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

/** `text` is the compose file when the record holds it; a redeploy takes that of the running version. */
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
  // With a repository, the record may still hold the file of a former source, which is never read.
  return compose.sourceType === 'raw' ? { ...settings, composeFile } : settings;
}

/** The values of the references in the file itself, by the text of each reference. */
function referencesIn(text: string, blocks: EnvBlocks): Record<string, string> {
  const found = [...text.matchAll(/(?<!\$)\$\{\{([^{}]{0,256})\}\}/g)].map(([, inner = '']) => inner.trim());
  const valueOf = createReferences('composeFile', blocks);
  return Object.fromEntries([...new Set(found)].map((inner) => [inner, valueOf(inner)]));
}
