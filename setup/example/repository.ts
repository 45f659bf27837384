/** The example's git repository: made once from the bundled folder. */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SetupContext } from '../context.ts';
import { runCommand } from '../process/run-command.ts';

export const exampleBranch = 'main';

/**
 * Neither the person's nor the machine's git configuration takes part: a signing or template setting would
 * stop the commit.
 */
const isolation = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Berth example',
  GIT_AUTHOR_EMAIL: 'example@localhost',
  GIT_COMMITTER_NAME: 'Berth example',
  GIT_COMMITTER_EMAIL: 'example@localhost',
};

/** Gives whether it was made; one that is there is left as it is, with whatever was committed to it since. */
export async function ensureRepository({ layout, product, signal }: SetupContext): Promise<boolean> {
  const repository = layout.exampleRepository;
  if (existsSync(join(repository, '.git'))) return false;
  const half = `${repository}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(dirname(half), { recursive: true, mode: 0o700 });
  cpSync(join(product, 'example'), half, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  const options = { cwd: half, env: isolation, signal, limitMs: 30_000 };
  await runCommand(['git', 'init', '--quiet', `--initial-branch=${exampleBranch}`], options);
  await runCommand(['git', 'add', '--all'], options);
  await runCommand(['git', 'commit', '--quiet', '--message', 'The example application'], options);
  rmSync(repository, { recursive: true, force: true });
  renameSync(half, repository);
  return true;
}
