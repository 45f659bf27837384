/** Whether a release can be made of this checkout. */
import { z } from 'zod';

/** Names the environment variable with the path of the private key. */
export const keyVariable = 'BERTH_RELEASE_KEY';

export interface ReleaseState {
  version: string;
  changelog: string;
  /** `git status --porcelain`. */
  changes: string;
  /** Tags of the commit that is checked out. */
  tagsHere: readonly string[];
  /** Public key in the source, PEM. */
  publicKey: string;
  /** Public part of the releaser's private key; undefined without one. */
  givenPublicKey: string | undefined;
}

/** What keeps this checkout from being released and what to do; undefined when nothing does. */
export function releaseFault(state: ReleaseState): string | undefined {
  const { version, changelog, changes, tagsHere, publicKey, givenPublicKey } = state;
  if (changes !== '')
    return `There are changes that are not committed:\n${changes}\nCommit them or take them back.`;
  if (!changelog.split('\n').some((line) => line.startsWith(`## [${version}] - `)))
    return (
      `CHANGELOG.md has no section "## [${version}] - <date>". ` +
      'Move what is released there from Unreleased.'
    );
  if (!tagsHere.includes(`v${version}`))
    return `This commit does not have the tag v${version}. Run: git tag -a v${version} -m "Berth ${version}"`;
  if (givenPublicKey === undefined)
    return (
      `Set ${keyVariable} to the file with the private key that signs releases ` +
      '(CONTRIBUTING.md, A release).'
    );
  if (givenPublicKey.trim() !== publicKey.trim())
    return `The key that ${keyVariable} names is not the one whose public part is release-key.pem.`;
  return undefined;
}

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({ version: z.string().optional(), integrity: z.string().optional() }),
  ),
});

/** The package of Node.js for an architecture as the lock file has it. */
export function lockedNode(
  lock: unknown,
  arch: string,
): { name: string; version: string; integrity: string } {
  const name = `node-linux-${arch}`;
  const { version, integrity } = lockSchema.parse(lock).packages[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json does not have ${name} with its digest.`);
  return { name, version, integrity };
}
